import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';

/** A program that runs until it is stopped. */
export interface Service {
  /** What it has printed, the last 20,000 characters. */
  output(): string;
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly program: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Everything it prints goes here. */
  readonly logFile: string;
  /** When it works; asked for its output so far. */
  readonly ready: (output: string) => boolean;
  readonly signal: AbortSignal;
}

const STARTS_WITHIN_MS = 120_000;
const ENDS_WITHIN_MS = 10_000;

/**
 * Starts a program and waits until it works. Throws with the end of what it said when it ends
 * before, or takes too long.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { program, args = [], env = {}, logFile, ready, signal } = options;
  const log = createWriteStream(logFile);
  // A group of its own: Ctrl-C in the terminal is for the one who started it, who ends it in his
  // turn.
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  let said = '';
  const works = new Promise<void>((resolve) => {
    const listen = (chunk: Buffer) => {
      log.write(chunk);
      said = (said + chunk.toString()).slice(-20_000);
      if (ready(said)) resolve();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
  });
  const fail = (why: string) =>
    new Error(`${program} ${why} before it worked. It said last:\n${said.slice(-3_000)}`);
  const late = AbortSignal.any([signal, AbortSignal.timeout(STARTS_WITHIN_MS)]);
  const stop = async () => {
    child.kill('SIGTERM');
    const patience = setTimeout(kill, ENDS_WITHIN_MS);
    await ended;
    clearTimeout(patience);
    process.off('exit', kill);
    log.end();
  };
  try {
    await Promise.race([
      works,
      ended.then(() => Promise.reject(fail(`ended with ${child.exitCode}`))),
      new Promise((_, reject) =>
        late.addEventListener('abort', () => reject(fail('was given up')), { once: true }),
      ),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { output: () => said, stop };
}

/** A port of loopback that nobody listens on at the moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
