import { firstPlace } from './binary-search.ts';

/**
 * One way to read a text: without what JSON, HTML or a URL has put in to escape characters, or
 * joined, without blanks and line ends.
 */
export interface Reading {
  readonly text: string;
  /** Where in the text as it stands a place of this one is. */
  readonly placeOf: (at: number) => number;
  readonly isJoined?: boolean;
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

/**
 * Where base64 is broken into lines, or a long header is folded; line ends may be spelled. No key
 * has anything but printable ASCII.
 */
const BREAKS = /(?:[^\x21-\x7e]|\\[nrt]|%0[ad])+/gi;

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

export function readings(text: string): Reading[] {
  const unescaped = ESCAPES.filter(({ sign }) => text.includes(sign));
  return [
    { text, placeOf: (at) => at },
    ...unescaped.map(({ pattern }) => readAs(text, pattern, characterOf)),
    ...(text.search(BREAKS) < 0 ? [] : [{ ...readAs(text, BREAKS, () => ''), isJoined: true }]),
  ];
}

/** The place behind an escape, in the text as it stands and without escapes. */
interface Behind {
  readonly there: number;
  readonly here: number;
}

type Groups = Readonly<Record<string, string | undefined>>;

function readAs(text: string, pattern: RegExp, meant: (groups: Groups) => string): Reading {
  const parts: string[] = [];
  const behind: Behind[] = [];
  let [there, here] = [0, 0];
  for (const match of text.matchAll(pattern)) {
    const character = meant(match.groups ?? {});
    parts.push(text.slice(there, match.index), character);
    here += match.index - there + character.length;
    there = match.index + match[0].length;
    behind.push({ there, here });
  }
  parts.push(text.slice(there));
  return { text: parts.join(''), placeOf: (at) => placeBehind(behind, at) };
}

function placeBehind(escapes: readonly Behind[], at: number): number {
  const next = firstPlace(0, escapes.length, (place) => (escapes[place]?.here ?? at) > at);
  const { there, here } = escapes[next - 1] ?? { there: 0, here: 0 };
  return there + at - here;
}

function characterOf({ hex, decimal, itself, name }: Groups): string {
  if (itself !== undefined) return itself;
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? '';
  return String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
}
