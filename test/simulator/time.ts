/** Where the simulated API takes its time from; both in milliseconds. */
export interface Time {
  /** From an arbitrary start; never jumps. */
  passed(): number;
  /** Epoch. */
  now(): number;
}

export const realTime: Time = { passed: () => performance.now(), now: () => Date.now() };
