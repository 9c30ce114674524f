import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { UserError } from '../user-error.ts';
import { type Failure, failureOf } from './kubectl-failure.ts';

/** The flags that kubectl itself takes, passed on to it. */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** kubectl did not do what it was asked for. */
export class KubectlError extends UserError {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/**
 * The cluster, by the kubectl that is on the PATH: so every kubeconfig, login program and proxy
 * that works for kubectl works here, and no key of the cluster is in this process.
 */
export interface Kubectl {
  /** Runs kubectl with the connection flags; gives what it printed, whatever its exit code. */
  run(args: readonly string[], input?: string): Promise<Ran>;
  /** The same, and throws KubectlError unless the exit code is 0; gives stdout. */
  succeed(args: readonly string[], input?: string): Promise<string>;
  /** GET of an API path, parsed. Throws KubectlError. */
  get<T>(path: string): Promise<T>;
  /** The same; undefined where there is no such object, or no such kind. */
  find<T>(path: string): Promise<T | undefined>;
  /** POST of an object to an API path, parsed. Throws KubectlError. */
  post<T>(path: string, body: object): Promise<T>;
  /**
   * GET of a path that goes on, such as a watch; calls back with every line. Ends when the server
   * ends it or the signal is aborted. Throws KubectlError.
   */
  follow(path: string, onLine: (line: string) => void, signal: AbortSignal): Promise<void>;
  /** The namespace that kubectl uses where none is given. */
  currentNamespace(): Promise<string>;
}

export function createKubectl(flags: ConnectionFlags, program = 'kubectl'): Kubectl {
  const connection = [
    ...(flags.kubeconfig === undefined ? [] : [`--kubeconfig=${flags.kubeconfig}`]),
    ...(flags.context === undefined ? [] : [`--context=${flags.context}`]),
  ];
  const run = (args: readonly string[], input?: string): Promise<Ran> =>
    runProgram(program, [...args, ...connection], input);
  const succeed = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await run(args, input);
    if (code === 0) return stdout;
    throw new KubectlError(failureOf(stderr, args));
  };
  const get = async <T>(path: string): Promise<T> =>
    parsed(await succeed(['get', '--raw', path]), path) as T;
  return {
    run,
    succeed,
    get,
    async find<T>(path: string) {
      try {
        return await get<T>(path);
      } catch (error) {
        if (isAbsence(error)) return undefined;
        throw error;
      }
    },
    async post<T>(path: string, body: object) {
      const answer = await succeed(['create', '--raw', path, '-f', '-'], JSON.stringify(body));
      return parsed(answer, path) as T;
    },
    async follow(path, onLine, signal) {
      const args = ['get', '--raw', path, ...connection];
      await followProgram(program, { args, onLine, signal });
    },
    async currentNamespace() {
      const found = await succeed([
        'config',
        'view',
        '--minify',
        '-o',
        'jsonpath={.contexts[0].context.namespace}',
      ]);
      return found.trim() === '' ? 'default' : found.trim();
    },
  };
}

function isAbsence(error: unknown): boolean {
  return error instanceof KubectlError && /^(NotFound|NoSuchKind)$/.test(error.failure.reason);
}

function parsed(answer: string, path: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    throw new UserError(
      `the API server answered GET ${path} with something that is not JSON; check which server the kubeconfig names: kubectl cluster-info`,
    );
  }
}

async function runProgram(
  program: string,
  args: readonly string[],
  input: string | undefined,
): Promise<Ran> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  // kubectl that ends before it has read all of its input says why on stderr.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const ended = endOf(program, child);
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

async function followProgram(
  program: string,
  options: {
    readonly args: readonly string[];
    readonly onLine: (line: string) => void;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { args, onLine, signal } = options;
  if (signal.aborted) return;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') onLine(line);
  });
  const [code, stderr] = await Promise.all([endOf(program, child), text(child.stderr)]);
  signal.removeEventListener('abort', stop);
  if (code !== 0 && !signal.aborted) throw new KubectlError(failureOf(stderr, args));
}

function endOf(program: string, child: ReturnType<typeof spawn>): Promise<number> {
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
    child.once('close', (code) => resolve(code ?? 1));
  });
}
