/** Numbers that look drawn and are the same in every run. */
export interface Draw {
  /** 0 to below `limit`. */
  upTo(limit: number): number;
  /** Throws where there is nothing to choose from. */
  of<T>(choices: readonly T[]): T;
  chance(share: number): boolean;
}

export function drawer(seed: number): Draw {
  let state = seed >>> 0;
  // A full-period linear congruential generator; its upper bits are good enough to shuffle work.
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const upTo = (limit: number): number => Math.floor(next() * limit);
  return {
    upTo,
    of<T>(choices: readonly T[]): T {
      const chosen = choices[upTo(choices.length)];
      if (chosen === undefined) throw new RangeError('there is nothing to choose from');
      return chosen;
    },
    chance: (share) => next() < share,
  };
}
