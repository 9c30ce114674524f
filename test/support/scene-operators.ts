import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import type { ClockMove } from './clock-preload.ts';
import { type RunningOperator, startOperator } from './operator.ts';
import { type Handlers, type Proxy, startProxy } from './proxy.ts';
import type { SceneOptions } from './scene.ts';

export interface StartOptions {
  readonly flags?: readonly string[];
  readonly until?: string;
  /** Absent: the scene's. */
  readonly apiUrl?: string;
  /** Its own way to Kubernetes; absent: the scene's. */
  readonly by?: Proxy;
}

/** The operators of a scene, and what stands between them and the world. */
export interface Operators {
  /** The proxies of a scene that was opened with them; they throw where it was not. */
  kube(): Proxy;
  api(): Proxy;
  /** The operator that was started last; throws where none was. */
  operator(): RunningOperator;
  /** Starts an operator more; resolves when it works, or has said `until`. */
  start(more?: StartOptions): Promise<RunningOperator>;
  /** Another way to Kubernetes, for an operator that is to be cut off alone. */
  wayToKube(handlers?: Handlers): Promise<Proxy>;
  /** Epoch ms, as the operators see it. */
  now(): number;
  /** Moves the time of the operator started last, where it runs, and of those to come. */
  pass(ms: number): Promise<void>;
  /**
   * Looks until it fits, and moves the time to the next attempt where the operator waits for that.
   */
  passUntil<T extends Waiting | undefined>(
    what: string,
    look: () => Promise<T>,
    fits: (seen: T) => boolean,
  ): Promise<T>;
  /** SIGKILL for all that run: how one stops in peace is for its own tests. */
  end(): Promise<void>;
}

/** An object, as far as it tells how long it waits. */
interface Waiting {
  readonly status: { readonly nextAttemptTime?: string };
}

/** What comes so soon is waited for. */
const SOON_MS = 1_500;
/**
 * The most that time moves at once: a status that lasts for a moment, as after a conflict, may name
 * a deadline that is a day away.
 */
const STEP_MS = 600_000;

interface Surroundings extends Omit<SceneOptions, 'start'> {
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly apiUrl: string;
}

export async function operatorsOf(scene: Surroundings): Promise<Operators> {
  const { namespace, flags: always = [], lease = false, logLevel } = scene;
  const running: RunningOperator[] = [];
  const proxies: Proxy[] = [];
  let aheadMs = 0;
  const wayToKube = async (handlers?: Handlers): Promise<Proxy> => {
    const { server: url, ca } = controlPlane;
    const proxy = await startProxy({ url, ca }, handlers);
    proxies.push(proxy);
    return proxy;
  };
  const kube = scene.kube && (await wayToKube(scene.kube));
  const api = scene.api && (await startProxy({ url: scene.apiUrl }, scene.api));
  if (api) proxies.push(api);
  const last = (): RunningOperator => {
    const operator = running.at(-1);
    if (!operator) throw new Error('no operator was started in this scene');
    return operator;
  };
  const now = (): number => Date.now() + aheadMs;
  const pass = async (ms: number): Promise<void> => {
    aheadMs += ms;
    if (isAlive(last())) await jump(last(), { aheadMs });
  };
  return {
    kube: () => wanted(kube, 'kube'),
    api: () => wanted(api, 'api'),
    operator: last,
    async start({ flags = [], until, apiUrl = api?.url ?? scene.apiUrl, by = kube } = {}) {
      const given = [...always, ...flags];
      const unless = (flag: string, ...absent: string[]): string[] =>
        given.some((one) => one.startsWith(flag)) ? [] : absent;
      const lead = lease
        ? [
            '--leader-elect',
            ...unless('--leader-elect-namespace', '--leader-elect-namespace', namespace),
          ]
        : unless('--leader-elect', '--leader-elect=false');
      const rate = unless('--api-rate', '--api-rate', '0');
      const operator = await startOperator({
        kubeconfig: by ? await throughProxy(scene.kubeconfig, by.url) : scene.kubeconfig,
        apiUrl,
        flags: [...unless('--namespaces', '--namespaces', namespace), ...lead, ...rate, ...given],
        ...(logLevel !== undefined && { logLevel }),
        ...(until !== undefined && { until }),
        preload: scene.clock ? [preloadOf(aheadMs)] : [],
      });
      running.push(operator);
      return operator;
    },
    wayToKube,
    now,
    pass,
    passUntil: (what, look, until) =>
      waitFor(
        async () => {
          const seen = await look();
          const left = Date.parse(seen?.status.nextAttemptTime ?? '') - now();
          if (!until(seen) && left > SOON_MS) await pass(Math.min(left, STEP_MS));
          return seen;
        },
        { what, until, timeoutMs: 60_000 },
      ),
    async end() {
      await Promise.all(running.filter(isAlive).map((operator) => operator.kill()));
      await Promise.all(proxies.map((proxy) => proxy.close()));
    },
  };
}

function wanted(proxy: Proxy | undefined, name: string): Proxy {
  if (!proxy) throw new Error(`the scene was opened without "${name}"`);
  return proxy;
}

/** The same user at a server without TLS, which goes only where certificates are not checked. */
async function throughProxy(kubeconfig: string, server: string): Promise<string> {
  const config = JSON.parse(await readFile(kubeconfig, 'utf8')) as { clusters: object[] };
  const cluster = { server, 'insecure-skip-tls-verify': true };
  const clusters = config.clusters.map((one) => ({ ...one, cluster }));
  const file = join(controlPlane.folder, 'users', randomUUID());
  await writeFile(file, JSON.stringify({ ...config, clusters }), { mode: 0o600 });
  return file;
}

function preloadOf(aheadMs: number): string {
  return new URL(`./clock-preload.ts?ahead=${aheadMs}`, import.meta.url).href;
}

function isAlive({ process: { exitCode, signalCode } }: RunningOperator): boolean {
  return exitCode === null && signalCode === null;
}

/** Resolves when its time has moved. */
async function jump({ process: child }: RunningOperator, move: ClockMove): Promise<void> {
  const moved = once(child, 'message', { signal: AbortSignal.timeout(30_000) });
  child.send(move);
  await moved;
}
