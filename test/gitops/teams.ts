import assert from 'node:assert/strict';
import { ARGOCD_NAMESPACE } from './argocd-objects.ts';
import { pathTo } from './manifests.ts';
import type { World } from './world.ts';

const NAME = 'applicationset/pipewright-teams';
const SETS = ['-n', ARGOCD_NAMESPACE];

/** An Application for each folder of teams/, with its objects in a namespace of that name. */
export async function teams(world: World): Promise<void> {
  const { apps, controlPlane, reader, read, until } = world;
  await reader.follow('Many teams');
  const names = ['pipewright-checkout', 'pipewright-search'];
  for (const name of names)
    await until(
      `the Application ${name}`,
      () => apps.find(name),
      (app) => app !== undefined,
    );
  await apps.untilHealthy('pipewright-checkout');
  await apps.until(
    'pipewright-search',
    'Synced and Suspended',
    ({ status }) => status?.sync?.status === 'Synced' && status.health?.status === 'Suspended',
  );
  assert.ok(await read(pathTo('pipesettings', 'checkout', 'payments')));
  assert.ok(await read(pathTo('pipesettings', 'search', 'clicks')));
  await objectsStayWhereAsked(world);
  const { code, stderr } = await controlPlane.kubectl([...SETS, 'delete', NAME]);
  assert.equal(code, 0, stderr);
  for (const name of names) await apps.untilGone(name);
  assert.equal(await read(pathTo('pipesettings', 'checkout', 'payments')), undefined);
}

/** An Application without a finalizer leaves its objects when it goes. */
async function objectsStayWhereAsked({ controlPlane, read, until }: World): Promise<void> {
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${ARGOCD_NAMESPACE}/applications/pipewright-checkout`;
  for (const [preserve, finalizers] of [
    [true, 0],
    [false, 1],
  ] as const) {
    const syncPolicy = { preserveResourcesOnDeletion: preserve };
    const patch = JSON.stringify({ spec: { syncPolicy } });
    const args = [...SETS, 'patch', NAME, '--type=merge', `--patch=${patch}`];
    const { code, stderr } = await controlPlane.kubectl(args);
    assert.equal(code, 0, stderr);
    await until(
      `${finalizers} finalizers where preserveResourcesOnDeletion is ${preserve}`,
      () => read<{ metadata: { finalizers?: string[] } }>(path),
      (app) => (app?.metadata.finalizers?.length ?? 0) === finalizers,
    );
  }
}
