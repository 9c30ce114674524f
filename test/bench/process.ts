import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { READY } from './peer.ts';

/** One side that runs. */
export interface Running {
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** For 10,000 objects on a busy machine. */
const PATIENCE_MS = 600_000;
const ENDINGS = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'];

/** Asks every few milliseconds until there is an answer; throws when that takes ten minutes. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  everyMs = 5,
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await pause(everyMs);
  }
  throw new Error(`${PATIENCE_MS / 1000} s passed without ${what}`);
}

/** Gives what ends a child in order; it ends with the bench in any case. */
export function keep(child: ChildProcess): Running {
  const kill = (): boolean => child.kill('SIGKILL');
  for (const event of ENDINGS) process.once(event, kill);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      for (const event of ENDINGS) process.off(event, kill);
      resolve();
    });
  });
  return {
    pid: child.pid ?? 0,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Starts a peer, which is there once it has printed `READY`. */
export async function startPeer(
  [file, ...args]: readonly [string, ...string[]],
  options: object,
): Promise<Running> {
  const env = { ...process.env, PEER_OPTIONS: JSON.stringify(options) };
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const program = keep(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until(`"${READY}" from ${file}`, () => {
    if (child.exitCode !== null) throw new Error(`${file} ${args.join(' ')} ended:\n${output}`);
    return output.includes(READY) || undefined;
  });
  return program;
}

/** Resident memory, in MB: now, and the most there was. */
export async function memoryOf({ pid }: Running): Promise<{ now: number; peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
