/** Takes a scheduled run back; harmless after it has run. */
export type Cancel = () => void;

/**
 * Where time comes from. Everything that decides by time gets one of these, so that tests can turn
 * the hands.
 */
export interface Clock {
  /**
   * Wall clock, epoch milliseconds; may jump. Only for times that people read or that survive a
   * restart.
   */
  now(): number;
  /**
   * Milliseconds from an arbitrary start; never jumps. For waits and deadlines inside the process.
   */
  monotonic(): number;
  /** Runs `run` once, `delayMs` from now by the monotonic clock; any length of delay is safe. */
  at(delayMs: number, run: () => void): Cancel;
}

/** setTimeout overflows at 2^31 ms (24.8 days) and would then fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function schedule(delayMs: number, run: () => void): Cancel {
  let timer: NodeJS.Timeout;
  const arm = (left: number): void => {
    const step = Math.min(Math.max(left, 0), LONGEST_TIMER_MS);
    timer = setTimeout(() => (left > step ? arm(left - step) : run()), step);
  };
  arm(delayMs);
  return () => clearTimeout(timer);
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  at: schedule,
};

/** Waits `ms` by the clock, or less when one of the signals is or gets aborted. */
export async function pause(
  clock: Clock,
  ms: number,
  ...signals: readonly AbortSignal[]
): Promise<void> {
  const done = Promise.withResolvers<void>();
  const cancel = clock.at(ms, done.resolve);
  const end = (): void => done.resolve();
  for (const signal of signals) signal.addEventListener('abort', end);
  if (signals.some((signal) => signal.aborted)) end();
  await done.promise;
  cancel();
  for (const signal of signals) signal.removeEventListener('abort', end);
}

/** Waits until the promise is settled, `ms` by the clock at most; rejects where it did in time. */
export async function waitAtMost(
  clock: Clock,
  ms: number,
  promise: Promise<unknown> | undefined,
): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.at(ms, late.resolve);
  try {
    await Promise.race([promise, late.promise]);
  } finally {
    cancel();
  }
}
