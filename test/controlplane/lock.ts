import { open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Say } from './progress.ts';

const beatMs = 5_000;
const deadAfterMs = 60_000;

/**
 * Runs `work` while no other process does, waiting for its turn. The lock of a process that is
 * gone, or that has not shown signs of life for a minute (it may be on another machine), is taken
 * over.
 */
export async function withLock<T>(
  { path, say }: { readonly path: string; readonly say: Say },
  work: () => Promise<T>,
): Promise<T> {
  await acquire(path, say);
  const beat = setInterval(
    () => void utimes(path, new Date(), new Date()).catch(() => clearInterval(beat)),
    beatMs,
  );
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await rm(path, { force: true });
  }
}

async function acquire(path: string, say: Say): Promise<void> {
  for (let waited = false; !(await create(path)); waited = true) {
    const holder = await readFile(path, 'utf8').catch(() => '');
    if (await isDead(path, holder)) {
      await rm(path, { force: true });
      continue;
    }
    if (!waited)
      say(`Waiting for process ${holder.split(' ')[0]}, which is at this already (${path})`);
    await pause(500);
  }
}

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    await file.writeFile(`${process.pid} ${hostname()}`);
    await file.close();
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isDead(path: string, holder: string): Promise<boolean> {
  const changed = await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
  if (changed === undefined) return false;
  if (Date.now() - changed > deadAfterMs) return true;
  const [pid, host] = holder.split(' ');
  return host === hostname() && !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
