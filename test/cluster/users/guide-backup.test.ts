import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { controlPlane, waitFor } from '../../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../../controlplane/controlplane.ts';
import { change } from '../../support/cluster.ts';
import { GOOD, manifestOf } from '../../support/kinds.ts';
import { applyYaml, succeed } from '../../support/kubectl.ts';
import { startOperator } from '../../support/operator.ts';
import { endpoint, inventoryOf } from '../../support/organizations.ts';
import { pageBlocks } from '../../support/page.ts';
import { installPolicy, type Policy } from '../../support/policies.ts';
import { type Walk, walk } from '../../support/reader.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';

/** Backup, restore and another cluster, with the commands of the guide. */

const WRITERS = 'pipewright-status-writers';
const OURS = [endpoint('psc-ours-1'), endpoint('psc-ours-2')];

let scene: Scene;
let policy: Policy;
let guide: Walk;
let other: ControlPlane;
beforeAll(async () => {
  [scene, other] = await Promise.all([openScene(), startControlPlane()]);
  await other.kubectl(['apply', '--server-side', '-f', 'crds']);
  const { namespace, user, simulator, orgs, psets, acts } = scene;
  policy = await installPolicy(WRITERS, [namespace], { writers: `['${user}']` });
  const here = {
    'system:serviceaccount:pipewright:pipewright': user,
    [WRITERS]: policy.name,
    ' -n pipewright': ` -n ${namespace}`,
    ingest: namespace,
    'replace-with-your-key-id': scene.key.id,
    'replace-with-your-key-secret': scene.key.secret,
  };
  guide = await walk(pageBlocks('deploy/guides/backup.md'), here, await kubeconfigOfBoth());
  await applyYaml(INSTALLED, namespace);
  const theirs = endpoint('psc-theirs');
  simulator.setOrganization(ORGANIZATION, { add: [theirs, endpoint('psc-nobodys')] });
  const deletionPolicy = 'RemovePrivateEndpoints';
  await orgs.create('acme', { privateEndpoints: [...OURS, theirs], deletionPolicy });
  await psets.create('orders');
  await psets.create('resting', { suspend: true });
  await psets.create('draft', { mode: 'Plan' });
  acts.record('who');
  await acts.create('who');
  await Promise.all([orgs.until('acme', 'Applied'), psets.until('orders', 'Applied')]);
  await Promise.all([psets.until('resting', 'Suspended'), psets.until('draft', 'Planned')]);
  await acts.until('who', 'Fetched');
});
afterAll(async () => {
  await policy?.remove();
  await other?.stop();
  await scene.end();
});

/** Stands for the operator as it is installed: only `obey` runs what this says. */
const INSTALLED = `
{ apiVersion: v1, kind: ConfigMap, metadata: { name: pipewright-flags }, data: { A: b } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: pipewright }
spec:
  replicas: 1
  selector: { matchLabels: { app.kubernetes.io/name: pipewright } }
  template:
    metadata: { labels: { app.kubernetes.io/name: pipewright } }
    spec: { containers: [{ name: pipewright, image: pipewright }] }
`;

interface KubeConfig {
  readonly clusters: readonly object[];
  readonly users: readonly object[];
}

/** With the contexts `old`, which is the one in use, and `new`. */
async function kubeconfigOfBoth(): Promise<string> {
  const read = async (name: string, path: string) => {
    const { clusters, users } = parse(await readFile(path, 'utf8')) as KubeConfig;
    const context = { name, context: { cluster: name, user: name } };
    return { cluster: { ...clusters[0], name }, user: { ...users[0], name }, context };
  };
  const old = await read('old', controlPlane.adminKubeconfig);
  const fresh = await read('new', other.adminKubeconfig);
  const file = join(other.folder, 'both');
  const both = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'old',
    clusters: [old.cluster, fresh.cluster],
    users: [old.user, fresh.user],
    contexts: [old.context, fresh.context],
  };
  await writeFile(file, JSON.stringify(both));
  return file;
}

