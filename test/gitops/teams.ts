import assert from 'node:assert/strict';
import { pathTo } from './manifests.ts';
import type { World } from './world.ts';

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
  const { code, stderr } = await controlPlane.kubectl([
    '-n',
    'argocd',
    'delete',
    'applicationset',
    'pipewright-teams',
  ]);
  assert.equal(code, 0, stderr);
  for (const name of names) await apps.untilGone(name);
  assert.equal(await read(pathTo('pipesettings', 'checkout', 'payments')), undefined);
}
