import * as crypto from 'node:crypto';

/**
 * Numbers that follow from a seed and a name alone, the same on every machine. What is drawn under
 * one name does not depend on what was drawn under another, so that a story can lose one of its
 * parts and the others stay as they were.
 */
export class Draw {
  readonly seed: string;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: string) {
    this.seed = seed;
    [this.#a, this.#b, this.#c] = hash(seed);
    for (let round = 0; round < 12; round += 1) this.bits();
  }

  /** A draw of its own for something that has a name. */
  of(name: string): Draw {
    return new Draw(`${this.seed}/${name}`);
  }

  /** 32 random bits: the generator sfc32. */
  bits(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  /** 0 to 1, without 1. */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** Throws RangeError for an empty list. */
  pick<T>(from: readonly T[]): T {
    const picked = from[this.between(0, from.length - 1)];
    if (picked === undefined && from.length === 0)
      throw new RangeError(`nothing to pick from at ${this.seed}`);
    return picked as T;
  }

  /** One of the names, each as likely as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries<number>(weights);
    let left = this.fraction() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name as Name;
    }
    throw new RangeError(`no weights to draw by at ${this.seed}`);
  }

  /** As many of them as asked for, in an order of its own. */
  some<T>(from: readonly T[], count: number): T[] {
    const left = [...from];
    const taken: T[] = [];
    while (taken.length < count && left.length > 0)
      taken.push(...left.splice(this.between(0, left.length - 1), 1));
    return taken;
  }
}

function hash(text: string): [number, number, number] {
  const bytes = crypto.hash('sha256', text, 'buffer');
  return [bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8)];
}
