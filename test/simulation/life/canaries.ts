import { Draw } from '../engine/draw.ts';

/** Bytes; what is longer makes a Secret invalid. */
const LONGEST = { id: 256, secret: 4_096 } as const;

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
/** What means something to JSON, to URLs, to HTML, and to regular expressions. */
const ALPHABETS = {
  letters: LETTERS,
  base64: `${LETTERS}+/=`,
  escaped: `${LETTERS}"\\/<>&'%+?#=;@ "\\%&`,
  patterns: String.raw`${LETTERS}.*+?^$()[]{}|\-.*+?^$()[]{}|\-`,
} as const;

/**
 * An API key's secret: words that stand nowhere else, so that where one is found outside of its
 * header, a key has leaked. Takes two numbers from `draw`, whatever comes of it.
 */
export function secretText(draw: Draw): string {
  const mine = ownDraw(draw);
  return textOf(mine, lengthOf(mine, LONGEST.secret));
}

/** The id of an API key, which has no colon. Takes nothing from `draw`. */
export function keyIdText(draw: Draw): string {
  const mine = draw.of('canary');
  return textOf(mine, lengthOf(mine, LONGEST.id));
}

function ownDraw(draw: Draw): Draw {
  return new Draw(`canary ${draw.bits()} ${draw.bits()}`);
}

function lengthOf(draw: Draw, longest: number): number {
  switch (draw.weighted({ short: 10, usual: 75, long: 12, longest: 3 })) {
    case 'short':
      return draw.between(7, 9);
    case 'usual':
      return draw.between(20, 48);
    case 'long':
      return draw.between(100, 250);
    case 'longest':
      return longest;
  }
}

/** A line end at either end would be taken off, and a blank might. */
function textOf(draw: Draw, length: number): string {
  const alphabet = draw.pick(Object.values(ALPHABETS));
  const middle = Array.from({ length: length - 2 }, () =>
    alphabet.charAt(draw.between(0, alphabet.length - 1)),
  );
  const [first, last] = draw.some(LETTERS.split(''), 2);
  return `${first}${middle.join('')}${last}`;
}
