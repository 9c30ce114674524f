import type { Timeline } from './timeline.ts';

/**
 * What asks Node for its next turn gets an event on the timeline, until the function it returns is
 * called: the libraries do so now and then, and the timeline runs many events in one turn.
 */
export function takeImmediates(timeline: Timeline): () => void {
  const real = globalThis.setImmediate;
  const taken = (run: (...given: unknown[]) => void, ...given: unknown[]): void =>
    void timeline.at(0, () => run(...given));
  Object.assign(globalThis, { setImmediate: taken });
  return () => {
    Object.assign(globalThis, { setImmediate: real });
  };
}
