import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { installManifest } from '../../deploy/install-manifest.ts';
import { applyYaml, controlPlane, getJson, waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { someoneElse } from '../simulator/someone-else.ts';
import { change } from '../support/cluster.ts';
import { startOperator } from '../support/operator.ts';
import { endpoint, inventoryOf, list } from '../support/organizations.ts';
import { pageBlocks } from '../support/page.ts';
import { installPolicies, type Policies } from '../support/policies.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { type Walk, walk } from '../support/walk.ts';

const WRITERS = 'pipewright-status-writers';
const OURS = ['psc-ours-1', 'psc-ours-2'].map((id) => endpoint(id, { description: `for ${id}` }));
const THEIRS = endpoint('psc-theirs');

let scene: Scene;
let policies: Policies;
let guide: Walk;
let other: ControlPlane;
beforeAll(async () => {
  const starting = startControlPlane();
  scene = await openScene();
  other = await starting;
  await other.kubectl(['apply', '--server-side', '-f', 'crds']);
  const { namespace, user, simulator, orgs, psets, acts } = scene;
  policies = await installPolicies({
    namespaces: [namespace],
    only: [WRITERS],
    variables: { [WRITERS]: { writers: `['${user}']` } },
  });
  guide = await walk(pageBlocks('deploy/guides/backup.md'), {
    here: {
      'system:serviceaccount:pipewright:pipewright': user,
      [WRITERS]: policies.named(WRITERS),
      ' -n pipewright': ` -n ${namespace}`,
      ingest: namespace,
      'replace-with-your-key-id': scene.key.id,
      'replace-with-your-key-secret': scene.key.secret,
    },
    kubeconfig: await kubeconfigOfBoth(),
  });
  await applyYaml(await installed(), namespace);
  simulator.setOrganization(ORGANIZATION, { add: [THEIRS, endpoint('psc-nobodys')] });
  await orgs.create('acme', {
    privateEndpoints: [...OURS, THEIRS],
    deletionPolicy: 'RemovePrivateEndpoints',
  });
  await psets.create('orders');
  await psets.create('resting', { suspend: true });
  await psets.create('draft', { mode: 'Plan' });
  acts.record('who');
  await acts.create('who');
  await acts.until('who', 'Fetched');
  await Promise.all([orgs.until('acme', 'Applied'), psets.until('orders', 'Applied')]);
  await Promise.all([psets.until('resting', 'Suspended'), psets.until('draft', 'Planned')]);
});
afterAll(async () => {
  await policies.remove();
  await other.stop();
  await scene.end();
});

/** With the contexts `old`, which is the one in use, and `new`. */
async function kubeconfigOfBoth(): Promise<string> {
  const file = join(other.folder, 'both');
  const clusters = { old: controlPlane.adminKubeconfig, new: other.adminKubeconfig };
  const parts = Object.entries(clusters).map(async ([name, path]) => {
    const config = parse(await readFile(path, 'utf8')) as KubeConfig;
    return {
      clusters: [{ ...config.clusters[0], name }],
      users: [{ ...config.users[0], name }],
      contexts: [{ name, context: { cluster: name, user: name } }],
    };
  });
  const [one, two] = await Promise.all(parts);
  const all = { apiVersion: 'v1', kind: 'Config', 'current-context': 'old' };
  const merged = ['clusters', 'users', 'contexts'] as const;
  const lists = merged.map((field) => [field, [...(one?.[field] ?? []), ...(two?.[field] ?? [])]]);
  await writeFile(file, JSON.stringify({ ...all, ...Object.fromEntries(lists) }));
  return file;
}

interface KubeConfig {
  readonly clusters: readonly object[];
  readonly users: readonly object[];
}

/** The operator's and its flags, as they are installed; only `obey` runs what they say. */
async function installed(): Promise<string> {
  const manifests = parseAllDocuments(await installManifest());
  const found = manifests.find((one) => one.get('kind') === 'Deployment');
  if (!found) throw new Error('install.yaml holds no Deployment');
  found.deleteIn(['metadata', 'namespace']);
  const flags = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'pipewright-flags' },
    data: { PIPEWRIGHT_API_URL: scene.simulator.url },
  };
  return `${found.toString()}---\n${stringify(flags)}`;
}

