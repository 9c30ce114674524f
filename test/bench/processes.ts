import { type ChildProcess, spawn } from 'node:child_process';

export interface Program {
  readonly pid: number;
  /** When it was spawned, on `performance.now()`. */
  readonly since: number;
  /**
   * Resolves when a line with this text is printed, past or to come; rejects when the program ends
   * before, or after two minutes.
   */
  says(text: string): Promise<void>;
  /** What is waited for, unless the program ends before: then it rejects with what it said. */
  outlives<T>(waitedFor: Promise<T>): Promise<T>;
  /** Throws what it said last, where it has ended. */
  mustRun(): void;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
}

const PATIENCE_MS = 120_000;
/** Of its output, what an error shows. */
const SHOWN_LINES = 20;

const running = new Set<ChildProcess>();

interface StartOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a script with this Node as a process of its own. */
export function startScript(script: string, { args = [], env }: StartOptions = {}): Program {
  return startProgram(process.execPath, { args: [script, ...args], ...(env && { env }) });
}

export function startProgram(file: string, { args = [], env }: StartOptions = {}): Program {
  const since = performance.now();
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const name = [file, ...args.slice(0, 1)].join(' ');
  running.add(child);
  const waiting = new Map<string, () => void>();
  let tail: string[] = [];
  let rest = '';
  const seen = new Set<string>();
  const read = (chunk: Buffer): void => {
    const lines = (rest + chunk.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    tail = [...tail, ...lines].slice(-SHOWN_LINES);
    for (const [text, found] of waiting) if (lines.some((line) => line.includes(text))) found();
    for (const word of WORDS) if (lines.some((line) => line.includes(word))) seen.add(word);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      running.delete(child);
      resolve();
    });
  });
  const mustRun = (): void => {
    if (!running.has(child)) throw new Error(`${name} ended:\n${tail.join('\n')}`);
  };
  return {
    pid: child.pid ?? 0,
    since,
    says: (text) =>
      new Promise((resolve, reject) => {
        if (seen.has(text)) return resolve();
        const fail = (why: string) =>
          reject(new Error(`${name} ${why} before it said ${text}:\n${tail.join('\n')}`));
        const timer = setTimeout(() => fail(`took ${PATIENCE_MS / 1000} s`), PATIENCE_MS);
        waiting.set(text, () => {
          clearTimeout(timer);
          waiting.delete(text);
          resolve();
        });
        void ended.then(() => fail('ended'));
      }),
    outlives: (waitedFor) =>
      Promise.race([
        waitedFor,
        ended.then(() => {
          throw new Error(`${name} ended:\n${tail.join('\n')}`);
        }),
      ]),
    mustRun,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** What programs are waited for to say. */
export const WORKING = '"msg":"working"';
export const READY = 'peer ready';
const WORDS = [WORKING, READY];

/** Ends every program that still runs. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}