/** As the controllers of a whole cluster would, once the Deployment and its flags say this. */
async function obey(replicas: number, planOnly = ''): Promise<void> {
  const get = (what: string, path: string) =>
    succeed(['get', what, '-n', scene.namespace, '-o', `jsonpath={${path}}`]);
  const wanted = `${replicas} ${planOnly}`;
  const look = async () =>
    `${await get('deployment/pipewright', '.spec.replicas')} ${await get('configmap/pipewright-flags', '.data.PIPEWRIGHT_PLAN_ONLY')}`;
  await waitFor(look, {
    what: `the Deployment to say ${wanted}`,
    until: (said) => said === wanted,
  });
  await scene.operator().stop();
  if (replicas > 0) await scene.start({ flags: planOnly === 'true' ? ['--plan-only'] : [] });
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
  const probe = JSON.stringify(manifestOf('pact', 'probe', GOOD.pact));
  await other.kubectl(['apply', '-f', '-'], probe);
  await other.kubectl(['apply', '-f', '-'], shipped.replaceAll(WRITERS, policy.name));
  await untilStatusThereIs('refused');
}

/** As the administrator writes it. */
async function untilStatusThereIs(wanted: 'refused' | 'taken'): Promise<void> {
  const status = JSON.stringify({ status: { lastHandledReconcileAt: '1' } });
  const patch = ['patch', 'activities.pipewright.dev/probe', '--subresource=status'];
  const args = [...patch, '--type=merge', '-p', status, '--dry-run=server'];
  await waitFor(() => other.kubectl(args), {
    what: `a status in the other cluster to be ${wanted}`,
    until: ({ code, stderr }) =>
      wanted === 'taken' ? code === 0 : stderr.includes('may write the status'),
  });
}

/** The spec of an object in the other cluster. */
async function specThere(object: string): Promise<unknown> {
  const { stdout } = await other.kubectl(['get', object, '-n', scene.namespace, '-o', 'json']);
  return (JSON.parse(stdout) as { spec: unknown }).spec;
}

test('restored with their status, objects are as they were, and nothing is sent unseen', async () => {
  const { simulator, orgs, acts } = scene;
  await guide.section('Back up');
  const before = await orgs.get('acme');
  await guide.section('Before a restore');
  await Promise.all([obey(0), policy.inForce()]);
  await lose();
  simulator.setOrganization(ORGANIZATION, { add: [endpoint('psc-late')] });
  const calls = simulator.callCount();
  await guide.section('Restore with status');
  await Promise.all([guide.section('Look before it acts'), obey(1, 'true')]);
  expect(simulator.callCount()).toBe(calls);
  await Promise.all([guide.section('Let it act'), obey(1)]);
  expect(inventoryOf(await orgs.get('acme'))).toEqual(inventoryOf(before));
  expect((await orgs.get('acme')).metadata.finalizers).toEqual(before.metadata.finalizers);
  expect(orgs.said()).toEqual(['look', '+psc-ours-1+psc-ours-2', 'look']);
  expect(acts.calls('who')).toHaveLength(1);
  // Once when it was made; and again, as the page says, for the look before.
  expect(simulator.callCount({ method: 'PUT' })).toBe(2);
});

test('restored without it, endpoints are found, adopted, and all are still there', async () => {
  const { orgs } = scene;
  const held = structuredClone(orgs.held());
  const said = orgs.said().length;
  await scene.operator().stop();
  await lose();
  await scene.start();
  await guide.section('Restore without status');
  expect(orgs.held()).toEqual(held);
  expect((await orgs.get('acme')).spec['privateEndpoints']).toEqual(OURS);
  expect(new Set(orgs.said().slice(said))).toEqual(new Set(['look']));
});

test('moved to another cluster, the old one sends nothing more, and the new one owns what it did', async () => {
  const { simulator, orgs, namespace } = scene;
  const held = structuredClone(orgs.held());
  const said = orgs.said().length;
  const calls = simulator.callCount();
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
  await guide.section('Verify');
  // One look for the policy, which is set before it is suspended.
  expect(simulator.callCount()).toBe(calls + 1);
  await guide.section('Hand over');
  expect(guide.left()).toEqual([]);
  expect(new Set(orgs.said().slice(said))).toEqual(new Set(['look']));
  expect(orgs.held()).toEqual(held);
  expect(await orgs.list()).toEqual([]);
  expect(await specThere('pset/resting')).toHaveProperty('suspend', true);
  expect(await specThere('porg/acme')).toHaveProperty('deletionPolicy', 'RemovePrivateEndpoints');
});
