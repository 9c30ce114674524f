import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const folders = new Set<string>();

/** Gives some work a folder whose path begins so, and removes it: also where a signal ends this process. */
export async function inScratch<T>(
  prefix: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(prefix);
  if (folders.size === 0) for (const signal of SIGNALS) process.on(signal, end);
  folders.add(folder);
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
    folders.delete(folder);
    if (folders.size === 0) stopListening();
  }
}

/** Without a listener the same signal ends the process, and whoever waits for it sees which. */
function end(signal: NodeJS.Signals): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  stopListening();
  process.kill(process.pid, signal);
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, end);
}
