import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { ARGOCD_NAMESPACE } from './argocd.ts';
import type { Kubelet } from './kubelet.ts';
import { pathTo } from './manifests.ts';
import type { World } from './world.ts';

const EXAMPLE_URL = 'https://git.example.com/platform/pipewright.git';
const EXAMPLES = 'deploy/argocd';
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/organizations.pipewright.dev';
const OPERATOR = '/apis/apps/v1/namespaces/pipewright/deployments/pipewright';
const SECRET = '/api/v1/namespaces/ingest/secrets/management-api';
/** As deploy/README.md has it. */
const ROLLOUT = ['-n', 'pipewright', 'rollout', 'status', 'deployment/pipewright'];
const APPLICATIONS = `/apis/argoproj.io/v1alpha1/namespaces/${ARGOCD_NAMESPACE}/applications`;
/** An Application that waits between waves looks again every now and then. */
const PATIENCE_MS = 180_000;

/** Applies an Application of deploy/argocd, with our repository in place of that of the reader. */
async function applyExample({ controlPlane, repository }: World, file: string): Promise<void> {
  const text = (await readFile(`${EXAMPLES}/${file}`, 'utf8')).replaceAll(
    EXAMPLE_URL,
    repository.url,
  );
  const { code, stderr } = await controlPlane.kubectl(
    ['apply', '-n', ARGOCD_NAMESPACE, '-f', '-'],
    text,
  );
  if (code !== 0) throw new Error(`kubectl apply -f ${file}: ${stderr}`);
}

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
  await applyExample(world, 'application/application.yaml');
  await world.apps.until('pipewright', 'Synced and Healthy', isDone, PATIENCE_MS);
  assert.equal(await reasonOf(world, 'organizations', 'acme'), 'Applied');
  assert.equal(await reasonOf(world, 'pipesettings', 'orders'), 'Applied');
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

/** Deleting it leaves the CRDs, and nothing else; the operator goes after its objects. */
export async function oneApplicationDeleted(world: World, kubelet: Kubelet): Promise<void> {
  await world.apps.remove('pipewright');
  await world.apps.untilGone('pipewright', PATIENCE_MS);
  await nothingInstalled(world, kubelet);
}

/** An Application makes four others, in waves. One of its objects is only planned. */
export async function appOfApps(world: World): Promise<void> {
  const files = ['crds', 'operator', 'credentials', 'objects'].map(
    (name) => `${EXAMPLES}/app-of-apps/apps/${name}.yaml`,
  );
  const texts = await Promise.all(
    files.map(async (path) => [path, await readFile(path, 'utf8')] as const),
  );
  const ours = texts.map(
    ([path, text]) => [path, text.replaceAll(EXAMPLE_URL, world.repository.url)] as const,
  );
  await world.repository.commit('the reader’s own address', Object.fromEntries(ours));
  await applyExample(world, 'app-of-apps/root.yaml');
  // The root is as its worst part is, and Healthy for a moment before that is known.
  for (const name of ['pipewright-root', 'pipewright-objects'])
    await world.apps.until(
      name,
      'Synced and Suspended',
      ({ status }) => status?.sync?.status === 'Synced' && status.health?.status === 'Suspended',
      PATIENCE_MS,
    );
  assert.equal(await reasonOf(world, 'organizations', 'acme'), 'Applied');
  assert.equal(await reasonOf(world, 'pipesettings', 'orders'), 'Applied');
  assert.equal(await reasonOf(world, 'pipesettings', 'invoices'), 'Planned');
  await oneAfterTheOther(world, ['crds', 'operator', 'credentials', 'objects'].map(application));
  await syncedBefore(world, 'operator', 'credentials');
  await syncedBefore(world, 'credentials', 'objects');
}

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
  await world.apps.remove('pipewright-root');
  await world.apps.untilGone('pipewright-root', PATIENCE_MS);
  await nothingInstalled(world, kubelet);
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
  await world.until(
    'the Pods to be gone',
    () => kubelet.running(),
    (running) => running === 0,
  );
  assert.ok(
    await world.read(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/pipesettings.pipewright.dev',
    ),
  );
}