interface Deployment {
  readonly spec: { readonly replicas: number };
}

interface Flags {
  readonly data: { readonly PIPEWRIGHT_PLAN_ONLY?: string };
}

/** As the controllers of a whole cluster would, once the Deployment and its flags say this. */
async function obey(wanted: {
  readonly replicas: number;
  readonly planOnly?: string;
}): Promise<void> {
  const get = <T>(what: string): Promise<T> => getJson<T>([what, '-n', scene.namespace]);
  await waitFor(
    async () => ({
      deployment: await get<Deployment>('deployment/pipewright'),
      flags: await get<Flags>('configmap/pipewright-flags'),
    }),
    {
      what: `the Deployment to want ${JSON.stringify(wanted)}`,
      until: ({ deployment, flags }) =>
        deployment.spec.replicas === wanted.replicas &&
        flags.data.PIPEWRIGHT_PLAN_ONLY === wanted.planOnly,
    },
  );
  await scene.operator().stop();
  if (wanted.replicas > 0)
    await scene.start({ flags: wanted.planOnly === 'true' ? ['--plan-only'] : [] });
}

/** With an etcd that is lost, all are gone at once, and no operator sees it. */
async function lose(): Promise<void> {
  await change(scene.orgs.pathTo('acme'), (stored) => ({
    ...stored,
    metadata: { ...stored.metadata, finalizers: [] },
  }));
  const psets = ['orders', 'resting', 'draft'].map((name) => scene.psets.remove(name));
  await Promise.all([...psets, scene.orgs.remove('acme'), scene.acts.remove('who')]);
  await scene.orgs.untilGone('acme');
}

/** The policy on status in the other cluster, in force. */
async function guardStatusThere(): Promise<void> {
  const shipped = await readFile('deploy/policies/status-writers.yaml', 'utf8');
  const probe = {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'Activity',
    metadata: { name: 'probe', namespace: 'default' },
    spec: { organizationId: 'o', activityId: 'a', credentialsSecretRef: { name: 'none' } },
  };
  await other.kubectl(['apply', '-f', '-'], JSON.stringify(probe));
  await other.kubectl(['apply', '-f', '-'], shipped.replaceAll(WRITERS, policies.named(WRITERS)));
  await untilStatusThereIs('refused');
}

/** As the administrator writes it. */
async function untilStatusThereIs(wanted: 'refused' | 'taken'): Promise<void> {
  const probe = ['activities.pipewright.dev/probe', '-n', 'default', '--subresource=status'];
  const status = JSON.stringify({ status: { lastHandledReconcileAt: '1' } });
  await waitFor(
    () => other.kubectl(['patch', ...probe, '--type=merge', '-p', status, '--dry-run=server']),
    {
      what: `a status in the other cluster to be ${wanted}`,
      until: ({ code, stderr }) =>
        wanted === 'taken' ? code === 0 : stderr.includes('may write the status'),
    },
  );
}

/** The spec of an object in the other cluster. */
async function specThere(object: string): Promise<unknown> {
  const { stdout } = await other.kubectl(['get', object, '-n', scene.namespace, '-o', 'json']);
  return (JSON.parse(stdout) as { spec: unknown }).spec;
}

