import { spellings } from '../../support/canary.ts';

/** Of a spelling so long any part is found, of a shorter one only the whole. */
const PART = 16;
const GRAM = 10;
/** Any part of 16 characters has one gram whose place in the text is a multiple of this. */
const STRIDE = PART - GRAM + 1;
/** A longer text is known by its ends: what is cut keeps one of them. */
const ENDS = { begin: 768, end: 256 } as const;
/** The mask finds what is shorter only where it is a whole word. */
const SHORTEST = 6;

/**
 * Finds key pairs in texts, in any spelling, and parts of them. A text costs about the same for one
 * pair as for a hundred.
 */
export class Needles {
  readonly #grams = new Set<string>();
  /** By a hash of the first three characters of a gram: whether there is any. */
  readonly #begins = new Uint8Array(1 << 16);
  readonly #short = new Set<string>();
  readonly #known = new Set<string>();

  add(id: string, secret: string): void {
    const pair = `${id}:${secret}`;
    if (this.#known.has(pair)) return;
    this.#known.add(pair);
    for (const one of pieces(id)) {
      for (const other of pieces(secret)) this.#learn(one, other);
    }
  }

  /** Whether a key or a part of it stands in the text. */
  areIn(text: string): boolean {
    for (let at = 0; at <= text.length - GRAM; at += STRIDE) {
      if (this.#begins[beginAt(text, at)] === 0) continue;
      if (this.#grams.has(text.slice(at, at + GRAM))) return true;
    }
    for (const form of this.#short) if (text.includes(form)) return true;
    return false;
  }

  /** In small letters too, as a URL has its host. */
  #learn(id: string, secret: string): void {
    for (const form of [...spellings(id, secret), id.toLowerCase(), secret.toLowerCase()]) {
      if (form.length >= PART) this.#learnGrams(form);
      else if (form.length >= SHORTEST) this.#short.add(form);
    }
  }

  #learnGrams(form: string): void {
    for (let at = 0; at <= form.length - GRAM; at += 1) {
      this.#grams.add(form.slice(at, at + GRAM));
      this.#begins[beginAt(form, at)] = 1;
    }
  }
}

function pieces(text: string): string[] {
  const { begin, end } = ENDS;
  return text.length <= begin + end ? [text] : [text.slice(0, begin), text.slice(-end)];
}

function beginAt(text: string, at: number): number {
  const [a, b, c] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (a * 961 + b * 31 + c) & 0xffff;
}
