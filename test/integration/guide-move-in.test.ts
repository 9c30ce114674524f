import { afterAll, beforeAll, expect, test } from 'vitest';
import { someoneElse } from '../simulator/someone-else.ts';
import { ORGANIZATION as ACME, PIPE } from '../support/examples.ts';
import { endpoint, inventoryOf, list } from '../support/organizations.ts';
import { pageBlocks } from '../support/page.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { type Walk, walk } from '../support/walk.ts';

const SETTINGS = {
  streaming_max_insert_wait_ms: 5000,
  object_storage_concurrency: 8,
  object_storage_max_file_count: 100,
  engine_max_threads: 4,
  engine_parallel_view_processing: true,
};
/** As Terraform has made them. */
const ENDPOINTS = Array.from({ length: 30 }, (_, at) =>
  endpoint(`psc-${String(at + 1).padStart(2, '0')}`, { description: `made by terraform #${at}` }),
);

let scene: Scene;
let guide: Walk;
beforeAll(async () => {
  scene = await openScene();
  guide = await walk(pageBlocks('deploy/guides/move-in.md'), {
    here: { ingest: scene.namespace, 'https://api.example.com': scene.simulator.url },
  });
});
afterAll(() => scene.end());

test('a pipe is taken over without a change, though others change it and a reply is lost', async () => {
  const { simulator, psets } = scene;
  simulator.setSettings(PIPE, SETTINGS);
  // Another pipe's, which has the name that the guide takes.
  await psets.create('orders', { pipeId: 'other', mode: 'Plan' });
  await expect(guide.section('Plan it first')).rejects.toThrow('"orders" already exists');
  expect((await psets.get('orders')).spec['pipeId']).toBe('other');
  await psets.remove('orders');
  await guide.section('Plan it first');
  expect(simulator.callCount()).toBe(0);
  simulator.next({ status: 500, applied: true });
  await guide.section('Send one value');
  expect(simulator.settingsOf(PIPE)).toEqual(SETTINGS);
  // Those that nobody ever set are at the API's own defaults.
  const { settings: shown } = (await psets.get('orders')).status;
  const others = { ...shown, ...SETTINGS, engine_max_threads: 16 };
  simulator.setSettings(PIPE, { engine_max_threads: 16 });
  await scene.operator().kill();
  await scene.start();
  await guide.section('Take over the rest');
  expect(simulator.settingsOf(PIPE)).toEqual(others);
  expect((await psets.get('orders')).spec['settings']).toEqual(others);
});

test('30 endpoints of Terraform are adopted without a change, and nothing of others is lost or taken', async () => {
  const { simulator, orgs } = scene;
  const terraform = someoneElse(simulator, { organizationId: ACME });
  simulator.setOrganization(ACME, { name: 'Acme Data', add: ENDPOINTS });
  // Another organization's, which owns one that it has added.
  const other = crypto.randomUUID();
  simulator.setOrganization(other, {});
  await orgs.create('acme', { organizationId: other, ...list('psc-1') });
  await orgs.until('acme', 'Applied');
  await expect(guide.section('Look')).rejects.toThrow('"acme" already exists');
  expect((await orgs.get('acme')).spec).toMatchObject(list('psc-1'));
  await orgs.remove('acme');
  await guide.section('Look');
  await terraform.add(endpoint('psc-early'));
  await guide.section('Take the list into a manifest');
  await terraform.add(endpoint('psc-late'));
  const [last] = ENDPOINTS.slice(-1);
  if (last) await terraform.remove(last);
  simulator.play({ latencyMs: 200 });
  await guide.section('Adopt');
  expect(guide.left()).toEqual([]);
  const acme = await orgs.get('acme');
  const adopted = [...ENDPOINTS.slice(0, -1), endpoint('psc-early')];
  expect(inventoryOf(acme)).toEqual(
    [...adopted.map(({ id }) => `${id} Adopted Present`), 'psc-30 Added Present'].toSorted(),
  );
  expect(orgs.said(ACME).filter((one) => one !== 'look')).toEqual(['+psc-30']);
  expect(orgs.ids(ACME).toSorted()).toEqual(
    [...ENDPOINTS.map(({ id }) => id), 'psc-early', 'psc-late'].toSorted(),
  );
  expect(orgs.held(ACME).name).toBe('Acme Data');
});
