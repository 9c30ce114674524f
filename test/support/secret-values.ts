/** Ways to write a value; what a key may hold, what it may not, and what patterns trip over. */
const ALPHABETS: Readonly<Record<string, string>> = {
  letters: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  hex: '0123456789abcdef',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=',
  pattern: String.raw`.*+?^$(){}[]|\/-`,
  quoted: `"'\`%&<>#;=,!@~ :`,
  blanks: ' \t\r\nab',
  foreign: 'äßéñøłžčşğαβγδжшщю日本語中文한국𝔘𝔫𝔦',
  bytes: String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code), 127),
};

const KIB = 1024;

/** Bytes; around every bound there is: of ids, of keys, of lines, of what once broke a pattern. */
const LENGTHS: readonly number[] = [
  0,
  1,
  2,
  3,
  4,
  5,
  6,
  7,
  8,
  12,
  16,
  24,
  32,
  64,
  100,
  128,
  200,
  255,
  256,
  257,
  400,
  511,
  512,
  1000,
  1023,
  1024,
  1025,
  2048,
  4095,
  4096,
  4097,
  6144,
  8192,
  12_000,
  15_999,
  16_001,
  32_768,
  65_537,
  700_000,
  KIB * KIB - KIB,
];

export interface SecretSample {
  /** Of the alphabet and the length, as a name in Kubernetes. */
  readonly name: string;
  readonly bytes: Buffer;
}

/** One value of each alphabet and length, the same in every run. */
export function secretSamples(): SecretSample[] {
  return Object.entries(ALPHABETS).flatMap(([alphabet, letters], nth) =>
    LENGTHS.map((length) => ({
      name: `${alphabet}-${length}`,
      bytes: written([...letters], length, nth * 10_000_019 + length),
    })),
  );
}

/** Cut to the length in bytes, so that the last letter may be half of one. */
function written(letters: readonly string[], length: number, seed: number): Buffer {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
  const all = Array.from({ length }, () => letters[next() % letters.length] ?? '');
  return Buffer.from(all.join('')).subarray(0, length);
}

/** A value may be found by a part of it; shorter ones stand in any text by chance. */
const TELLING = 12;

/**
 * Finds a part of a value in texts, of fourteen characters or more: as it is, in base64, or as URLs
 * and JSON have it. `texts` are read once, so that thousands of values can be asked for.
 */
export function traceFinder(texts: readonly string[]): (bytes: Buffer) => string | undefined {
  const grams = new Set<string>();
  for (const text of texts)
    for (let at = 0; at + TELLING <= text.length; at += 1) grams.add(text.slice(at, at + TELLING));
  return (bytes) => {
    const text = bytes.toString('utf8');
    const forms = [
      text,
      ...[0, 1, 2].map((before) => bytes.subarray(before).toString('base64').slice(0, -4)),
      encodeURIComponent(text.toWellFormed()),
      JSON.stringify(text).slice(1, -1),
    ];
    // Every third place: fourteen characters have twelve that begin at one.
    for (const form of forms)
      for (let at = 0; at + TELLING <= form.length; at += 3) {
        const part = form.slice(at, at + TELLING);
        if (grams.has(part) && new Set(part).size > 3) return part;
      }
    return undefined;
  };
}
