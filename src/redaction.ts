const MASKED = '***';
const REDACTED = '[redacted]';

/**
 * From this length on a secret is found anywhere in a text. The mask finds a shorter one only where
 * it is a whole word, the redactor not at all: one of a single letter must not blank every text.
 */
const ANYWHERE_FROM = 6;

/**
 * A secret is known by its first characters and its length: tenants may make many, long and alike,
 * and neither memory nor the time for a text may depend on that. Where another text begins the same
 * way, as much of it is hidden.
 */
const HEAD = 16;

/**
 * Hides one credential in what the API says: a function that replaces its id and its secret in a
 * text, in every spelling, and the encoded pair. No pattern is made of them: the error of one that
 * is too long would say the key.
 */
export function createMask(keyId: string, keySecret: string): (text: string) => string {
  const hidden = new Hidden();
  hidden.add([...spellings(keyId), ...spellings(keySecret), ...encodings(`${keyId}:${keySecret}`)]);
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
    add: (secrets) =>
      hidden.add(secrets.flatMap(spellings).filter(({ length }) => length >= ANYWHERE_FROM)),
    apply: (text) => hidden.replaceIn(text, REDACTED),
  };
}

/** From its first character to before its last. */
interface Span {
  from: number;
  to: number;
}

/** What is to be hidden, and where it stands in a text. */
class Hidden {
  /** By what it begins with: how many begin so, and the length of the longest of them. */
  readonly #known = new Map<string, { holders: number; length: number }>();
  /** How many of those beginnings there are, by first character and length. */
  readonly #counts = new Map<number, number[]>();

  /** Until the function that it returns is called. */
  add(texts: readonly string[]): () => void {
    const heads = [...new Set(texts)].filter(Boolean).map((text) => this.#remember(text));
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      for (const head of heads) this.#forget(head);
    };
  }

  /** What overlaps goes together, so that nobody's secret uncovers a part of another's. */
  replaceIn(text: string, replacement: string): string {
    if (this.#known.size === 0) return text;
    const spans = readings(text).flatMap((reading) => this.#spansIn(reading));
    let clean = '';
    let end = 0;
    for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
      if (from >= end) clean += text.slice(end, from) + replacement;
      end = Math.max(end, to);
    }
    return clean + text.slice(end);
  }

  #remember(text: string): string {
    // A copy: a slice would keep all of the secret in memory.
    const head = Buffer.from(text.slice(0, HEAD), 'utf16le').toString('utf16le');
    const known = this.#known.get(head);
    if (known) {
      known.holders += 1;
      known.length = Math.max(known.length, text.length);
    } else {
      this.#known.set(head, { holders: 1, length: text.length });
      this.#count(head, 1);
    }
    return head;
  }

  #forget(head: string): void {
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

  #spansIn({ text, placeOf }: Reading): Span[] {
    const spans: Span[] = [];
    let last: Span | undefined;
    for (let at = 0; at < text.length; at++) {
      const length = this.#lengthAt(text, at);
      if (length === 0) continue;
      if (!last || at >= last.to) spans.push((last = { from: at, to: at }));
      last.to = Math.max(last.to, Math.min(at + length, text.length));
      // What fills up base64 may be there or not.
      while (text[last.to] === '=') last.to += 1;
    }
    return spans.map(({ from, to }) => ({ from: placeOf(from), to: placeOf(to) }));
  }

  /** How much is to be hidden from this place on; 0: nothing. */
  #lengthAt(text: string, at: number): number {
    const counts = this.#counts.get(text.charCodeAt(at));
    if (!counts) return 0;
    // The longest beginning first: it has the longest text.
    for (let size = HEAD; size > 0; size--) {
      if (counts[size] === 0) continue;
      const length = this.#known.get(text.slice(at, at + size))?.length ?? 0;
      if (length >= ANYWHERE_FROM || (length > 0 && isWord(text, at, length))) return length;
    }
    return 0;
  }
}

/** Whether what stands there is not a part of a longer word. */
function isWord(text: string, at: number, length: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  const after = text.slice(at + length, at + length + 2);
  return !/[\p{L}\p{N}_]$/u.test(before) && !/^[\p{L}\p{N}_]/u.test(after);
}

/** As it is, as a form has its blanks, and encoded. */
function spellings(text: string): string[] {
  const hex = Buffer.from(text, 'utf8').toString('hex');
  const encoded = [hex, hex.toUpperCase(), ...encodings(text)];
  return [
    text,
    text.replaceAll(' ', '+'),
    ...encoded.filter(({ length }) => length >= ANYWHERE_FROM),
  ];
}

/** Base64, by itself and within that of a longer text, by where in three bytes it begins. */
function encodings(text: string): string[] {
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

/** One way to read a text: without what JSON, HTML or a URL has put in to escape characters. */
interface Reading {
  readonly text: string;
  /** Where in the text as it stands a place of this one is. */
  readonly placeOf: (at: number) => number;
}

/**
 * A server that wants to hide a key from us can always do so; these are the ways of those that mean
 * well.
 */
const ESCAPES: readonly { readonly sign: string; readonly pattern: RegExp }[] = [
  { sign: '\\', pattern: /\\(?:u(?<hex>[0-9a-f]{4})|(?<itself>["\\/]))/gi },
  {
    sign: '&',
    pattern:
      /&(?:#x0*(?<hex>[0-9a-f]{1,4})|#0*(?<decimal>\d{1,5})|(?<name>amp|lt|gt|quot|apos));/gi,
  },
  { sign: '%', pattern: /%(?<hex>[0-9a-f]{2})/gi },
];

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function readings(text: string): Reading[] {
  const unescaped = ESCAPES.filter(({ sign }) => text.includes(sign));
  return [{ text, placeOf: (at) => at }, ...unescaped.map(({ pattern }) => readAs(text, pattern))];
}

/** The place behind an escape, in the text as it stands and without escapes. */
interface Behind {
  readonly there: number;
  readonly here: number;
}

function readAs(text: string, pattern: RegExp): Reading {
  const parts: string[] = [];
  const behind: Behind[] = [];
  let [there, here] = [0, 0];
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(there, match.index), characterOf(match.groups ?? {}));
    here += match.index - there + 1;
    there = match.index + match[0].length;
    behind.push({ there, here });
  }
  parts.push(text.slice(there));
  return { text: parts.join(''), placeOf: (at) => placeBehind(behind, at) };
}

/** By halves: there may be as many places as escapes. */
function placeBehind(escapes: readonly Behind[], at: number): number {
  let [low, high] = [0, escapes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((escapes[middle]?.here ?? at) <= at) low = middle + 1;
    else high = middle;
  }
  const { there, here } = escapes[low - 1] ?? { there: 0, here: 0 };
  return there + at - here;
}

function characterOf({ hex, decimal, itself, name }: Readonly<Record<string, string | undefined>>) {
  if (itself !== undefined) return itself;
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? '';
  return String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
}
