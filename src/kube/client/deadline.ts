import type { Clock } from '../../clock.ts';

/**
 * Ends a call that has been silent, or at work, for too long, or that the caller no longer wants.
 */
export interface Deadline {
  /** Why it is over; undefined: it is not. */
  readonly cause: 'timeout' | 'caller' | undefined;
  readonly lengthMs: number;
  /** Settles as the promise does, or rejects when it is over before. */
  race<T>(promise: Promise<T>): Promise<T>;
  /** Calls this one, and no longer the one before, when it is over; at once where it is. */
  onOver(listener: (reason: Error) => void): void;
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
  /** An AbortSignal would do the same in several times the time. */
  const racing = new Set<(reason: Error) => void>();
  let listener: ((reason: Error) => void) | undefined;
  let reason: Error | undefined;
  let cause: Deadline['cause'];
  let length = afterMs;
  let since = clock.monotonic();

  const raise = (why: 'timeout' | 'caller'): void => {
    if (reason) return;
    cause = why;
    reason = new Error(`aborted by the ${why === 'timeout' ? 'deadline' : 'caller'}`);
    for (const reject of racing) reject(reason);
    listener?.(reason);
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
        if (!reason) return;
        // A promise that has settled already goes first.
        const late = reason;
        queueMicrotask(() => reject(late));
      });
    },
    onOver(next) {
      listener = next;
      if (reason) next(reason);
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
