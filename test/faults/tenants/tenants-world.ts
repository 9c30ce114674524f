import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import { controlPlane, newNamespace, serviceAccountKubeconfig } from '../../controlplane/client.ts';
import { requestToken } from '../../controlplane/identity.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import type { Simulator } from '../../simulator/types.ts';
import { allow, operatorRules } from '../../support/cluster.ts';
import { ensureCrds } from '../../support/crd.ts';
import { type RunningOperator, startOperator } from '../../support/operator.ts';
import { SERVICE } from '../../support/scene-objects.ts';

export const KINDS = ['pipesettings', 'organizations', 'activities'] as const;
export type Plural = (typeof KINDS)[number];

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** One who owns a namespace: its objects and Secrets, and nothing of the operator or of others. */
export interface Tenant {
  readonly namespace: string;
  /** The one organization that its keys may reach; the API answers 404 for all others. */
  readonly organization: string;
  readonly key: { readonly id: string; readonly secret: string };
  /** Another good key of its own, whose every call the API leaves hanging for a while. */
  readonly slowKey: { readonly id: string; readonly secret: string };
  /** One request to the API server with the rights of the tenant. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates an object of its own, or puts it in the place of the one that is there. */
  put(plural: Plural, name: string, spec: object): Promise<Answer>;
  secret(name: string, data: Readonly<Record<string, string>>): Promise<Answer>;
  remove(plural: Plural, name: string): Promise<Answer>;
}

export interface World {
  readonly tenants: readonly [Tenant, Tenant];
  readonly simulator: Simulator;
  readonly operator: RunningOperator;
  /** Of its probes and metrics. */
  readonly port: number;
  end(): Promise<void>;
}

/** Calls of one key in a second. */
const RATE = 10;
const HANGS_MS = 2_000;

const RIGHTS = [
  {
    apiGroups: ['pipewright.dev'],
    resources: [...KINDS],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  },
  {
    apiGroups: [''],
    resources: ['secrets', 'configmaps'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  },
];

const KIND_OF: Readonly<Record<Plural, string>> = {
  pipesettings: 'PipeSettings',
  organizations: 'Organization',
  activities: 'Activity',
};

export function pathOf(namespace: string, plural: Plural, name = ''): string {
  return `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${plural}/${name}`.replace(
    /\/$/,
    '',
  );
}

/** Two tenants who know all names of each other, and one operator for both. */
export async function openWorld(): Promise<World> {
  const [rules] = await Promise.all([operatorRules(), ensureCrds()]);
  const simulator = await startSimulator({ keys: {}, organization: {}, latencyMs: 5 });
  const pools: Pool[] = [];
  const newTenant = async (): Promise<Tenant> => {
    const namespace = await newNamespace();
    await serviceAccountKubeconfig(namespace, 'tenant');
    await allow(namespace, 'tenant', RIGHTS);
    const token = await requestToken(controlPlane.admin, { namespace, name: 'tenant' });
    const pool = new Pool(controlPlane.server, {
      connections: 8,
      connect: { ca: controlPlane.ca },
    });
    pools.push(pool);
    const organization = randomUUID();
    const newKey = (kind: string) => {
      const key = { id: `${kind}-id-${randomUUID()}`, secret: `${kind}-secret-${randomUUID()}` };
      simulator.setKey(key.id, key.secret, { organizations: [organization] });
      return key;
    };
    const tenant = { namespace, organization, key: newKey('key'), slowKey: newKey('slow') };
    simulator.always({ slowMs: HANGS_MS }, { keyId: tenant.slowKey.id });
    simulator.setOrganization(organization, { name: 'before' });
    return { ...tenant, ...requests(namespace, pool, token) };
  };
  const tenants = [await newTenant(), await newTenant()] as const;
  const [home] = tenants;
  const kubeconfig = await serviceAccountKubeconfig(home.namespace, 'operator');
  for (const { namespace } of tenants)
    await allow(namespace, 'operator', rules, { from: home.namespace });
  for (const tenant of tenants)
    for (const [name, key] of [['key', tenant.key] as const, ['slow', tenant.slowKey] as const])
      await tenant.secret(name, { keyId: key.id, keySecret: key.secret });
  const operator = await startOperator({
    kubeconfig,
    apiUrl: simulator.url,
    logLevel: 'debug',
    flags: [
      '--namespaces',
      tenants.map(({ namespace }) => namespace).join(','),
      '--leader-elect=false',
      '--api-rate',
      `${RATE}/1s`,
    ],
  });
  const started = await operator.waitForLine(({ msg }) => msg === 'started', 'its start');
  return {
    tenants,
    simulator,
    operator,
    port: Number(started['port']),
    async end() {
      await operator.kill();
      await Promise.all([simulator.stop(), ...pools.map((pool) => pool.close())]);
    },
  };
}

function requests(
  namespace: string,
  pool: Pool,
  token: string,
): Pick<Tenant, 'ask' | 'put' | 'secret' | 'remove'> {
  const ask: Tenant['ask'] = async (method, path, body) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  };
  /** Of two that write at once, one tries again. */
  const write = async (collection: string, name: string, object: object): Promise<Answer> => {
    const created = await ask('POST', collection, object);
    if (created.status !== 409) return created;
    const patched = await ask('PATCH', `${collection}/${name}`, object);
    return patched.status === 404 ? write(collection, name, object) : patched;
  };
  return {
    ask,
    put: (plural, name, spec) =>
      write(pathOf(namespace, plural), name, {
        apiVersion: 'pipewright.dev/v1alpha1',
        kind: KIND_OF[plural],
        metadata: { name },
        spec,
      }),
    secret: (name, data) =>
      write(`/api/v1/namespaces/${namespace}/secrets`, name, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        stringData: data,
      }),
    remove: (plural, name) => ask('DELETE', pathOf(namespace, plural, name)),
  };
}

/** What a PipeSettings says of a pipe of this organization. */
export function pipeSpec(organization: string, pipe: string, more: object = {}): object {
  return {
    organizationId: organization,
    serviceId: SERVICE,
    pipeId: pipe,
    credentialsSecretRef: { name: 'key' },
    settings: { streaming_max_insert_wait_ms: 500 },
    ...more,
  };
}
