import type { Cancel, Clock } from '../clock.ts';
import { KubeError } from './errors.ts';

/** Waits `ms` by the clock, or less when one of the signals is or gets aborted. */
export async function pause(clock: Clock, ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  const done = Promise.withResolvers<void>();
  const cancel = clock.at(ms, done.resolve);
  const unlisten = onAbort(signals, done.resolve);
  await done.promise;
  cancel();
  unlisten();
}

/**
 * One call that ends after `limitMs` by the clock, or when `stop` is aborted, even where the callee does not notice:
 * then it throws KubeError with status 0, and what the call did at the server is unknown.
 */
export async function attempt<T>(options: {
  readonly clock: Clock;
  /** For error texts: `PUT lease a/b`. */
  readonly call: string;
  readonly limitMs: number;
  readonly stop: AbortSignal;
  readonly run: (signal: AbortSignal) => Promise<T>;
}): Promise<T> {
  const { clock, call, limitMs, stop } = options;
  const giveUp = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (reason: string, body: string): void => {
    ended.reject(new KubeError({ call, status: 0, reason, body }));
    giveUp.abort();
  };
  const cancel: Cancel = clock.at(limitMs, () => end('Timeout', `no answer within ${limitMs} ms`));
  const unlisten = onAbort([stop], () => end('Aborted', ''));
  try {
    return await Promise.race([ended.promise, stop.aborted ? ended.promise : options.run(giveUp.signal)]);
  } finally {
    cancel();
    unlisten();
  }
}

/** Runs `run` at the first abort, at once where it is past; the result takes it back. */
function onAbort(signals: readonly AbortSignal[], run: () => void): Cancel {
  if (signals.some((signal) => signal.aborted)) run();
  for (const signal of signals) signal.addEventListener('abort', run);
  return () => {
    for (const signal of signals) signal.removeEventListener('abort', run);
  };
}
