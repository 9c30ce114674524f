import { MOVES } from './moves.ts';

/** One interleaving of what happens besides the operator. */
export interface Schedule {
  /**
   * The endpoints are added already, and the user has just taken one off the list; else all is new.
   */
  readonly isSettled: boolean;
  /** What becomes of the operator: it dies, or its connections to the API break. */
  readonly mishap: 'crash' | 'broken connections';
  /** Before which step each move happens; 0: never. */
  readonly steps: readonly number[];
}

const KINDS = 4;

/**
 * How many interleavings there are in which every move happens within the first `depth` steps, or
 * never.
 */
export function countOf(depth: number): number {
  return KINDS * (depth + 1) ** MOVES.length;
}

/** The interleaving with a number from 0 on: every number below `countOf` is another one. */
export function scheduleOf(number: number, depth: number): Schedule {
  let left = Math.floor(number / KINDS);
  const steps = MOVES.map(() => {
    const step = left % (depth + 1);
    left = Math.floor(left / (depth + 1));
    return step;
  });
  return {
    isSettled: number % 2 === 1,
    mishap: number % KINDS < 2 ? 'crash' : 'broken connections',
    steps,
  };
}
