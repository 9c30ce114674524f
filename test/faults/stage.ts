import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controlPlane } from '../controlplane/client.ts';
import { requestToken } from '../controlplane/identity.ts';
import { allow, operatorRules } from '../support/cluster.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import { openScene, type Scene, type SceneOptions } from '../support/scene.ts';
import { diversion } from './leader/diversion.ts';
import { type Handlers, type Proxy, startProxy } from './proxy.ts';

export interface StageOptions extends Omit<SceneOptions, 'start' | 'apiUrl'> {
  /**
   * What happens between the operator and Kubernetes, from its start on; absent: everything passes.
   */
  readonly kube?: Handlers;
  /** The same between the operator and the management API. */
  readonly api?: Handlers;
  /** Its operators may work with a Lease in its namespace. */
  readonly lease?: boolean;
}

/** What the operator needs for its Lease, in addition to what it may do in every namespace. */
const LEASES = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['get', 'create', 'update'],
};

/**
 * A scene whose operators, real processes, reach Kubernetes and the management API through proxies
 * only.
 */
export interface Stage extends Omit<Scene, 'start' | 'operator' | 'kubeconfig'> {
  readonly kube: Proxy;
  readonly api: Proxy;
  /**
   * Starts an operator more, beside those that run; resolves when it works, or has said `until`.
   */
  start(more?: {
    readonly flags?: readonly string[];
    readonly until?: string;
    /** Its way to Kubernetes; absent: `kube`. */
    readonly by?: Proxy;
    /**
     * Its own way to the management API, under the address of `api` as it sees it; absent: `api`.
     */
    readonly to?: Proxy;
    readonly preload?: readonly string[];
    /** Absent: dist/pipewright.js. */
    readonly bundle?: string | undefined;
  }): Promise<RunningOperator>;
  /**
   * Another way to the API server, with the same rights, for an operator that is to be cut off
   * alone.
   */
  wayToKube(handlers?: Handlers): Promise<Proxy>;
  /** Another way to the management API, to tell the calls of one operator from those of another. */
  wayToApi(handlers?: Handlers): Promise<Proxy>;
}

/** Opens one; nothing runs yet. */
export async function openStage({
  kube: kubeHandlers,
  api: apiHandlers,
  lease = false,
  ...options
}: StageOptions = {}): Promise<Stage> {
  const { flags = [], logLevel } = options;
  const scene = await openScene({ ...options, start: false });
  const { namespace, simulator } = scene;
  if (lease) await allow(namespace, 'operator', [...(await operatorRules()), LEASES]);
  const { server, ca, admin } = controlPlane;
  const wayToKube = (handlers: Handlers = {}): Promise<Proxy> =>
    startProxy({ upstream: server, ca, ...handlers });
  const wayToApi = (handlers: Handlers = {}): Promise<Proxy> =>
    startProxy({ upstream: simulator.url, ...handlers });
  const [kube, api, token] = await Promise.all([
    wayToKube(kubeHandlers),
    wayToApi(apiHandlers),
    requestToken(admin, { namespace, name: 'operator' }),
  ]);
  const ways: Proxy[] = [kube, api];
  const running: RunningOperator[] = [];

  return {
    ...scene,
    kube,
    api,
    async start({ flags: more = [], until, by = kube, to = api, preload = [], bundle } = {}) {
      const given = [...flags, ...more];
      const rate = given.some((flag) => flag.startsWith('--api-rate')) ? [] : ['--api-rate', '0'];
      const lead = given.some((flag) => flag.startsWith('--leader-elect'))
        ? []
        : ['--leader-elect=false'];
      const operator = await startOperator({
        kubeconfig: await plainKubeconfig(by.url, token),
        apiUrl: api.url,
        flags: ['--namespaces', namespace, ...lead, ...rate, ...given],
        ...(logLevel !== undefined && { logLevel }),
        ...(until !== undefined && { until }),
        preload: to === api ? preload : [...preload, diversion({ from: api.url, to: to.url })],
        ...(bundle !== undefined && { bundle }),
      });
      running.push(operator);
      return operator;
    },
    async wayToKube(handlers) {
      const way = await wayToKube(handlers);
      ways.push(way);
      return way;
    },
    async wayToApi(handlers) {
      const way = await wayToApi(handlers);
      ways.push(way);
      return way;
    },
    async end() {
      await Promise.all(running.map((operator) => operator.kill()));
      await Promise.all(ways.map((proxy) => proxy.close()));
      await scene.end();
    },
  };
}

/** For a server without TLS, which has to be asked for as if its certificate were not checked. */
async function plainKubeconfig(server: string, token: string): Promise<string> {
  const file = join(controlPlane.folder, 'users', randomUUID());
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'operator', user: { token } }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'operator' } }],
    'current-context': 'proxy',
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}
