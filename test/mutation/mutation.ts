/** A rule of the product, and a change of one line that breaks it. */
export interface Mutation {
  /** What holds for whoever uses the operator, in one sentence. */
  readonly name: string;
  /** The file under src/. */
  readonly file: string;
  /** What stands there exactly once, and what is written in its place. */
  readonly from: string;
  readonly to: string;
  /** What fails then: a test by its file and by its title or a part of it. */
  readonly seenBy: { readonly test: string; readonly title: string };
}
