import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someoneElse } from '../simulator/someone-else.ts';
import { ORGANIZATION as ACME, RECORD } from '../support/examples.ts';
import { endpoint, inventoryOf } from '../support/organizations.ts';
import { pageBlocks } from '../support/page.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { type Walk, walk } from '../support/walk.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXAMPLES = ['pipesettings', 'organization', 'activity'];

let scene: Scene;
let guide: Walk;
beforeAll(async () => {
  scene = await openScene();
  guide = await walk(pageBlocks('deploy/guides/objects.md'), {
    here: { ingest: scene.namespace, 'https://api.example.com': scene.simulator.url },
  });
  const examples = join(guide.folder, 'deploy/examples');
  await mkdir(examples, { recursive: true });
  for (const name of EXAMPLES) {
    const text = await readFile(join(ROOT, `deploy/examples/${name}.yaml`), 'utf8');
    await writeFile(
      join(examples, `${name}.yaml`),
      text.replace('namespace: ingest', `namespace: ${scene.namespace}`),
    );
  }
});
afterAll(() => scene.end());

test('objects of the three kinds come to what the page shows', async () => {
  const { simulator, orgs, acts } = scene;
  await guide.section('PipeSettings');
  expect(simulator.calls().map(({ method }) => method)).toEqual(['PUT']);
  simulator.setOrganization(ACME, { name: 'Trial account' });
  await someoneElse(simulator, { organizationId: ACME }).add(endpoint('vpc-by-hand'));
  await guide.section('Organization');
  expect(inventoryOf(await orgs.get('acme'))).toEqual(['102600141743718403 Added Present']);
  simulator.setActivity(ACME, RECORD);
  await guide.section('Activity');
  expect((await acts.get('who-created-it')).status['activity']).toEqual(RECORD);
});

test('what the page tells people to do every day is done', async () => {
  const { psets } = scene;
  await guide.section('Every day');
  expect(guide.left()).toEqual([]);
  const { metadata, spec } = await psets.get('orders');
  expect(spec).toMatchObject({ mode: 'Apply' });
  expect(spec['suspend'] ?? false).toBe(false);
  const asked = metadata.annotations?.['pipewright.dev/reconcile-requested-at'];
  expect(asked).toMatch(/^\d+$/);
  await psets.untilIt(
    'orders',
    'handles the last request',
    ({ status }) => status.lastHandledReconcileAt === asked,
  );
  const done = await psets.until('orders', 'Applied');
  expect(done.status.applied?.generation).toBe(done.metadata.generation);
});