test('restored with their status, objects are as they were, and nothing is sent unseen', async () => {
  const { simulator, orgs, acts } = scene;
  const others = someoneElse(simulator, { organizationId: ORGANIZATION });
  await guide.section('Back up');
  const before = await orgs.get('acme');
  await guide.section('Before a restore');
  await Promise.all([obey({ replicas: 0 }), policies.inForce()]);
  await lose();
  await others.add(endpoint('psc-late'));
  const calls = simulator.callCount();
  await guide.section('Restore with status');
  await Promise.all([
    guide.section('Look before it acts'),
    obey({ replicas: 1, planOnly: 'true' }),
  ]);
  expect(simulator.callCount()).toBe(calls);
  simulator.next({ status: 500 }, { match: { method: 'PATCH' } });
  await Promise.all([guide.section('Let it act'), obey({ replicas: 1 })]);
  expect(inventoryOf(await orgs.get('acme'))).toEqual(inventoryOf(before));
  expect((await orgs.get('acme')).metadata.finalizers).toEqual(before.metadata.finalizers);
  expect(orgs.said()).toEqual(['look', '+psc-ours-1+psc-ours-2', 'look', 'look']);
  expect(acts.calls('who')).toHaveLength(1);
  // Once when it was made; and again, as the page says, for the look before.
  expect(simulator.calls().filter(({ method }) => method === 'PUT')).toHaveLength(2);
});

test('restored without it, endpoints are found, adopted, and all are still there', async () => {
  const { simulator, orgs } = scene;
  const held = structuredClone(orgs.held());
  const said = orgs.said().length;
  await scene.operator().stop();
  await lose();
  await scene.start();
  simulator.play({ latencyMs: 200 });
  await guide.section('Restore without status');
  expect(orgs.held()).toEqual(held);
  expect((await orgs.get('acme')).spec['privateEndpoints']).toEqual(OURS);
  expect(new Set(orgs.said().slice(said))).toEqual(new Set(['look']));
});

test('moved to another cluster, the old one sends nothing more, and the new one owns what it did', async () => {
  const { simulator, orgs, namespace } = scene;
  const others = someoneElse(simulator, { organizationId: ORGANIZATION });
  const held = structuredClone(orgs.held());
  const said = orgs.said().length;
  const calls = simulator.callCount({ keyId: scene.key.id });
  await guardStatusThere();
  await guide.section('Prepare the new cluster');
  await untilStatusThereIs('taken');
  const operator = await startOperator({
    kubeconfig: other.adminKubeconfig,
    apiUrl: simulator.url,
    flags: ['--namespaces', namespace, '--leader-elect=false', '--api-rate', '0'],
  });
  onTestFinished(() => operator.kill());
  await guide.section('Suspend the old one');
  await guide.section('Copy');
  await scene.operator().kill();
  await scene.start();
  await others.add(endpoint('psc-later'));
  await guide.section('Verify');
  // One look for the policy, which is set before it is suspended.
  expect(simulator.callCount({ keyId: scene.key.id })).toBe(calls + 1);
  simulator.next({ status: 500 });
  await guide.section('Hand over');
  expect(guide.left()).toEqual([]);
  expect(new Set(orgs.said().slice(said))).toEqual(new Set(['look']));
  expect(orgs.ids()).toEqual([...held.privateEndpoints.map(({ id }) => id), 'psc-later']);
  expect(await orgs.list()).toEqual([]);
  expect(await specThere('pipesettings.pipewright.dev/resting')).toHaveProperty('suspend', true);
  expect(await specThere('organizations.pipewright.dev/acme')).toHaveProperty(
    'deletionPolicy',
    'RemovePrivateEndpoints',
  );

  const unlisted = JSON.stringify({ spec: list('psc-ours-1') });
  const acme = ['organizations.pipewright.dev/acme', '-n', namespace];
  await other.kubectl(['patch', ...acme, '--type=merge', '-p', unlisted]);
  await waitFor(() => orgs.ids(), {
    what: 'what is un-listed in the new cluster to go',
    until: (ids) => !ids.includes('psc-ours-2'),
  });
  expect(orgs.ids()).toEqual(expect.arrayContaining(['psc-ours-1', 'psc-theirs', 'psc-nobodys']));
});
