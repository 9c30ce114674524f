import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { NODE_FLAGS } from '../dockerfile.ts';

/** The bundle running as a process of its own, which can be ended and started again. */
export interface OperatorProcess {
  /**
   * Resolves when it leads and works; rejects with the end of its log when it does not come to
   * that.
   */
  start(): Promise<void>;
  /**
   * SIGTERM, and SIGKILL where that is not enough in time; gives the exit code, null for a signal.
   */
  stop(): Promise<number | null>;
  /** Tells `listener` when it ends without having been asked to. */
  onDeath(listener: (how: string) => void): void;
  /** The end of its log. */
  lastLines(count: number): string[];
}

export interface OperatorOptions {
  readonly bundle: string;
  readonly flags: readonly string[];
  readonly logFile: string;
}

const START_MS = 60_000;
const STOP_MS = 15_000;

export function createOperatorProcess({
  bundle,
  flags,
  logFile,
}: OperatorOptions): OperatorProcess {
  let mourn = (_how: string) => {};
  let running: { readonly end: () => Promise<number | null> } | undefined;

  const lastLines = (count: number) =>
    readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-count);

  const start = () =>
    new Promise<void>((resolve, reject) => {
      // A group of its own: Ctrl-C in the terminal is for the demo, which ends it in its turn.
      const child = spawn(process.execPath, [...NODE_FLAGS, bundle, ...flags], {
        env: withoutOperatorFlags(process.env),
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      const killAtExit = () => child.kill('SIGKILL');
      process.once('exit', killAtExit);
      let asked = false;
      const end = async () => {
        asked = true;
        if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
        const closed = once(child, 'close');
        child.kill('SIGTERM');
        const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
        await closed;
        clearTimeout(kill);
        return child.exitCode;
      };
      running = { end };
      const fail = (why: string) =>
        reject(
          new Error(`The operator ${why} before it worked. Its log:\n${lastLines(10).join('\n')}`),
        );
      const late = setTimeout(() => fail(`was given ${START_MS / 1000} s, which passed`), START_MS);
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          appendFileSync(logFile, `${line}\n`);
          if (!line.includes('"msg":"working"')) return;
          clearTimeout(late);
          resolve();
        });
      }
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(late);
        process.off('exit', killAtExit);
        const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
        fail(how);
        if (!asked) mourn(how);
      });
    });

  return {
    start,
    stop: async () => (running ? running.end() : null),
    onDeath: (listener) => {
      mourn = listener;
    },
    lastLines,
  };
}

/** What the person at this machine has set for an operator of their own is not for this one. */
function withoutOperatorFlags(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('PIPEWRIGHT_')),
  );
}
