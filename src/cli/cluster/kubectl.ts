import { readFile } from 'node:fs/promises';
import { UserError } from '../user-error.ts';
import { followKubectl, type Ran, runKubectl, type Surroundings } from './child.ts';
import { type Failure, failureOf } from './kubectl-failure.ts';
import { withOneLogin } from './one-login.ts';

/** The flags that kubectl itself takes, passed on to it. */
export interface ConnectionFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
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
  /**
   * Runs kubectl with the connection flags; gives what it printed, whatever its exit code. Throws
   * Stopped, as all that follow do, where it was ended before it had one.
   */
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

export function createKubectl(flags: ConnectionFlags, where: Surroundings): Kubectl {
  const connection = [
    ...(flags.kubeconfig === undefined ? [] : [`--kubeconfig=${flags.kubeconfig}`]),
    ...(flags.context === undefined ? [] : [`--context=${flags.context}`]),
  ];
  const run = withOneLogin(
    (args, input) => runKubectl([...args, ...connection], where, input),
    process.stderr.isTTY,
  );
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
      const { code, stderr } = await followKubectl(args, where, { onLine, signal });
      if (code !== 0) throw new KubectlError(failureOf(stderr, args));
    },
    async currentNamespace() {
      const path = 'jsonpath={.contexts[0].context.namespace}';
      const args = ['config', 'view', '--minify', '-o', path];
      const { code, stdout, stderr } = await run(args);
      if (code === 0) return stdout.trim() || 'default';
      if (!stderr.includes('current-context must exist'))
        throw new KubectlError(failureOf(stderr, args));
      return namespaceOfPod();
    },
  };
}

const POD_NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** Without a context kubectl is, in a Pod, the Pod's ServiceAccount. */
async function namespaceOfPod({ env } = process): Promise<string> {
  if (env['KUBERNETES_SERVICE_HOST'] === undefined) return 'default';
  const named =
    env['POD_NAMESPACE'] ?? (await readFile(POD_NAMESPACE_FILE, 'utf8').catch(() => ''));
  return named.trim() || 'default';
}

function isAbsence(error: unknown): boolean {
  return error instanceof KubectlError && /^(NotFound|NoSuchKind)$/.test(error.failure.reason);
}

/** A right is missing: what else may be read goes on. */
export function isForbidden(error: unknown): error is KubectlError {
  return error instanceof KubectlError && error.failure.reason === 'Forbidden';
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
