/** Numbers that depend on a seed alone. */
export interface Dice {
  /** 0 to n - 1. */
  below(n: number): number;
  chance(share: number): boolean;
  one<T>(list: readonly [T, ...(readonly T[])]): T;
  some<T>(list: readonly T[], share: number): T[];
}

/** mulberry32. */
export function diceOf(seed: number): Dice {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (n: number): number => Math.floor(next() * n);
  return {
    below,
    chance: (share) => next() < share,
    one: (list) => list[below(list.length)] ?? list[0],
    some: (list, share) => list.filter(() => next() < share),
  };
}
