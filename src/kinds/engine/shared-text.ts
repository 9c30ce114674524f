/** Objects differ in few of their texts; what stands in many of them is near among so many. */
const MOST_KNOWN = 1000;
/** What is longer is a sentence, with a request id in it. */
const MOST_CHARACTERS = 80;

/**
 * Makes equal texts one. Every parsed object brings its own copy of each text, which with ten
 * thousand objects is a fifth of all that is kept.
 */
export class SharedText {
  readonly #known = new Map<string, string>();

  /** Changes nothing that can be seen. Takes what JSON.parse gives. */
  share(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const fields = value as Record<string, unknown>;
    Object.keys(fields).forEach((name) => {
      const field = fields[name];
      if (typeof field === 'string') fields[name] = this.#same(field);
      else this.share(field);
    });
  }

  #same(text: string): string {
    if (text.length > MOST_CHARACTERS) return text;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    // Begun anew rather than kept in order: at rest it is to hold little, and the frequent ones are
    // back at once.
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }
}
