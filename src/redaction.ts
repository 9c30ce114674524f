import { firstPlace } from './binary-search.ts';
import { type Reading, readings } from './escapes.ts';

const MASKED = '***';
const REDACTED = '[redacted]';

/**
 * From this length on a secret is found anywhere in a text. The mask finds a shorter one only where
 * it is a whole word, the redactor not at all: one of a single letter must not blank every text.
 */
const ANYWHERE_FROM = 6;

/**
 * A secret is found by its first characters: tenants may make many, long and alike, and neither
 * memory nor the time for a text may depend on that. It is hidden as far as the text goes on like
 * it. Of what it is encoded as nothing more than these and the length is kept.
 */
const HEAD = 16;
/** As `\u0022` or `&quot;` for one character. */
const LONGEST_ESCAPE = 6;
/**
 * Where what is to be hidden comes to more than this and eight times the text, it overlaps itself
 * again and again; the rest of such a text is hidden without a look at it.
 */
const MOST_FOUND = 16_000;

/**
 * Hides one credential in what the API says: a function that replaces its id and its secret in a
 * text, in every spelling, and the encoded pair. No pattern is made of them: the error of one that
 * is too long would say the key.
 */
export function createMask(keyId: string, keySecret: string): (text: string) => string {
  const hidden = new Hidden();
  const texts = [keyId, keySecret];
  const [basic = '', ...others] = inBase64(`${keyId}:${keySecret}`);
  hidden.add({
    plain: texts.flatMap(inForms),
    encoded: [...texts.flatMap(encodings), basic, ...others, ...encodings(basic)],
  });
  return (text) => hidden.replaceIn(text, MASKED);
}

/**
 * Hides all secrets that are known in the values of each line of the log. The last defence: none
 * should get there. pino's own redaction goes by the path of a field, and a secret may stand in any
 * text.
 */
export interface Redactor {
  /**
   * Looks for these in every spelling, base64 too, until the function that it returns is called.
   */
  add(secrets: readonly string[]): () => void;
  apply(text: string): string;
}

export function createRedactor(): Redactor {
  const hidden = new Hidden();
  return {
    add(secrets) {
      const long = secrets.filter(({ length }) => length >= ANYWHERE_FROM);
      return hidden.add({ plain: long.flatMap(inForms), encoded: secrets.flatMap(encodings) });
    },
    apply: (text) => hidden.replaceIn(text, REDACTED),
  };
}

/**
 * So many texts are remembered in which nothing was found: names of settings come with each reply.
 * Every key has a mask of its own, so these are few.
 */
const MOST_CLEAN = 64;
/** What is longer is a sentence, and seldom comes again. */
const LONGEST_CLEAN = 64;

/** From its first character to before its last. */
interface Span {
  from: number;
  to: number;
}

interface Known {
  /** How many texts begin so. */
  holders: number;
  /** Of the longest of them that is encoded. */
  encoded: number;
  /** The others. */
  readonly plain: Alike;
}

/** What is to be hidden, and where it stands in a text. */
class Hidden {
  /** By what it begins with. */
  readonly #known = new Map<string, Known>();
  /** How many of those beginnings there are, by first character and length. */
  readonly #counts = new Map<number, number[]>();
  /** Texts without any of this. */
  readonly #clean = new Set<string>();

  /** Until the function that it returns is called. */
  add(texts: {
    readonly plain: readonly string[];
    readonly encoded: readonly string[];
  }): () => void {
    this.#clean.clear();
    const plain = [...new Set(texts.plain)].filter(Boolean);
    const heads = [...new Set(texts.encoded)].map((text) => this.#rememberEncoded(text));
    for (const text of plain) this.#hold(headOf(text)).plain.add(text);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      for (const head of heads) this.#release(head);
      for (const text of plain) {
        const head = text.slice(0, HEAD);
        this.#known.get(head)?.plain.remove(text);
        this.#release(head);
      }
    };
  }

  /** What overlaps goes together, so that nobody's secret uncovers a part of another's. */
  replaceIn(text: string, replacement: string): string {
    if (this.#known.size === 0 || this.#clean.has(text)) return text;
    const spans = readings(text).flatMap((reading) => this.#spansIn(reading));
    if (spans.length === 0) {
      if (this.#clean.size >= MOST_CLEAN) this.#clean.clear();
      if (text.length <= LONGEST_CLEAN) this.#clean.add(text);
      return text;
    }
    let clean = '';
    let end = 0;
    for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
      if (from >= end) clean += text.slice(end, from) + replacement;
      end = Math.max(end, to);
    }
    return clean + text.slice(end);
  }

  #rememberEncoded(text: string): string {
    const head = headOf(text);
    const known = this.#hold(head);
    known.encoded = Math.max(known.encoded, text.length);
    return head;
  }

  #hold(head: string): Known {
    const known = this.#known.get(head) ?? { holders: 0, encoded: 0, plain: new Alike() };
    if (known.holders === 0) {
      this.#known.set(head, known);
      this.#count(head, 1);
    }
    known.holders += 1;
    return known;
  }

