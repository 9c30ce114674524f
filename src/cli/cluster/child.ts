import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Cancel, Clock } from '../../clock.ts';
import type { Terminal } from '../terminal.ts';
import { Stopped, signalOf, stoppedByUser, UserError } from '../user-error.ts';
import { isNoise } from './kubectl-failure.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  /** Without what has been shown while it ran. */
  readonly stderr: string;
}

/** Where kubectl runs. */
export interface Surroundings {
  readonly terminal: Pick<Terminal, 'tell'>;
  readonly clock: Clock;
  /** Aborted by Ctrl-C, or by another signal, which is its reason. */
  readonly stop: AbortSignal;
  /** Absent: kubectl of the PATH. */
  readonly program?: string;
}

/** What kubectl has said for so long, and still runs, is for somebody who has to log in. */
const SHOWN_AFTER_MS = 2_000;

/**
 * Runs kubectl to its end, or until `stop` is aborted, which ends it. Throws Stopped where it was
 * ended before that, and where the user has already ended us: an answer that was never given is not
 * taken for one.
 */
export async function runKubectl(
  args: readonly string[],
  where: Surroundings,
  input: string | undefined,
): Promise<Ran> {
  const { stop } = where;
  if (stop.aborted) throw stoppedByUser(stop);
  const child = start(args, where, input);
  const end = (): void => endNow(child, signalOf(stop));
  stop.addEventListener('abort', end, { once: true });
  try {
    const [ended, stdout, stderr] = await Promise.all([
      endOf(child, where),
      text(child.stdout),
      heard(child.stderr, where),
    ]);
    const code = codeOf(ended, args, stop);
    if (code === 0 || !stop.aborted) return { code, stdout, stderr };
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    stop.removeEventListener('abort', end);
  }
  throw stoppedByUser(stop);
}

/** A login program that kubectl has started may outlive it, with its pipes; nobody waits for it. */
function endNow(child: Child, signal: NodeJS.Signals): void {
  child.once('exit', (code) => {
    if (code === 0) return;
    child.stdout.destroy();
    child.stderr.destroy();
  });
  child.kill(signal);
}

/** Calls back with every line, until kubectl ends by itself or the signal is aborted. */
export async function followKubectl(
  args: readonly string[],
  where: Surroundings,
  options: { readonly onLine: (line: string) => void; readonly signal: AbortSignal },
): Promise<Omit<Ran, 'stdout'>> {
  const { onLine, signal } = options;
  if (signal.aborted) return { code: 0, stderr: '' };
  const child = start(args, where, undefined);
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  });
  const [end, stderr] = await Promise.all([endOf(child, where), heard(child.stderr, where)]);
  signal.removeEventListener('abort', stop);
  return { code: signal.aborted ? 0 : codeOf(end, args, where.stop), stderr };
}

/**
 * What kuberc makes a flag's default would change what is read here. A login program may ask the
 * person at the terminal.
 */
function start(args: readonly string[], { program = 'kubectl' }: Surroundings, input?: string) {
  const quiet = process.stdin.isTTY ? 'inherit' : 'pipe';
  const child = spawn(program, args, {
    stdio: [input === undefined ? quiet : 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, KUBERC: 'off' },
  });
  // kubectl that ends before it has read all of its input says why on stderr.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('a child process has no pipes');
  return Object.assign(child, { stdout, stderr });
}

type Child = ReturnType<typeof start>;

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function endOf(child: Child, { program = 'kubectl' }: Surroundings): Promise<End> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new UserError(
          error.code === 'ENOENT'
            ? `${program} is not on the PATH; install it (https://kubernetes.io/docs/tasks/tools) or add its folder to PATH`
            : `${program} could not be started: ${error.message}`,
        ),
      ),
    );
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
}

function codeOf({ code, signal }: End, args: readonly string[], stop: AbortSignal): number {
  if (signal === 'SIGINT') throw stoppedByUser(stop);
  if (signal !== null)
    throw new Stopped(signal, `kubectl ${args.join(' ')} was ended by ${signal}; try again`);
  return code ?? 1;
}

/** All that comes, without what stood there for so long that it was shown. */
async function heard(
  stream: NodeJS.ReadableStream,
  { terminal, clock }: Surroundings,
): Promise<string> {
  let unshown = '';
  let cancel: Cancel = () => undefined;
  const show = (): void => {
    for (const line of unshown.split('\n'))
      if (line.trim() !== '' && !isNoise(line)) terminal.tell(line);
    unshown = '';
  };
  stream.setEncoding('utf8');
  try {
    for await (const chunk of stream) {
      unshown += String(chunk);
      cancel();
      cancel = clock.at(SHOWN_AFTER_MS, show);
    }
  } finally {
    cancel();
  }
  return unshown;
}
