import type { Clock } from '../clock.ts';

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
