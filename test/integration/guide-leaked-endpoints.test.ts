import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someoneElse } from '../simulator/someone-else.ts';
import { endpoint, ledgerOf, list } from '../support/organizations.ts';
import { pageBlocks } from '../support/page.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { walk } from '../support/walk.ts';

const ACME = '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10';
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
  const leaked = [...LEAKED, FORGOTTEN].map((id) => endpoint(id));
  simulator.setOrganization(ACME, { add: [...used.slice(0, 9), ...leaked, ...used.slice(9)] });
  const guide = await walk(pageBlocks('deploy/guides/leaked-endpoints.md'), {
    here: { ingest: scene.namespace },
  });

  simulator.next({ status: 500 });
  await guide.section('1. Look');
  // What a reader gets from the clouds, as such files are: blanks, an empty line, two ends of line.
  await writeFile(join(guide.folder, 'in-use.txt'), `${USED.join('\r\n')} \n\npsc-0\n`);
  await others.add(endpoint('psc-new'));
  await guide.section('2. Find out which are leaked');
  const found = await readFile(join(guide.folder, 'leaked.txt'), 'utf8');
  expect(found.match(/psc-[a-z0-9-]+/gi)).toEqual([...LEAKED, FORGOTTEN]);

  await scene.operator().kill();
  const listing = guide.section('3. List them');
  await scene.start();
  await listing;
  await guide.section('If one is in use after all');
  await guide.section('4. Adopt them');
  expect(ledgerOf(await orgs.get('acme'))).toEqual(LEAKED.map((id) => `${id} Adopted Present`));
  expect(new Set(orgs.said(ACME))).toEqual(new Set(['look']));

  await others.add(endpoint('psc-old-1'), endpoint('psc-late'));
  simulator.play({ latencyMs: 300 });
  await guide.section('5. Un-list them');
  expect(orgs.said(ACME).filter((one) => one !== 'look')).toEqual([
    LEAKED.map((id) => `-${id}`).join(''),
  ]);
  await guide.section('6. Check');
  await guide.section('7. Afterwards');
  const left = [...used.map(({ id }) => id), FORGOTTEN, 'psc-new', 'psc-old-1', 'psc-late'];
  expect(orgs.ids(ACME).toSorted()).toEqual(left.toSorted());
  expect(guide.left()).toEqual([]);
});

test('un-listed and given back in one change, endpoints stay, as the guide warns', async () => {
  const { simulator, orgs } = scene;
  simulator.setOrganization(ORGANIZATION, { add: [endpoint('psc-1')] });
  await orgs.create('hasty', { ...list('psc-1'), adoptPrivateEndpoints: true });
  expect(ledgerOf(await orgs.until('hasty', 'Applied'))).toEqual(['psc-1 Adopted Present']);
  await orgs.create('hasty', { ...list(), adoptPrivateEndpoints: false });
  await orgs.until('hasty', 'Applied');
  expect(new Set(orgs.said())).toEqual(new Set(['look']));
});
