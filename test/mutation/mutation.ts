import { PLANTED } from '../simulation/planted.ts';
import { PLANTED_FOR_JUDGES } from '../simulation/planted-for-judges.ts';

/** A rule of the product, and a change of one line that breaks it. */
export interface Mutation {
  readonly name: string;
  /** What holds for whoever uses the operator, in one sentence. */
  readonly rule: string;
  /** The file under src/. */
  readonly file: string;
  /** What stands there exactly once, and what is written in its place. */
  readonly from: string;
  readonly to: string;
  /** What fails then. */
  readonly seenBy: UnitTest | Life;
}

/** A test of test/unit, by its file and by its title or a part of it. */
export interface UnitTest {
  readonly test: string;
  readonly title: string;
}

/** A life of the simulation, by its seed, and the invariant that is broken in it. */
export interface Life {
  readonly seed: number;
  readonly breaks: string;
}

/** Those that a life of a seed shows; one of two tenants is another. */
const LIVES = new Map(
  [...PLANTED, ...PLANTED_FOR_JUDGES]
    .filter(({ isTenants }) => !isTenants)
    .map((planted) => [planted.name, planted]),
);

/** A rule whose break is one of the planted faults of the simulation. */
export function seenInLife(name: string, rule: string): Mutation {
  const planted = LIVES.get(name);
  if (!planted) throw new Error(`${name} is no planted fault`);
  const { file, from, to, seed, rule: breaks } = planted;
  return { name, rule, file, from, to, seenBy: { seed, breaks } };
}