  #release(head: string): void {
    const known = this.#known.get(head);
    if (!known) return;
    known.holders -= 1;
    if (known.holders > 0) return;
    this.#known.delete(head);
    this.#count(head, -1);
  }

  #count(head: string, by: number): void {
    const first = head.charCodeAt(0);
    const counts = this.#counts.get(first) ?? Array<number>(HEAD + 1).fill(0);
    counts[head.length] = (counts[head.length] ?? 0) + by;
    this.#counts.set(first, counts);
  }

  #spansIn({ text, placeOf, isJoined = false }: Reading): Span[] {
    const spans: Span[] = [];
    let last: Span | undefined;
    let found = 0;
    for (let at = 0; at < text.length; at++) {
      const length = this.#lengthAt(text, at, isJoined ? HEAD : 1);
      if (length === 0) continue;
      if (!last || at >= last.to) spans.push((last = { from: at, to: at }));
      last.to = Math.max(last.to, Math.min(at + length, text.length));
      // What fills up base64 may be there or not.
      while (text[last.to] === '=') last.to += 1;
      found += length;
      if (found > MOST_FOUND + 8 * text.length) last.to = at = text.length;
    }
    // What stands between two words goes with neither.
    const endOf = (to: number): number => (isJoined ? placeOf(to - 1) + 1 : placeOf(to));
    return spans.map(({ from, to }) => ({ from: placeOf(from), to: endOf(to) }));
  }

  /** How much is to be hidden from this place on; 0: nothing. */
  #lengthAt(text: string, at: number, leastSize: number): number {
    const counts = this.#counts.get(text.charCodeAt(at));
    if (!counts) return 0;
    // The longest beginning first: it has the longest text.
    for (let size = HEAD; size >= leastSize; size--) {
      if (counts[size] === 0) continue;
      const known = this.#known.get(text.slice(at, at + size));
      if (!known) continue;
      const length = Math.max(known.encoded, known.plain.lengthAt(text, at));
      if (length >= ANYWHERE_FROM || isWord(text, at, length)) return length;
    }
    return 0;
  }
}

/** A copy: a slice would keep all of the text in memory. */
function headOf(text: string): string {
  return Buffer.from(text.slice(0, HEAD), 'utf16le').toString('utf16le');
}

/**
 * Texts that begin alike, in order: what goes on longest like a given text is beside the place
 * where that would be.
 */
class Alike {
  readonly #texts: string[] = [];
  /** Of all that were ever among them: no more of a text need be looked at. */
  #longest = 0;

  add(text: string): void {
    this.#longest = Math.max(this.#longest, text.length);
    this.#texts.splice(this.#placeOf(text), 0, text);
  }

  remove(text: string): void {
    const place = this.#placeOf(text);
    if (this.#texts[place] === text) this.#texts.splice(place, 1);
  }

  /** How far the text goes on like one of these, from this place on. */
  lengthAt(text: string, at: number): number {
    if (this.#texts.length === 0) return 0;
    const rest = text.slice(at, at + this.#longest);
    const place = this.#placeOf(rest);
    const beside = [this.#texts[place - 1] ?? '', this.#texts[place] ?? ''];
    return Math.max(...beside.map((one) => reach(one, rest)));
  }

  #placeOf(text: string): number {
    return firstPlace(0, this.#texts.length, (place) => (this.#texts[place] ?? '') >= text);
  }
}

/** To its end where the text goes on with an escape: it may be the rest, in an unknown way. */
function reach(secret: string, text: string): number {
  let length = 0;
  while (length < secret.length && secret[length] === text[length]) length++;
  const isEscape = /^[\\&%=]$/.test(text[length] ?? '');
  return isEscape ? length + LONGEST_ESCAPE * (secret.length - length) : length;
}

/** Whether what stands there is not a part of a longer word. */
function isWord(text: string, at: number, length: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + length, at + length + 2);
  return !/[\p{L}\p{N}_]$/u.test(before) && !/^[\p{L}\p{N}_]/u.test(after);
}

/** As it is, and as a form has its blanks. */
function inForms(text: string): string[] {
  return text.includes(' ') ? [text, text.replaceAll(' ', '+')] : [text];
}

function encodings(text: string): string[] {
  const hex = Buffer.from(text, 'utf8').toString('hex');
  const encoded = [hex, hex.toUpperCase(), ...inBase64(text)];
  return encoded.filter(({ length }) => length >= ANYWHERE_FROM);
}

/** By itself and within that of a longer text, by where in three bytes it begins. */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8');
  const inside = [0, 1, 2].map((before) => {
    const shifted = Buffer.concat([Buffer.alloc(before), bytes]);
    return shifted.subarray(before === 0 ? 0 : 3, shifted.length - (shifted.length % 3));
  });
  return [bytes, ...inside].flatMap((one) => {
    const unpadded = one.toString('base64').replace(/=+$/, '');
    return [unpadded, one.toString('base64url')];
  });
}
