import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ARGOCD_NAMESPACE } from './argocd-objects.ts';
import type { Kubelet } from './kubelet.ts';
import { pathTo } from './manifests.ts';
import type { World } from './world.ts';

const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/organizations.pipewright.dev';
const OPERATOR = '/apis/apps/v1/namespaces/pipewright/deployments/pipewright';
const SECRET = '/api/v1/namespaces/ingest/secrets/management-api';
const ACME = '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10';
/** As deploy/guides/install.md has it. */
const ROLLOUT = ['-n', 'pipewright', 'rollout', 'status', 'deployment/pipewright'];
const APPLICATIONS = `/apis/argoproj.io/v1alpha1/namespaces/${ARGOCD_NAMESPACE}/applications`;
/** An Application that waits between waves looks again every now and then. */
const PATIENCE_MS = 180_000;

async function reasonOf(
  world: World,
  plural: 'pipesettings' | 'organizations',
  name: string,
): Promise<string | undefined> {
  const object = await world.read<{ status: { conditions: { reason: string }[] } }>(
    pathTo(plural, 'ingest', name),
  );
  return object?.status.conditions[0]?.reason;
}

/**
 * One Application brings CRDs, operator, Secret and objects, each wave when the one before is
 * Healthy.
 */
export async function oneApplication(world: World): Promise<void> {
  await world.reader.follow('One Application');
  await world.apps.until('pipewright', 'Synced and Healthy', isDone, PATIENCE_MS);
  await objectsApplied(world);
  const { code, stderr } = await world.controlPlane.kubectl(ROLLOUT);
  assert.equal(code, 0, stderr);
  await oneAfterTheOther(world, [
    [CRD, 'Established'],
    [OPERATOR, 'Available'],
    [SECRET],
    [pathTo('organizations', 'ingest', 'acme'), 'Ready'],
    [pathTo('pipesettings', 'ingest', 'orders'), 'Ready'],
  ]);
}

/**
 * Deleting it leaves the CRDs, and nothing else; the operator goes after its objects. The example
 * keeps its endpoint; here Git says before that it goes too, for which operator and key are needed.
 */
export async function oneApplicationDeleted(world: World, kubelet: Kubelet): Promise<void> {
  await world.reader.follow('Uninstall');
  await endpointsGoToo(world);
  await world.reader.follow('Delete the one Application');
  await nothingInstalled(world, kubelet);
}

/** An Application makes three others, in waves. */
export async function appOfApps(world: World): Promise<void> {
  await world.reader.follow('App of apps');
  // The root is as its worst part is, and Healthy for a moment before that is known.
  for (const name of ['pipewright-root', 'pipewright-objects'])
    await world.apps.until(name, 'Synced and Healthy', isDone, PATIENCE_MS);
  await objectsApplied(world);
  await oneAfterTheOther(world, ['operator', 'credentials', 'objects'].map(application));
  await syncedBefore(world, 'operator', 'credentials');
  await syncedBefore(world, 'credentials', 'objects');
}

async function objectsApplied(world: World): Promise<void> {
  assert.equal(await reasonOf(world, 'organizations', 'acme'), 'Applied');
  assert.equal(await reasonOf(world, 'pipesettings', 'orders'), 'Applied');
  assert.equal(endpointsAtTheApi(world), 1);
}

async function endpointsGoToo({ repository, apps, read, until }: World): Promise<void> {
  const path = 'ingest/organization.yaml';
  const example = await readFile(join(repository.folder, path), 'utf8');
  const changed = example.replace(
    'deletionPolicy: Retain',
    'deletionPolicy: RemovePrivateEndpoints',
  );
  assert.notEqual(changed, example);
  await repository.commit('endpoints go with the object', { [path]: changed });
  await apps.refresh('pipewright');
  await until(
    'the finalizer of acme',
    () => read<{ metadata: { finalizers?: string[] } }>(pathTo('organizations', 'ingest', 'acme')),
    (object) => object?.metadata.finalizers !== undefined,
  );
}

const endpointsAtTheApi = ({ simulator }: World): number =>
  simulator.organization(ACME)?.privateEndpoints.length ?? 0;

