import type { Draw } from '../engine/draw.ts';

/** What means something to JSON, to URLs, to HTML, and to regular expressions. */
const SPECIAL = String.raw`"\/<>&'%+?#=;@ .*^$()[]{}|-`;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/**
 * An API key's secret: words that stand nowhere else, so that where one is found outside of its
 * header, a key has leaked.
 */
export function secretText(draw: Draw): string {
  return textOf(draw, draw.weighted({ '': 40, [SPECIAL]: 60 }), draw.pick([8, 24, 24, 40, 200]));
}

/** The id of an API key, which has no colon. */
export function keyIdText(draw: Draw): string {
  return textOf(draw, draw.pick(['', SPECIAL]), draw.pick([8, 20, 20, 40]));
}

/** A line end at either end would be taken off, and a blank might. */
function textOf(draw: Draw, special: string, length: number): string {
  const [first, ...letters] = Array.from({ length }, () => draw.pick(LETTERS.split('')));
  const middle = letters.map((one) =>
    draw.chance(0.3) ? draw.pick([...special.split(''), one]) : one,
  );
  return `${first}${middle.join('')}${draw.pick(LETTERS.split(''))}`;
}
