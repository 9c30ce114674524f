import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import type { ClockMove } from './clock-preload.ts';
import { type RunningOperator, startOperator } from './operator.ts';
import { type Proxy, startProxy } from './proxy.ts';
import type { SceneOptions } from './scene.ts';

interface StartOptions {
  readonly flags?: readonly string[];
  readonly until?: string;
  /** Absent: the scene's. */
  readonly apiUrl?: string;
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

/** The operators of a scene, and what stands between them and the world. */
export async function operatorsOf(scene: Surroundings) {
  const { namespace, flags: always = [], lease = false } = scene;
  const running: RunningOperator[] = [];
  let aheadMs = 0;
  const { server: url, ca } = controlPlane;
  const kube = scene.kube && (await startProxy({ url, ca }, scene.kube));
  const api = scene.api && (await startProxy({ url: scene.apiUrl }, scene.api));
  /** The operator that was started last. */
  const last = (): RunningOperator => {
    const operator = running.at(-1);
    if (!operator) throw new Error('no operator was started in this scene');
    return operator;
  };
  /** Epoch ms, as the operators see it. */
  const now = (): number => Date.now() + aheadMs;
  /** Moves the time of the operator started last, where it runs, and of those to come. */
  const pass = async (ms: number): Promise<void> => {
    aheadMs += ms;
    if (isAlive(last())) await jump(last(), { aheadMs });
  };
  return {
    kube: () => wanted(kube, 'kube'),
    api: () => wanted(api, 'api'),
    operator: last,
    /** Starts an operator more; resolves when it works, or has said `until`. */
    async start(more: StartOptions = {}): Promise<RunningOperator> {
      const { flags = [], until, apiUrl = api?.url ?? scene.apiUrl } = more;
      const given = [...always, ...flags];
      const unless = (flag: string, ...absent: string[]): string[] =>
        given.some((one) => one.startsWith(flag)) ? [] : absent;
      const inNamespace = '--leader-elect-namespace';
      const lead = lease
        ? ['--leader-elect', ...unless(inNamespace, inNamespace, namespace)]
        : unless('--leader-elect', '--leader-elect=false');
      const rate = unless('--api-rate', '--api-rate', '0');
      const operator = await startOperator({
        kubeconfig: kube ? await throughProxy(scene.kubeconfig, kube.url) : scene.kubeconfig,
        apiUrl,
        flags: [...unless('--namespaces', '--namespaces', namespace), ...lead, ...rate, ...given],
        ...(until !== undefined && { until }),
        preload: scene.clock ? [preloadOf(aheadMs)] : [],
      });
      running.push(operator);
      return operator;
    },
    pass,
    /** Looks until it fits; moves the time to the next attempt where the operator waits for that. */
    passUntil: <T extends Waiting | undefined>(
      what: string,
      look: () => Promise<T>,
      until: (seen: T) => boolean,
    ): Promise<T> =>
      waitFor(
        async () => {
          const seen = await look();
          const left = Date.parse(seen?.status.nextAttemptTime ?? '') - now();
          if (!until(seen) && left > SOON_MS) await pass(Math.min(left, STEP_MS));
          return seen;
        },
        { what, until, timeoutMs: 60_000 },
      ),
    /** SIGKILL for all that run: how one stops in peace is for its own tests. */
    async end(): Promise<void> {
      await Promise.all(running.filter(isAlive).map((operator) => operator.kill()));
      await Promise.all([kube?.close(), api?.close()]);
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
