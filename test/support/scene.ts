import { randomUUID } from 'node:crypto';
import { newNamespace, serviceAccountKubeconfig, waitFor } from '../controlplane/client.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator, SimulatorOptions } from '../simulator/types.ts';
import {
  allow,
  asAdmin,
  change,
  createOrReplace,
  operatorRules,
  type Rule,
  type Stored,
} from './cluster.ts';
import { installCrds } from './crd.ts';
import { type RunningOperator, startOperator } from './operator.ts';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}

/**
 * A PipeSettings as the API server gives it to its users; written down apart from the operator's
 * own types.
 */
export interface Pset extends Stored {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: {
    readonly observedGeneration: number;
    readonly conditions: readonly Condition[];
    readonly attempts?: number;
    readonly nextAttemptTime?: string;
    readonly lastHandledReconcileAt?: string;
    readonly lastRequest?: {
      readonly operation: string;
      readonly requestId?: string;
      readonly httpStatus?: number;
      readonly outcome: string;
      readonly time: string;
      readonly message?: string;
    };
    readonly applied?: Readonly<Record<string, unknown>> & {
      readonly generation: number;
      readonly requestId?: string;
    };
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly [field: string]: unknown;
  };
}

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
  /** false: the test calls `start` itself. */
  readonly start?: boolean;
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
  /**
   * Creates an object or replaces its spec. Its pipe has its name, unless the spec says otherwise.
   */
  pset(name: string, spec?: Readonly<Record<string, unknown>>): Promise<void>;
  remove(name: string): Promise<void>;
  get(name: string): Promise<Pset>;
  list(): Promise<Pset[]>;
  statusOf(name: string): Promise<Pset['status']>;
  /**
   * Waits until `Ready` speaks of the present generation with this reason, and gives the object.
   */
  until(name: string, reason: string, timeoutMs?: number): Promise<Pset>;
  /** Sets the one-shot annotation to a new value, and gives that. */
  request(name: string): Promise<string>;
  /** Makes a Secret with a key pair that the API knows from now on. */
  newKey(secretName: string): Promise<{ readonly id: string; readonly secret: string }>;
  /** Creates a Secret or replaces what it holds. */
  secret(name: string, data: Readonly<Record<string, string>>, type?: string): Promise<void>;
  removeSecret(name: string): Promise<void>;
  events(name: string): Promise<SeenEvent[]>;
  end(): Promise<void>;
}

const ACCOUNT = 'operator';
const GROUP = '/apis/pipewright.dev/v1alpha1/namespaces';
export const ORGANIZATION = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
export const SERVICE = '5c2f9b7e-86a1-4b6c-8f07-5d9c0a4b3e21';

let prepared: Promise<readonly Rule[]> | undefined;

/** Once for all scenes of a test file: the CRDs, and the rules that their operators get. */
function prepare(): Promise<readonly Rule[]> {
  prepared ??= Promise.all([operatorRules(), installCrds()]).then(([rules]) => rules);
  return prepared;
}

/**
 * Part of the path of every call for a pipe; ends with a slash, so that `pipe-1` is not `pipe-10`.
 */
export function pathOf(pipe: string): string {
  return `/${pipe}/`;
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
  const psets = `${GROUP}/${namespace}/pipesettings`;
  const secrets = `/api/v1/namespaces/${namespace}/secrets`;
  let running: RunningOperator | undefined;

  const scene: Scene = {
    namespace,
    simulator,
    user: `system:serviceaccount:${namespace}:${ACCOUNT}`,
    kubeconfig,
    key,
    operator() {
      if (!running) throw new Error('no operator was started in this scene');
      return running;
    },
    async start({ flags = [], until, apiUrl = options.apiUrl ?? simulator.url } = {}) {
      const given = [...(options.flags ?? []), ...flags];
      const rate = given.some((flag) => flag.startsWith('--api-rate')) ? [] : ['--api-rate', '0'];
      running = await startOperator({
        kubeconfig,
        apiUrl,
        flags: ['--namespaces', namespace, '--leader-elect=false', ...rate, ...given],
        ...(options.logLevel !== undefined && { logLevel: options.logLevel }),
        ...(until !== undefined && { until }),
      });
      return running;
    },
    pset(name, spec = {}) {
      return createOrReplace(psets, {
        apiVersion: 'pipewright.dev/v1alpha1',
        kind: 'PipeSettings',
        metadata: { name },
        spec: {
          organizationId: ORGANIZATION,
          serviceId: SERVICE,
          pipeId: name,
          credentialsSecretRef: { name: 'management-api' },
          settings: { engine_max_threads: 8 },
          ...spec,
        },
      } as { metadata: { name: string } });
    },
    async remove(name) {
      await asAdmin('DELETE', `${psets}/${name}`);
    },
    get: (name) => asAdmin('GET', `${psets}/${name}`),
    list: async () => (await asAdmin<{ items: Pset[] }>('GET', psets)).items,
    statusOf: async (name) => (await scene.get(name)).status,
    until(name, reason, timeoutMs) {
      return waitFor(() => scene.get(name), {
        what: `${name} to be ${reason}`,
        until: ({ metadata, status }) =>
          status.conditions.some(
            (one) =>
              one.type === 'Ready' &&
              one.reason === reason &&
              one.observedGeneration === metadata.generation,
          ),
        ...(timeoutMs !== undefined && { timeoutMs }),
      });
    },
    async request(name) {
      const value = randomUUID();
      await change(`${psets}/${name}`, (stored) => ({
        ...stored,
        metadata: {
          ...stored.metadata,
          annotations: {
            ...stored.metadata.annotations,
            'pipewright.dev/reconcile-requested-at': value,
          },
        },
      }));
      return value;
    },
    async newKey(secretName) {
      const pair = { id: `key-${randomUUID().slice(0, 8)}`, secret: `secret-${randomUUID()}` };
      simulator.setKey(pair.id, pair.secret);
      await scene.secret(secretName, { keyId: pair.id, keySecret: pair.secret });
      return pair;
    },
    secret(name, data, type = 'Opaque') {
      const encoded = Object.entries(data).map(([field, value]) => [
        field,
        Buffer.from(value).toString('base64'),
      ]);
      return createOrReplace(secrets, {
        metadata: { name },
        type,
        data: Object.fromEntries(encoded),
      } as { metadata: { name: string } });
    },
    async removeSecret(name) {
      await asAdmin('DELETE', `${secrets}/${name}`);
    },
    async events(name) {
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const { items } = await asAdmin<{ items: SeenEvent[] }>('GET', path);
      return items.filter(({ regarding }) => regarding.name === name);
    },
    async end() {
      await Promise.all([endOf(running), simulator.stop()]);
    },
  };
  await scene.secret('management-api', { keyId: key.id, keySecret: key.secret });
  if (options.start !== false) await scene.start();
  return scene;
}

/**
 * SIGKILL: what an operator does when it is stopped in peace is for other tests, and would cost
 * them seconds here.
 */
async function endOf(running: RunningOperator | undefined): Promise<void> {
  if (running && running.process.exitCode === null && running.process.signalCode === null)
    await running.kill();
}
