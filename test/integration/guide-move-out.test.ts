import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { someoneElse } from '../simulator/someone-else.ts';
import { ORGANIZATION as ACME } from '../support/examples.ts';
import { metric } from '../support/exposition.ts';
import { endpoint, list } from '../support/organizations.ts';
import { pageBlocks } from '../support/page.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { type Walk, walk } from '../support/walk.ts';

const BLOCKS = pageBlocks('deploy/guides/move-out.md');
const OTHERS = Array.from({ length: 5 }, (_, at) => endpoint(`theirs-${at}`));
const OURS = Array.from({ length: 30 }, (_, at) => endpoint(`psc-${at}`));
const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' };

let scene: Scene;
let guide: Walk;
beforeAll(async () => {
  scene = await openScene();
  const { namespace: ingest, simulator, orgs, psets } = scene;
  guide = await walk(BLOCKS, {
    here: { ingest, 'https://api.example.com': simulator.url },
  });
  simulator.setOrganization(ACME, { name: 'Acme', add: [...OTHERS, ...OURS.slice(0, 20)] });
  const mine = { name: 'Acme', privateEndpoints: OURS, adoptPrivateEndpoints: true, ...REMOVING };
  await orgs.create('acme', { organizationId: ACME, ...mine });
  await psets.create('orders');
  await Promise.all([orgs.until('acme', 'Applied'), psets.until('orders', 'Applied')]);
});
afterAll(() => scene.end());

const callsCounted = async (): Promise<number> =>
  metric(await scene.operator().page('metrics'), 'pipewright_api_requests_total');

test('after Retain, deleting sends nothing, and all that was there is there', async () => {
  const { simulator, orgs } = scene;
  const others = someoneElse(simulator, { organizationId: ACME });
  await guide.section('1. See what would remove endpoints');
  simulator.play({ latencyMs: 200 });
  simulator.next({ status: 500 });
  await guide.section('2. Retain');
  await others.add(endpoint('theirs-late'));
  const before = { calls: simulator.callCount(), counted: await callsCounted() };
  const held = structuredClone(orgs.held(ACME));
  await guide.section('3. Delete');
  // Its turn comes behind all that the operator still does about the two.
  await scene.psets.create('marker');
  await scene.psets.until('marker', 'Applied');
  expect(simulator.callCount()).toBe(before.calls + 1);
  // A page of metrics may be a second old.
  await waitFor(callsCounted, {
    what: 'the call for the marker, and no other, to be counted',
    until: (counted) => counted === before.counted + 1,
  });
  await scene.operator().kill();
  await guide.section('Is it all still there?');
  expect(orgs.held(ACME)).toEqual(held);
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-missing-'));
  await writeFile(join(folder, 'missing.txt'), 'psc-1\n');
  const [verdict] = BLOCKS.filter(({ script }) => script.includes('test -s missing.txt'));
  const typed = spawnSync('sh', ['-c', verdict?.script ?? ''], { cwd: folder, encoding: 'utf8' });
  expect(typed.stdout).toBe('psc-1\n');
  const ids = await readFile(join(guide.folder, 'ids-before.txt'), 'utf8');
  expect(ids.trim().split('\n')).toEqual([...OTHERS, ...OURS].map(({ id }) => id).toSorted());
});

test('with the policy to remove, what it owns goes and what others list or have stays', async () => {
  const { simulator, orgs } = scene;
  await scene.start();
  const organizationId = crypto.randomUUID();
  simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
  await orgs.create('leaving', { organizationId, ...list('psc-1', 'psc-2', 'psc-shared') });
  await orgs.until('leaving', 'Applied');
  await orgs.create('heir', { organizationId, ...list('psc-shared') });
  await orgs.until('heir', 'TargetConflict');
  simulator.next({ status: 500 });
  await guide.section('Remove the endpoints on the way out');
  expect(orgs.ids(organizationId)).toEqual(['theirs', 'psc-shared']);
  await orgs.until('heir', 'Applied');
  expect(orgs.ids(organizationId)).toEqual(['theirs', 'psc-shared']);
});

test('without an operator, an object with the finalizer goes when that is taken off by hand', async () => {
  const { simulator, orgs } = scene;
  const organizationId = crypto.randomUUID();
  simulator.setOrganization(organizationId, {});
  await orgs.create('stuck', { organizationId, ...list('psc-1'), ...REMOVING });
  await orgs.until('stuck', 'Applied');
  await scene.operator().stop();
  await orgs.remove('stuck');
  expect((await orgs.get('stuck')).metadata.deletionTimestamp).toBeDefined();
  await guide.section('If an object does not go');
  await orgs.untilGone('stuck');
  expect(orgs.ids(organizationId)).toEqual(['psc-1']);
  expect(guide.left()).toEqual([]);
});
