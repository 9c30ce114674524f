import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { controlPlane, waitFor } from '../../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../../controlplane/controlplane.ts';
import { change } from '../../support/cluster.ts';
import { applyYaml } from '../../support/kubectl.ts';
import { startOperator } from '../../support/operator.ts';
import { endpoint, inventoryOf } from '../../support/organizations.ts';
import { pageBlocks } from '../../support/page.ts';
import { type Walk, walk } from '../../support/reader.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';

/** Backup, restore and another cluster, with the commands of the guide. */

const OURS = [endpoint('psc-ours-1'), endpoint('psc-ours-2')];

let scene: Scene;
let guide: Walk;
let other: ControlPlane;
beforeAll(async () => {
  [scene, other] = await Promise.all([openScene(), startControlPlane()]);
  await other.kubectl(['apply', '--server-side', '-f', 'crds']);
  const { namespace, simulator, orgs, psets, acts } = scene;
  const here = { ' -n pipewright': ` -n ${namespace}`, ingest: namespace };
  guide = await walk(
    pageBlocks('deploy/guides/operate.md', 'Back up and restore'),
    here,
    await kubeconfigOfBoth(),
  );
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
  await other?.stop();
  await scene.end();
});

/** Stands for the operator as it is installed: the commands scale it. */
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

/** The Organization in the other cluster. */
async function acmeThere(): Promise<Awaited<ReturnType<Scene['orgs']['get']>>> {
  const args = ['get', 'porg/acme', '-n', scene.namespace, '-o', 'json'];
  return JSON.parse((await other.kubectl(args)).stdout);
}

test('restored with their status, objects are as they were, and nothing is sent unseen', async () => {
  const { simulator, orgs, acts } = scene;
  await guide.section('Back up and restore');
  const before = await orgs.get('acme');
  // As the Deployment would have it, which the commands scale.
  await scene.operator().stop();
  await lose();
  simulator.setOrganization(ORGANIZATION, { add: [endpoint('psc-late')] });
  const calls = simulator.callCount();
  await guide.section('Restore');
  expect(inventoryOf(await orgs.get('acme'))).toEqual(inventoryOf(before));
  expect(simulator.callCount()).toBe(calls);
  await scene.start();
  await scene.psets.create('marker');
  await scene.psets.until('marker', 'Applied');
  expect(inventoryOf(await orgs.get('acme'))).toEqual(inventoryOf(before));
  expect((await orgs.get('acme')).metadata.finalizers).toEqual(before.metadata.finalizers);
  expect(orgs.said()).toEqual(['look', '+psc-ours-1+psc-ours-2']);
  expect(acts.calls('who')).toHaveLength(1);
  // The marker's; none of what was never edited.
  expect(simulator.callCount()).toBe(calls + 1);
});

test('moved to another cluster, the old one sends nothing more, and the new one owns what it did', async () => {
  const { simulator, orgs, namespace } = scene;
  const held = structuredClone(orgs.held());
  const calls = simulator.callCount();
  const before = inventoryOf(await orgs.get('acme'));
  await other.kubectl(['create', 'namespace', namespace]);
  const { id, secret } = scene.key;
  const key = [`--from-literal=keyId=${id}`, `--from-literal=keySecret=${secret}`];
  await other.kubectl(['create', 'secret', 'generic', 'management-api', '-n', namespace, ...key]);
  const operator = await startOperator({
    kubeconfig: other.adminKubeconfig,
    apiUrl: simulator.url,
    flags: ['--namespaces', namespace, '--leader-elect=false', '--api-rate', '0'],
  });
  onTestFinished(() => operator.kill());
  await guide.section('Another cluster');
  expect(guide.left()).toEqual([]);
  expect(simulator.callCount()).toBe(calls);
  expect(inventoryOf(await acmeThere())).toEqual(before);
  const resume = ['--type=merge', '-p', '{"spec":{"suspend":false}}'];
  await other.kubectl(['patch', 'porg/acme', '-n', namespace, ...resume]);
  await waitFor(acmeThere, {
    what: 'the Organization to be applied there',
    until: ({ status, metadata }) => status.observedGeneration === metadata.generation,
  });
  expect(orgs.said().slice(2)).toEqual(['look']);
  expect([orgs.held(), inventoryOf(await acmeThere())]).toEqual([held, before]);
});
