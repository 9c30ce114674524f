import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someoneElse } from '../../simulator/someone-else.ts';
import { ORGANIZATION as ACME, PIPE } from '../../support/examples.ts';
import { EXAMPLES_READ, NAMES } from '../../support/kinds.ts';
import { endpoint, inventoryOf, list } from '../../support/organizations.ts';
import { pageBlocks } from '../../support/page.ts';
import { type Walk, walk } from '../../support/reader.ts';
import { openScene, type Scene } from '../../support/scene.ts';

/** The commands of the guides, one section after another, while somebody else acts in between. */

const LOOKS = new Set(['look']);
const numbered = (start: string, count: number) =>
  Array.from({ length: count }, (_, at) => endpoint(`${start}-${String(at + 1).padStart(2, '0')}`));
const idsOf = (endpoints: readonly { readonly id: string }[]) => endpoints.map(({ id }) => id);

let scene: Scene;
let guide: Walk;
/** Each page has a namespace, an operator and an API of its own. */
function onPage(blocks: ReturnType<typeof pageBlocks>): void {
  beforeAll(async () => {
    scene = await openScene();
    guide = await walk(blocks, {
      ingest: scene.namespace,
      'https://api.example.com': scene.simulator.url,
    });
  });
  afterAll(() => scene.end());
}

const others = () => someoneElse(scene.simulator, ACME);
/** What was sent for the organization of the pages, but for looks. */
const changes = () => scene.orgs.said(ACME).filter((one) => one !== 'look');

describe('work with objects', () => {
  onPage(pageBlocks('deploy/guides/objects.md'));

  test('the examples come to what the page shows', async () => {
    const examples = join(guide.folder, 'deploy/examples');
    await mkdir(examples, { recursive: true });
    for (const name of globSync('*.yaml', { cwd: 'deploy/examples' })) {
      const text = await readFile(join('deploy/examples', name), 'utf8');
      await writeFile(
        join(examples, name),
        text.replace('namespace: ingest', `namespace: ${scene.namespace}`),
      );
    }
    await guide.section('PipeSettings');
    scene.simulator.setOrganization(ACME, { name: 'Trial account' });
    await others().add(endpoint('vpc-by-hand'));
    await guide.section('Organization');
    expect(inventoryOf(await scene.orgs.get('acme'))).toEqual(['102600141743718403 Added Present']);
    for (const { kind, name, path, record, field } of EXAMPLES_READ) {
      scene.simulator.setRecord(path, record);
      await guide.section(NAMES[kind].kind);
      expect((await scene.objects(kind).get(name)).status[field]).toEqual(record);
    }
  });

  test('what it tells people to do every day is done', async () => {
    await guide.section('Every day');
    const { metadata, status } = await scene.psets.until('orders', 'Applied');
    expect(metadata.annotations?.['pipewright.dev/reconcile-requested-at']).toMatch(/^\d+$/);
    expect(status.applied?.generation).toBe(metadata.generation);
  });

  test('a pipe that exists is brought in without a change, though a reply is lost', async () => {
    const { simulator, psets } = scene;
    const pipe = PIPE.replace(/[^/]+$/, 'c2a8e6f4-5b19-4e7d-a340-98f1b2d7c643');
    const held = { object_storage_polling_interval_ms: 30_000, engine_max_threads: 4 };
    simulator.setSettings(pipe, held);
    simulator.next({ status: 500, applied: true });
    await guide.section('Bring in a pipe that exists');
    expect(guide.left()).toEqual([]);
    const { spec, status } = await psets.until('invoices', 'Applied');
    // Those that nobody ever set are at the API's own defaults.
    expect(status.settings).toMatchObject(held);
    expect([spec['settings'], simulator.settingsOf(pipe)]).toEqual([
      status.settings,
      status.settings,
    ]);
  });
});

describe('bring an organization in', () => {
  onPage(pageBlocks('deploy/guides/organizations.md', 'Bring in'));

  test('30 endpoints of Terraform are adopted without a change, and nothing of others is lost or taken', async () => {
    const { simulator, orgs } = scene;
    const theirs = numbered('psc', 30);
    simulator.setOrganization(ACME, { name: 'Acme Data', add: theirs });
    await guide.section('Observe');
    await others().add(endpoint('psc-early'));
    await guide.section('Take the list over');
    await others().add(endpoint('psc-late'));
    await others().remove(endpoint('psc-30'));
    await guide.section('Adopt');
    expect(guide.left()).toEqual([]);
    const adopted = [...idsOf(theirs.slice(0, -1)), 'psc-early'];
    expect(inventoryOf(await orgs.get('acme'))).toEqual(
      [...adopted.map((id) => `${id} Adopted Present`), 'psc-30 Added Present'].toSorted(),
    );
    expect(changes()).toEqual(['+psc-30']);
    expect(orgs.ids(ACME).toSorted()).toEqual(
      [...idsOf(theirs), 'psc-early', 'psc-late'].toSorted(),
    );
  });
});

