import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { newNamespace, serviceAccountKubeconfig } from '../controlplane/client.ts';
import type { OrganizationChange } from '../simulator/organization-types.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { SimulatorOptions } from '../simulator/types.ts';
import { activitiesOf } from './activities.ts';
import { allow, asAdmin, type Rule, shippedRules } from './cluster.ts';
import { ensureCrds } from './crd.ts';
import type { Kind } from './kinds.ts';
import { organizationsOf } from './organizations.ts';
import { psetsOf } from './pipe-settings.ts';
import type { Handlers } from './proxy.ts';
import { ORGANIZATION, objectsOf, SECRET } from './scene-objects.ts';
import { operatorsOf } from './scene-operators.ts';
import { secretsOf } from './scene-secrets.ts';

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
  /** false: the test calls `start` itself. */
  readonly start?: false;
  /** What the API has under `ORGANIZATION`. */
  readonly holds?: OrganizationChange;
  /** What happens on a proxy between the operator and Kubernetes; absent: there is none. */
  readonly kube?: Handlers;
  /** The same between the operator and the management API. */
  readonly api?: Handlers;
  /** Its operators share a Lease in its namespace. */
  readonly lease?: boolean;
  /** Time of its operators can be moved. */
  readonly clock?: boolean;
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

const ACCOUNT = 'operator';
/** What the operator needs for its Lease, in addition to what it may do in every namespace. */
export const LEASES: Rule = {
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  verbs: ['get', 'create', 'update'],
};

let prepared: Promise<readonly Rule[]> | undefined;

/** Once for all scenes of a test file: the CRDs, and the rules that their operators get. */
function prepare(): Promise<readonly Rule[]> {
  prepared ??= Promise.all([shippedRules('ClusterRole'), ensureCrds()]).then(([rules]) => rules);
  return prepared;
}

/**
 * A namespace with an operator of its own, the real bundle, that may do there what the manifests
 * allow it, and a simulated API.
 */
export async function openScene(options: SceneOptions = {}) {
  const suffix = randomUUID().slice(0, 8);
  /** In the Secret `management-api`, which every object uses that names no other. */
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
  await allow(namespace, ACCOUNT, options.lease ? [...rules, LEASES] : rules);
  /** As the audit log names it. */
  const user = `system:serviceaccount:${namespace}:${ACCOUNT}`;
  const parts = { namespace, simulator, user, key };
  const operators = await operatorsOf({ namespace, kubeconfig, apiUrl: simulator.url, ...options });
  const secrets = secretsOf(parts);
  await secrets.secret(SECRET, { keyId: key.id, keySecret: key.secret });
  if (options.holds) simulator.setOrganization(ORGANIZATION, options.holds);
  if (options.start === undefined) await operators.start();
  return {
    ...parts,
    kubeconfig,
    ...operators,
    psets: psetsOf(parts),
    orgs: organizationsOf(parts),
    acts: activitiesOf(parts),
    /** The same of any kind, without what is of one alone. */
    objects: (kind: Kind) => objectsOf(parts, kind),
    ...secrets,
    /** About the object, or all of the namespace. */
    async events(name?: string): Promise<SeenEvent[]> {
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      const { items } = await asAdmin<{ items: SeenEvent[] }>('GET', path);
      return items.filter(({ regarding }) => name === undefined || regarding.name === name);
    },
    async end(): Promise<void> {
      await operators.end();
      await simulator.stop();
    },
  };
}

/** The same, until the running test ends. */
export async function openSceneOfTest(options?: SceneOptions): Promise<Scene> {
  const scene = await openScene(options);
  onTestFinished(() => scene.end());
  return scene;
}
