import type { Clock } from '../../clock.ts';

/**
 * Ends a call that has been silent, or at work, for too long, or that the caller no longer wants.
 */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Why the signal was raised; undefined: it was not. */
  readonly cause: 'timeout' | 'caller' | undefined;
  readonly lengthMs: number;
  /** Settles as the promise does, or rejects when the signal is raised before. */
  race<T>(promise: Promise<T>): Promise<T>;
  /** Starts the whole time again, from now; with `afterMs`, another length of it. */
  extend(afterMs?: number): void;
  /** Leaves no timer and no listener behind. */
  end(): void;
}

export function startDeadline(
  clock: Clock,
  afterMs: number,
  caller: AbortSignal | undefined,
): Deadline {
  const controller = new AbortController();
  /** Listeners of the signal would do the same in twice the time, and each call has several. */
  const racing = new Set<(reason: unknown) => void>();
  let cause: Deadline['cause'];
  let length = afterMs;
  let since = clock.monotonic();

  const raise = (why: 'timeout' | 'caller'): void => {
    cause ??= why;
    controller.abort();
    for (const reject of racing) reject(controller.signal.reason as Error);
  };
  /**
   * Extending is frequent and setting timers is not free, so the timer looks at the time when it
   * rings.
   */
  const look = (): void => {
    const left = since + length - clock.monotonic();
    if (left <= 0) raise('timeout');
    else cancel = clock.at(left, look);
  };
  let cancel = clock.at(length, look);
  const giveUp = (): void => raise('caller');
  if (caller?.aborted) giveUp();
  caller?.addEventListener('abort', giveUp, { once: true });

  return {
    signal: controller.signal,
    get cause() {
      return cause;
    },
    get lengthMs() {
      return length;
    },
    race(promise) {
      return new Promise((resolve, reject) => {
        racing.add(reject);
        void promise.then(resolve, reject).finally(() => racing.delete(reject));
        // A promise that has settled already goes first.
        if (controller.signal.aborted)
          queueMicrotask(() => reject(controller.signal.reason as Error));
      });
    },
    extend(nextMs) {
      since = clock.monotonic();
      if (nextMs === undefined || nextMs === length) return;
      length = nextMs;
      cancel();
      cancel = clock.at(length, look);
    },
    end() {
      cancel();
      caller?.removeEventListener('abort', giveUp);
    },
  };
}
