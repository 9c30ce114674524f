import { rmSync } from 'node:fs';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Removes `folder` if the process ends without `stop`. With `onSignal`, a signal that would end the
 * process first runs `stop`; without it the caller's own handlers are trusted to do so. Call what
 * is returned once all is stopped.
 */
export function guardEnding(options: {
  readonly folder: string;
  readonly onSignal: boolean;
  readonly stop: () => Promise<void>;
}): () => void {
  // Synchronous: whoever calls process.exit() leaves time for nothing else. Retries, as the
  // programs are still writing.
  const atExit = () =>
    rmSync(options.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  // Stays in place until all is stopped: Ctrl-C is often pressed twice, and npm hands it on
  // besides.
  const atSignal = (signal: NodeJS.Signals) => {
    void options.stop().finally(() => process.kill(process.pid, signal));
  };
  process.once('exit', atExit);
  if (options.onSignal) for (const signal of signals) process.on(signal, atSignal);
  return () => {
    process.off('exit', atExit);
    for (const signal of signals) process.off(signal, atSignal);
  };
}
