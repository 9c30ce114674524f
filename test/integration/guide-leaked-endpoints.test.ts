import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someoneElse } from '../simulator/someone-else.ts';
import { ORGANIZATION as ACME } from '../support/examples.ts';
import { endpoint, inventoryOf, list } from '../support/organizations.ts';
import { pageBlocks } from '../support/page.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { walk } from '../support/walk.ts';

const BLOCKS = pageBlocks('deploy/guides/leaked-endpoints.md');
const numbered = (start: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${start}-${String(at + 1).padStart(2, '0')}`);
const LEAKED = numbered('psc-old', 11);
/** Looks leaked, as its owner forgot it at first. */
const FORGOTTEN = 'psc-old-12';
const USED = numbered('psc', 18);

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

test('the guide removes what leaked, and what others have stays, whoever acts between its steps', async () => {
  const { simulator, orgs } = scene;
  const others = someoneElse(simulator, { organizationId: ACME });
  // Some in a spelling that clouds do not have, and ids that others begin with.
  const used = USED.map((id, at) => endpoint(at % 3 === 0 ? id.toUpperCase() : id));
  const leaked = [...LEAKED, FORGOTTEN, 'psc-slow'].map((id) => endpoint(id));
  simulator.setOrganization(ACME, { add: [...used.slice(0, 9), ...leaked, ...used.slice(9)] });
  const guide = await walk(BLOCKS, { here: { ingest: scene.namespace } });

  // Another organization's, which has the name that the guide takes.
  const organizationId = crypto.randomUUID();
  simulator.setOrganization(organizationId, {});
  await orgs.create('acme', { organizationId, ...list('psc-1') });
  await orgs.until('acme', 'Applied');
  await expect(guide.section('1. Look')).rejects.toThrow('"acme" already exists');
  expect((await orgs.get('acme')).spec).toMatchObject(list('psc-1'));
  await orgs.remove('acme');
  simulator.next({ status: 500 });
  await guide.section('1. Look');
  // What a reader gets from the clouds, as such files are: blanks, an empty line, two ends of line.
  await writeFile(join(guide.folder, 'in-use.txt'), `${USED.join('\r\n')} \n\npsc-0\n`);
  await others.add(endpoint('psc-new'));
  await guide.section('2. Find out which are leaked');
  const leakedIds = async (): Promise<unknown> =>
    (await readFile(join(guide.folder, 'leaked.txt'), 'utf8')).match(/psc-[a-z0-9-]+/gi);
  expect(await leakedIds()).toEqual([...LEAKED, FORGOTTEN, 'psc-slow']);
  // Made since, and one of them is in the lists of the clouds at last.
  await others.add(endpoint('psc-young'), endpoint('psc-old-00'));
  await writeFile(join(guide.folder, 'in-use.txt'), `${USED.join('\n')}\npsc-slow\npsc-young\n`);
  await guide.section('A day later');
  expect(await leakedIds()).toEqual([...LEAKED, FORGOTTEN]);

  await scene.operator().kill();
  const listing = guide.section('3. List them');
  await scene.start();
  await listing;
  await guide.section('If one is in use after all');
  await guide.section('4. Adopt them');
  expect(inventoryOf(await orgs.get('acme'))).toEqual(LEAKED.map((id) => `${id} Adopted Present`));
  expect(new Set(orgs.said(ACME))).toEqual(new Set(['look']));

  await others.add(endpoint('psc-old-1'), endpoint('psc-late'));
  simulator.play({ latencyMs: 300 });
  await guide.section('A few first');
  await guide.section('The rest');
  const removals = [LEAKED.slice(0, 3), LEAKED.slice(3)].map((ids) => `-${ids.join('-')}`);
  expect(orgs.said(ACME).filter((one) => one !== 'look')).toEqual(removals);
  await guide.section('6. Check');
  await guide.section('7. Afterwards');
  await orgs.create('acme', { organizationId: ACME, ...list('psc-late') });
  expect(inventoryOf(await orgs.until('acme', 'Applied'))).toEqual(['psc-late Found Present']);
  await guide.section('Or delete it');
  const late = ['psc-slow', 'psc-young', 'psc-old-00', 'psc-new', 'psc-old-1', 'psc-late'];
  const left = [...used.map(({ id }) => id), FORGOTTEN, ...late];
  expect(orgs.ids(ACME).toSorted()).toEqual(left.toSorted());

  await orgs.create('acme', { organizationId: ACME, ...list('psc-new') });
  await orgs.until('acme', 'Applied');
  await others.add(endpoint('psc-last'));
  await guide.section('If there is an object already');
  await orgs.untilIt('acme', 'shows what was added last', ({ status }) =>
    (status.organization?.privateEndpoints ?? []).some(({ id }) => id === 'psc-last'),
  );
  expect(guide.left()).toEqual([]);
});

test('without a list of what is in use, nothing is taken for leaked, typed into a shell too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-empty-'));
  await writeFile(join(folder, 'in-use.txt'), ' \n');
  await writeFile(join(folder, 'listed.txt'), '- { id: "psc-1", cloudProvider: "gcp" }\n');
  const blocks = BLOCKS.filter(({ script }) => script.includes('patterns.txt'));
  const printed = blocks.map(
    ({ script }) => spawnSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' }).stdout,
  );
  const stop = 'in-use.txt names no endpoint: stop here\n';
  expect(printed).toEqual(['', stop, stop]);
  expect(await readdir(folder)).not.toContain('leaked.txt');
});

test('un-listed and given back in one change, endpoints stay, as the guide warns', async () => {
  const { simulator, orgs } = scene;
  simulator.setOrganization(ORGANIZATION, { add: [endpoint('psc-1')] });
  await orgs.create('hasty', { ...list('psc-1'), adoptPrivateEndpoints: true });
  expect(inventoryOf(await orgs.until('hasty', 'Applied'))).toEqual(['psc-1 Adopted Present']);
  await orgs.create('hasty', { ...list(), adoptPrivateEndpoints: false });
  await orgs.until('hasty', 'Applied');
  expect(new Set(orgs.said())).toEqual(new Set(['look']));
});
