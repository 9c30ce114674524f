import type { Clock } from '../../../src/clock.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';

/** A clock that stands still while anything is at work, so that hours pass exactly. */
export interface DayClock extends Clock {
  /**
   * Goes from one moment at which something is due to the next; at each waits until nothing is
   * `busy` any more.
   */
  pass(ms: number, busy: () => boolean): Promise<void>;
}

/** Turns of the event loop without work that prove that none is under way. */
const QUIET_TURNS = 3;
const PATIENCE_MS = 60_000;

export function dayClock(): DayClock {
  const fake = new FakeClock();
  const due = new Set<{ readonly at: number }>();

  async function untilIdle(busy: () => boolean): Promise<void> {
    const began = performance.now();
    for (let quiet = 0; quiet < QUIET_TURNS; ) {
      await settle();
      quiet = busy() ? 0 : quiet + 1;
      if (performance.now() - began > PATIENCE_MS)
        throw new Error(`after ${PATIENCE_MS} ms there is still work`);
    }
  }

  function earliest(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { at } of due) least = Math.min(least, at);
    return least;
  }

  return {
    now: () => fake.now(),
    monotonic: () => fake.monotonic(),
    at(delayMs, run) {
      const entry = { at: fake.monotonic() + Math.max(0, delayMs) };
      due.add(entry);
      const cancel = fake.at(delayMs, () => {
        due.delete(entry);
        run();
      });
      return () => {
        due.delete(entry);
        cancel();
      };
    },
    async pass(ms, busy) {
      const end = fake.monotonic() + ms;
      await untilIdle(busy);
      for (let next = earliest(); next <= end; next = earliest()) {
        await fake.advance(Math.max(0, next - fake.monotonic()));
        await untilIdle(busy);
      }
      await fake.advance(end - fake.monotonic());
    },
  };
}