describe('move out', () => {
  onPage(pageBlocks('deploy/guides/organizations.md', 'Move out'));

  test('after Retain, deleting sends nothing, and all that was there is there', async () => {
    const { simulator, orgs } = scene;
    const ours = numbered('psc', 30);
    const theirs = [...numbered('theirs', 5), ...ours.slice(0, 20)];
    simulator.setOrganization(ACME, { name: 'Acme', add: theirs });
    const deletionPolicy = 'RemovePrivateEndpoints';
    const mine = { name: 'Acme', privateEndpoints: ours, adoptPrivateEndpoints: true };
    await orgs.create('acme', { organizationId: ACME, ...mine, deletionPolicy });
    await orgs.until('acme', 'Applied');
    const held = structuredClone(orgs.held(ACME));
    const sent = changes();
    simulator.next({ status: 500 });
    await guide.section('Move out');
    await orgs.untilGone('acme');
    expect(changes()).toEqual(sent);
    expect(orgs.held(ACME)).toEqual(held);
    expect(held.privateEndpoints).toHaveLength(35);
  });

  test('with the policy to remove, what it owns goes, and what others list or have stays', async () => {
    const { simulator, orgs } = scene;
    const organizationId = crypto.randomUUID();
    simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
    await orgs.create('leaving', { organizationId, ...list('psc-1', 'psc-2', 'psc-shared') });
    await orgs.until('leaving', 'Applied');
    await orgs.create('heir', { organizationId, ...list('psc-shared') });
    await orgs.until('heir', 'TargetConflict');
    await guide.section('Remove endpoints with the object');
    await orgs.until('heir', 'Applied');
    expect(orgs.ids(organizationId)).toEqual(['theirs', 'psc-shared']);
    expect(guide.left()).toEqual([]);
  });
});

describe('clear leaked endpoints', () => {
  onPage(pageBlocks('deploy/guides/organizations.md', 'Clear leaked endpoints'));

  test('what leaked is removed, and what others have stays, whoever acts between the steps', async () => {
    const { simulator, orgs } = scene;
    const leaked = numbered('psc-old', 11);
    // Some in a spelling that clouds do not have, and ids that others begin with.
    const used = numbered('psc', 18);
    const stored = used.map((one, at) =>
      at % 3 === 0 ? { ...one, id: one.id.toUpperCase() } : one,
    );
    // The owner of psc-old-12 forgot it at first.
    const looksLeaked = [...leaked, endpoint('psc-old-12'), endpoint('psc-slow')];
    simulator.setOrganization(ACME, { add: [...stored, ...looksLeaked] });
    await orgs.create('acme', { organizationId: ACME, privateEndpoints: [] });
    await orgs.until('acme', 'Applied');
    // What a reader gets from the clouds, as such files are: blanks, an empty line, two ends of line.
    const inUse = (text: string) => writeFile(join(guide.folder, 'in-use.txt'), text);
    await inUse(`${idsOf(used).join('\r\n')} \n\npsc-0\n`);
    await guide.section('1. Find out which are leaked');
    const found = async () =>
      (await readFile(join(guide.folder, 'leaked.txt'), 'utf8')).match(/psc-[a-z0-9-]+/gi);
    expect(await found()).toEqual(idsOf(looksLeaked));
    // Made since, and one of them is in the lists of the clouds at last.
    await others().add(endpoint('psc-young'), endpoint('psc-old-00'));
    await inUse(`${idsOf(used).join('\n')}\npsc-slow\npsc-young\n`);
    await guide.section('2. A day later, once more');
    expect(await found()).toEqual([...idsOf(leaked), 'psc-old-12']);
    const lines = await readFile(join(guide.folder, 'leaked.txt'), 'utf8');
    await writeFile(join(guide.folder, 'leaked.txt'), lines.replace(/^.*"psc-old-12".*\n/m, ''));
    await guide.section('3. List them');
    const listed = inventoryOf(await orgs.get('acme'));
    expect(listed).toEqual(idsOf(leaked).map((id) => `${id} Found Present`));
    expect(new Set(orgs.said(ACME))).toEqual(LOOKS);
    await others().add(endpoint('psc-late'));
    await guide.section('4. Adopt and remove them');
    expect(changes()).toEqual([`-${idsOf(leaked).join('-')}`]);
    expect(guide.left()).toEqual([]);
    const left = [
      ...idsOf(stored),
      'psc-old-12',
      'psc-slow',
      'psc-young',
      'psc-old-00',
      'psc-late',
    ];
    expect(orgs.ids(ACME).toSorted()).toEqual(left.toSorted());
  });
});