function application(name: string): [path: string] {
  return [`${APPLICATIONS}/pipewright-${name}`];
}

/**
 * The first sync of the one Application was over when the other was made. That its Deployment is
 * Available, Argo CD does not wait for.
 */
async function syncedBefore(world: World, first: string, second: string): Promise<void> {
  const [before] = application(first);
  const [after] = application(second);
  const synced = await world.read<{ status: { history: { deployedAt: string }[] } }>(before);
  const made = (await world.read<Dated>(after))?.metadata.creationTimestamp ?? 'never';
  const at = synced?.status.history[0]?.deployedAt ?? 'never';
  assert.ok(at <= made, `${second} was made at ${made}, but ${first} was synced at ${at}`);
}

export async function appOfAppsDeleted(world: World, kubelet: Kubelet): Promise<void> {
  await world.reader.follow('Delete the app of apps');
  await nothingInstalled(world, kubelet);
}

/** Without an operator an Organization with a finalizer stays, until it is taken off by hand. */
export async function withoutOperator(world: World): Promise<void> {
  const { controlPlane, reader, read } = world;
  const acme = pathTo('organizations', 'ingest', 'acme');
  const finalizers = ['pipewright.dev/remove-private-endpoints'];
  const object = {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'Organization',
    metadata: { name: 'acme', namespace: 'ingest', finalizers },
    spec: { organizationId: ACME, name: 'Acme', credentialsSecretRef: { name: 'management-api' } },
  };
  const commands = [
    { args: ['create', '-f', '-'], stdin: JSON.stringify(object) },
    { args: ['-n', 'ingest', 'delete', 'organization.pipewright.dev', 'acme', '--wait=false'] },
  ];
  for (const { args, stdin } of commands) {
    const { code, stderr } = await controlPlane.kubectl(args, stdin);
    assert.equal(code, 0, stderr);
  }
  assert.ok(await read(acme), 'the finalizer does not hold it');
  await reader.follow('Delete an Organization without the operator');
  assert.equal(await read(acme), undefined);
}

interface Dated {
  readonly metadata: { readonly creationTimestamp: string };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime: string }[];
  };
}

/**
 * Each was made no earlier than the one before, and no earlier than that one's condition became
 * what it is.
 */
async function oneAfterTheOther(
  world: World,
  steps: readonly (readonly [path: string, condition?: string])[],
) {
  let since = { time: '', what: 'nothing' };
  for (const [path, condition] of steps) {
    const { metadata, status } = (await world.read<Dated>(path)) ?? {};
    const made = metadata?.creationTimestamp ?? 'never';
    assert.ok(
      metadata && made >= since.time,
      `${path} was made at ${made}, but ${since.what} at ${since.time}`,
    );
    since = { time: made, what: `${path} was made` };
    if (condition === undefined) continue;
    const turned = status?.conditions?.find(({ type }) => type === condition)?.lastTransitionTime;
    assert.ok(turned, `${path} has no condition ${condition}`);
    since = { time: turned, what: `${path} became ${condition}` };
  }
}

const isDone: Parameters<World['apps']['until']>[2] = ({ status }) =>
  status?.sync?.status === 'Synced' &&
  status.health?.status === 'Healthy' &&
  status.operationState?.phase === 'Succeeded';

/** The operator removed its endpoint at the API, and went after its objects. */
async function nothingInstalled(world: World, kubelet: Kubelet): Promise<void> {
  const list = async (path: string): Promise<unknown[]> =>
    (await world.read<{ items: unknown[] }>(path))?.items ?? [];
  const gone = [
    pathTo('pipesettings', 'ingest'),
    pathTo('organizations', 'ingest'),
    '/api/v1/namespaces/ingest/secrets',
    '/apis/apps/v1/namespaces/pipewright/deployments',
  ];
  for (const path of gone) assert.deepEqual(await list(path), [], path);
  assert.equal(endpointsAtTheApi(world), 0);
  await world.until(
    'the Pods to be gone',
    () => kubelet.running(),
    (running) => running === 0,
  );
  for (const path of [CRD, '/api/v1/namespaces/ingest']) assert.ok(await world.read(path), path);
}
