import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { waitFor } from '../controlplane/wait-for.ts';
import { IMAGE_ENV, NODE_FLAGS } from '../dockerfile.ts';

/** One line of the operator's log. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The operator's bundle, running as a process of its own. */
export type RunningOperator = Awaited<ReturnType<typeof startOperator>>;

interface OperatorOptions {
  readonly kubeconfig: string;
  readonly apiUrl: string;
  /** Beside those that every test wants; the log has all, unless another level is among them. */
  readonly flags?: readonly string[];
  /** Wait for this message before returning; default `working`. */
  readonly until?: string;
  /** URLs of modules that the process runs before the bundle; they have a channel to `process`. */
  readonly preload?: readonly string[];
}

/** A machine may have many of them to start at once, and other things to do. */
const PATIENCE_MS = 60_000;

/** Starts the bundle and waits until it works. */
export async function startOperator(options: OperatorOptions) {
  const { kubeconfig, apiUrl, flags = [], until = 'working', preload = [] } = options;
  const args = [
    ...NODE_FLAGS,
    ...preload.flatMap((url) => ['--import', url]),
    'dist/pipewright.js',
    `--api-url=${apiUrl}`,
    `--kubeconfig=${kubeconfig}`,
    '--listen=127.0.0.1:0',
    ...(flags.some((flag) => flag.startsWith('--log-level')) ? [] : ['--log-level=debug']),
    ...flags,
  ];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...IMAGE_ENV },
    stdio: ['ignore', 'pipe', 'pipe', ...(preload.length === 0 ? [] : (['ipc'] as const))],
  });
  const lines: LogLine[] = [];
  const raw: string[] = [];
  for (const stream of [child.stdout, child.stderr].filter((one) => one !== null)) {
    createInterface({ input: stream }).on('line', (text) => {
      raw.push(text);
      if (text.startsWith('{')) lines.push(JSON.parse(text) as LogLine);
    });
  }
  // Not when it has exited: lines that it wrote before may still be on their way.
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve)).finally(
    () => (isOver = true),
  );

  /**
   * Resolves with the first line, past or to come, that fits; rejects when the process ends or the
   * time is over.
   */
  async function waitForLine(fits: (line: LogLine) => boolean, what: string): Promise<LogLine> {
    const look = () => ({ found: lines.find(fits), isOver, said: raw.slice(-20) });
    const { found, said } = await waitFor(look, {
      what,
      until: (seen) => seen.found !== undefined || seen.isOver,
      timeoutMs: PATIENCE_MS,
    });
    if (!found) throw new Error(`It ended before ${what}; it said:\n${said.join('\n')}`);
    return found;
  }

  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await waitForLine(({ msg }) => msg === until, `it said "${until}"`);
  } catch (error) {
    await kill();
    throw error;
  }
  return {
    process: child,
    lines: lines as readonly LogLine[],
    /** Everything it printed, also what is no JSON. */
    output: () => raw.join('\n'),
    waitForLine,
    /** The text of /metrics, /readyz or /livez. */
    async page(path: 'metrics' | 'readyz' | 'livez'): Promise<string> {
      const { port } = await waitForLine(({ msg }) => msg === 'started', 'it started');
      return (await fetch(`http://127.0.0.1:${String(port)}/${path}`)).text();
    },
    /** SIGTERM, and the exit code. */
    stop(): Promise<number | null> {
      child.kill('SIGTERM');
      return ended;
    },
    /** SIGKILL. */
    kill,
  };
}
