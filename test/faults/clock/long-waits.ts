import { change, type Stored } from '../../support/cluster.ts';
import type { RunningOperator } from '../../support/operator.ts';
import { jumpTo, movableTime } from './clock-move.ts';

/** What comes so soon is waited for. */
const NEAR_MS = 2_000;

/** An object, as far as it tells how long it waits. */
export interface Waiting {
  readonly path: string;
  readonly nextAttemptTime: string | undefined;
}

/**
 * The time of operators whose long waits are cut short: both their clocks are moved on, one after
 * another as they run.
 */
export interface MovedTime {
  /** What each operator has to be started with; it goes on from the time of the one before. */
  preload(): string;
  /** Epoch ms, as the operator sees it. */
  now(): number;
  pass(ms: number, operator: RunningOperator): Promise<void>;
  /**
   * Moves on to the earliest of these times, where none of them is near, and wakes whose time has
   * come while its timer is late. To be called again and again: the others' times come by themselves.
   */
  passWait(waiting: readonly Waiting[], operator: RunningOperator): Promise<void>;
}

export function movedTime(): MovedTime {
  let aheadMs = 0;
  /** Times of objects whose timers ran when the clock was moved, and so are late. */
  const late = new Map<string, string | undefined>();
  const time: MovedTime = {
    preload: () => movableTime(aheadMs),
    now: () => Date.now() + aheadMs,
    async pass(ms, operator) {
      aheadMs += ms;
      await jumpTo(aheadMs, operator);
    },
    async passWait(waiting, operator) {
      const left = ({ nextAttemptTime }: Waiting): number =>
        Date.parse(nextAttemptTime ?? '') - time.now();
      // Also where an object has no time: then it is being worked on.
      if (waiting.length > 0 && waiting.every((one) => left(one) > NEAR_MS)) {
        await time.pass(Math.min(...waiting.map(left)), operator);
        for (const { path, nextAttemptTime } of waiting) late.set(path, nextAttemptTime);
      }
      const due = waiting.filter(
        (one) => left(one) <= 0 && late.get(one.path) === one.nextAttemptTime,
      );
      for (const { path } of due) late.delete(path);
      await Promise.all(due.map((one) => wake(one, time.now())));
    },
  };
  return time;
}

/** Its time has come, but no timer knows. One that has gone on since is left alone. */
async function wake({ path, nextAttemptTime }: Waiting, now: number): Promise<void> {
  const asked = { 'pipewright.dev/reconcile-requested-at': String(Math.round(now)) };
  await change(path, (stored) => {
    const { status, metadata } = stored as Stored & { readonly status?: Partial<Waiting> };
    const annotations = { ...metadata.annotations, ...asked };
    const isLate = status?.nextAttemptTime === nextAttemptTime;
    return isLate ? { ...stored, metadata: { ...metadata, annotations } } : stored;
  });
}
