/**
 * Timers of libraries never ring, until the function it returns is called: a life is over in a
 * moment of real time, and would be kept in memory by each that is still to ring. What the product
 * waits for, it waits for by its Clock.
 */
export function muteTimers(): () => void {
  const real = globalThis.setTimeout;
  const timer = { ref: () => timer, unref: () => timer, refresh: () => timer, hasRef: () => false };
  Object.assign(globalThis, { setTimeout: () => timer });
  return () => {
    Object.assign(globalThis, { setTimeout: real });
  };
}
