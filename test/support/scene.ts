import { randomUUID } from 'node:crypto';
import { newNamespace, serviceAccountKubeconfig } from '../controlplane/client.ts';
import type { OrganizationChange } from '../simulator/organization-types.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator, SimulatorOptions } from '../simulator/types.ts';
import { type Activities, activitiesOf } from './activities.ts';
import { allow, asAdmin, createOrReplace, operatorRules, type Rule } from './cluster.ts';
import { ensureCrds } from './crd.ts';
import { type InnerOperator, type InnerOptions, startInner } from './inner-operator.ts';
import type { MovableClock } from './movable-clock.ts';
import { type RunningOperator, startOperator } from './operator.ts';
import { type Organizations, organizationsOf } from './organizations.ts';
import { type Psets, psetsOf } from './pipe-settings.ts';
import { ORGANIZATION, SECRET } from './scene-objects.ts';

/** One event about an object, of the kind that `kubectl events` shows. */
export interface SeenEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly name: string };
}

export interface SceneOptions {
  readonly simulator?: SimulatorOptions;
  /** For the operator, in addition; `--api-rate 0` unless another rate is among them. */
  readonly flags?: readonly string[];
  /** Absent: the simulator's. */
  readonly apiUrl?: string;
  readonly logLevel?: string;
  /**
   * `inner`: in the process of the test, with a clock to turn. false: the test calls `start` or
   * `startInner` itself. Absent: the bundle, in a process of its own.
   */
  readonly start?: false | 'inner';
  /** Of an inner operator; absent: one that runs in real time. */
  readonly clock?: MovableClock;
  /** What the API has under `ORGANIZATION`. */
  readonly holds?: OrganizationChange;
}

/**
 * A namespace with an operator of its own that may do there what the manifests allow it, and a
 * simulated API.
 */
export interface Scene {
  readonly namespace: string;
  readonly simulator: Simulator;
  /** The operator's user, as the audit log names it. */
  readonly user: string;
  readonly kubeconfig: string;
  /** The key in the Secret `management-api`, which every object uses that names no other. */
  readonly key: { readonly id: string; readonly secret: string };
  /** The operator that runs, or ran last; throws where none was started. */
  operator(): RunningOperator;
  /** Starts another operator; the one before should have ended. */
  start(more?: {
    readonly flags?: readonly string[];
    readonly until?: string;
    /** Absent: the scene's. */
    readonly apiUrl?: string;
  }): Promise<RunningOperator>;
  /** The inner operator that runs, or ran last; throws where none was started. */
  inner(): InnerOperator;
  /** Starts another one in this process; the one before should have ended. */
  startInner(options?: InnerOptions): Promise<InnerOperator>;
  readonly psets: Psets;
  readonly orgs: Organizations;
  readonly acts: Activities;
  /** Makes a Secret with a key pair that the API knows from now on. */
  newKey(secretName: string): Promise<{ readonly id: string; readonly secret: string }>;
  /** Creates a Secret or replaces what it holds. */
  secret(name: string, data: Readonly<Record<string, string>>, type?: string): Promise<void>;
  removeSecret(name: string): Promise<void>;
  events(name: string): Promise<SeenEvent[]>;
  end(): Promise<void>;
}

const ACCOUNT = 'operator';

let prepared: Promise<readonly Rule[]> | undefined;

/** Once for all scenes of a test file: the CRDs, and the rules that their operators get. */
function prepare(): Promise<readonly Rule[]> {
  prepared ??= Promise.all([operatorRules(), ensureCrds()]).then(([rules]) => rules);
  return prepared;
}

export async function openScene(options: SceneOptions = {}): Promise<Scene> {
  const suffix = randomUUID().slice(0, 8);
  const key = { id: `key-${suffix}`, secret: `secret-of-${suffix}` };
  const [namespace, simulator, rules] = await Promise.all([
    newNamespace(),
    startSimulator({
      ...options.simulator,
      keys: { [key.id]: key.secret, ...options.simulator?.keys },
    }),
    prepare(),
  ]);
  const kubeconfig = await serviceAccountKubeconfig(namespace, ACCOUNT);
  await allow(namespace, ACCOUNT, rules);
  const user = `system:serviceaccount:${namespace}:${ACCOUNT}`;
  const parts = { namespace, simulator, user, key };
  const { apiUrl = simulator.url } = options;
  let running: RunningOperator | undefined;
  const inner: InnerOperator[] = [];

  const scene: Scene = {
    namespace,
    simulator,
    user,
    kubeconfig,
    key,
    operator() {
      if (!running) throw new Error('no operator was started in this scene');
      return running;
    },
    async start({ flags = [], until, apiUrl: toApi = apiUrl } = {}) {
      const given = [...(options.flags ?? []), ...flags];
      const rate = given.some((flag) => flag.startsWith('--api-rate')) ? [] : ['--api-rate', '0'];
      running = await startOperator({
        kubeconfig,
        apiUrl: toApi,
        flags: ['--namespaces', namespace, '--leader-elect=false', ...rate, ...given],
        ...(options.logLevel !== undefined && { logLevel: options.logLevel }),
        ...(until !== undefined && { until }),
      });
      return running;
    },
    inner() {
      const last = inner.at(-1);
      if (!last) throw new Error('no operator was started in the process of this scene');
      return last;
    },
    async startInner(more) {
      const operator = await startInner({ namespace, kubeconfig, apiUrl }, more);
      inner.push(operator);
      return operator;
    },
    psets: psetsOf(parts),
    orgs: organizationsOf(parts),
    acts: activitiesOf(parts),
    ...secretsOf(parts),
    async events(name) {
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const { items } = await asAdmin<{ items: SeenEvent[] }>('GET', path);
      return items.filter(({ regarding }) => regarding.name === name);
    },
    async end() {
      await Promise.all(inner.map((operator) => operator.stop()));
      await Promise.all([endOf(running), simulator.stop()]);
    },
  };
  await scene.secret(SECRET, { keyId: key.id, keySecret: key.secret });
  if (options.holds) simulator.setOrganization(ORGANIZATION, options.holds);
  if (options.start === undefined) await scene.start();
  const { clock, flags } = options;
  if (options.start === 'inner')
    await scene.startInner({ ...(clock && { clock }), ...(flags && { flags }) });
  return scene;
}

function secretsOf({
  namespace,
  simulator,
}: Pick<Scene, 'namespace' | 'simulator'>): Pick<Scene, 'newKey' | 'secret' | 'removeSecret'> {
  const collection = `/api/v1/namespaces/${namespace}/secrets`;
  async function secret(
    name: string,
    data: Readonly<Record<string, string>>,
    type = 'Opaque',
  ): Promise<void> {
    const encoded = Object.entries(data).map(([field, value]) => [
      field,
      Buffer.from(value).toString('base64'),
    ]);
    const made = { metadata: { name }, type, data: Object.fromEntries(encoded) as unknown };
    await createOrReplace(collection, made);
  }
  return {
    secret,
    async newKey(secretName) {
      const pair = { id: `key-${randomUUID().slice(0, 8)}`, secret: `secret-${randomUUID()}` };
      simulator.setKey(pair.id, pair.secret);
      await secret(secretName, { keyId: pair.id, keySecret: pair.secret });
      return pair;
    },
    async removeSecret(name) {
      await asAdmin('DELETE', `${collection}/${name}`);
    },
  };
}

/**
 * SIGKILL: what an operator does when it is stopped in peace is for other tests, and would cost
 * them seconds here.
 */
async function endOf(running: RunningOperator | undefined): Promise<void> {
  if (running && running.process.exitCode === null && running.process.signalCode === null)
    await running.kill();
}
