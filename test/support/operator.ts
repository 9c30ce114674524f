import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { IMAGE_ENV, NODE_FLAGS } from '../dockerfile.ts';

/** One line of the operator's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The operator's bundle, running as a process of its own. */
export interface RunningOperator {
  readonly process: ChildProcess;
  readonly lines: readonly LogLine[];
  /** Everything it printed, also what is no JSON. */
  readonly output: () => string;
  /**
   * Resolves with the first line, past or to come, that fits; rejects when the process ends or the
   * time is over.
   */
  waitForLine(fits: (line: LogLine) => boolean, what: string): Promise<LogLine>;
  /** The text of /metrics, /readyz or /livez. */
  page(path: 'metrics' | 'readyz' | 'livez'): Promise<string>;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

/** A machine may have many of them to start at once, and other things to do. */
const PATIENCE_MS = 60_000;

/** Starts the bundle and waits until it works. `flags` are added to those that every test wants. */
export async function startOperator(options: {
  readonly kubeconfig: string;
  readonly apiUrl: string;
  readonly flags?: readonly string[];
  /** Absent: debug. */
  readonly logLevel?: string;
  /** Wait for this message before returning; default `working`. */
  readonly until?: string;
  /** URLs of modules that the process runs before the bundle; they have a channel to `process`. */
  readonly preload?: readonly string[];
  /** Absent: dist/pipewright.js. */
  readonly bundle?: string;
}): Promise<RunningOperator> {
  const { kubeconfig, apiUrl, flags = [], logLevel = 'debug', until = 'working' } = options;
  const { preload = [], bundle = 'dist/pipewright.js' } = options;
  const connections = [`--api-url=${apiUrl}`, `--kubeconfig=${kubeconfig}`];
  const given = [...connections, '--listen=127.0.0.1:0', `--log-level=${logLevel}`];
  const first = preload.flatMap((url) => ['--import', url]);
  const child = spawn(process.execPath, [...NODE_FLAGS, ...first, bundle, ...given, ...flags], {
    env: { ...process.env, ...IMAGE_ENV },
    stdio: ['ignore', 'pipe', 'pipe', ...(preload.length === 0 ? [] : (['ipc'] as const))],
  });
  const lines: LogLine[] = [];
  const raw: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr].filter((one) => one !== null)) {
    createInterface({ input: stream }).on('line', (text) => {
      raw.push(text);
      if (text.startsWith('{')) lines.push(JSON.parse(text) as LogLine);
      for (const look of waiting) look();
    });
  }
  // Not when it has exited: lines that it wrote before may still be on their way.
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      isOver = true;
      resolve(code);
      for (const look of waiting) look();
    });
  });

  const waitForLine: RunningOperator['waitForLine'] = (fits, what) =>
    new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        waiting.delete(look);
        end();
      };
      const fail = (why: string): void =>
        settle(() =>
          reject(new Error(`${why} before ${what}; it said:\n${raw.slice(-20).join('\n')}`)),
        );
      const timer = setTimeout(() => fail(`${PATIENCE_MS / 1000} s passed`), PATIENCE_MS);
      const look = (): void => {
        const line = lines.find(fits);
        if (line) settle(() => resolve(line));
        else if (isOver) fail('the operator ended');
      };
      waiting.add(look);
      look();
    });

  const running: RunningOperator = {
    process: child,
    lines,
    output: () => raw.join('\n'),
    waitForLine,
    async page(path) {
      const { port } = await waitForLine(({ msg }) => msg === 'started', 'it started');
      return (await fetch(`http://127.0.0.1:${String(port)}/${path}`)).text();
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
  try {
    await waitForLine(({ msg }) => msg === until, `it said "${until}"`);
  } catch (error) {
    await running.kill();
    throw error;
  }
  return running;
}
