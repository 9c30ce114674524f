import { getHeapStatistics } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Cancel, Clock } from './clock.ts';
import { LEAST_GROWTH, letHeapGrow } from './v8.ts';

type Collect = (options: {
  readonly type: 'major';
  readonly execution: 'sync';
  readonly flavor: 'last-resort';
}) => void;

/** Long enough not to fall between two edits of a person at work. */
const QUIET_MS = 5_000;
/**
 * A collection stops everything, for tens of milliseconds with ten thousand objects; less than this
 * is not worth it.
 */
const WORTH_BYTES = 16 * 2 ** 20;
/** A heap of more than this is that of thousands of objects. */
const LARGE_BYTES = 32 * 2 ** 20;
/**
 * To collect a large heap whenever it has grown by a fifth takes a tenth of all processor time; so
 * it may grow by this much, but not to more than double, or by a fifth where that is more. V8
 * takes the percentage of what it finds in use after its next collection, and the look that set it
 * may be 5 s old: a heap that fills faster may grow by more, up to V8's own limit.
 */
const GROWTH_BYTES = 48 * 2 ** 20;

export interface RestCollector {
  /** Something was done. Costs next to nothing. */
  active(): void;
}

/**
 * V8 collects while it allocates, so a process that has come to rest would keep the garbage of its
 * last burst for ever. This gives it back once nothing has happened for a while; at rest it holds
 * no timer. During a burst it looks at the heap now and then, and has a large one collected less
 * often.
 */
export function createRestCollector(options: {
  readonly clock: Clock;
  readonly heapBytes?: () => number;
  readonly collect?: () => void;
  readonly letGrow?: (percent: number) => void;
}): RestCollector {
  const {
    clock,
    heapBytes = usedBytes,
    collect = exposedCollect(),
    letGrow = letHeapGrow,
  } = options;
  let lastActive = 0;
  let waiting: Cancel | undefined;
  /**
   * In use after the last collection; nothing yet, so that the rest after the start is always worth
   * one.
   */
  let kept = 0;

  const look = (): void => {
    const quietMs = clock.monotonic() - lastActive;
    if (quietMs < QUIET_MS) {
      letGrow(growthOf(heapBytes()));
      waiting = clock.at(QUIET_MS - quietMs, look);
      return;
    }
    waiting = undefined;
    letGrow(LEAST_GROWTH);
    if (heapBytes() - kept < WORTH_BYTES) return;
    collect();
    kept = heapBytes();
  };

  return {
    active() {
      lastActive = clock.monotonic();
      waiting ??= clock.at(QUIET_MS, look);
    },
  };
}

/** In percent. */
function growthOf(bytes: number): number {
  if (bytes < LARGE_BYTES) return LEAST_GROWTH;
  const percent = Math.min(100, Math.round((100 * GROWTH_BYTES) / bytes));
  return Math.max(percent, LEAST_GROWTH);
}

function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/** In a process that runs with `--expose-gc`, which gives only new contexts this function. */
function exposedCollect(): () => void {
  const gc = runInNewContext('gc') as Collect;
  return () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
