import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../../support/watching.ts';
import {
  type Fate,
  itemsOf,
  type Label,
  newOrganization,
  openCrashScene,
  shown,
  untilAtRest,
} from './crash-scene.ts';

let crash: Awaited<ReturnType<typeof openCrashScene>>;

/** One for each workload: the time that its waits take is no longer than the longest deadline. */
function inItsOwnScene(): void {
  beforeAll(async () => {
    crash = await openCrashScene();
  });
  afterAll(() => crash.scene.end());
}

const KILLED = ['killed before', 'killed done', 'killed answered'] as const;
const CUT = ['cut before', 'cut done'] as const;

/** A sample: the sweep of the simulation has every point. */
const CREATED: readonly (readonly [Label, readonly Fate[]])[] = [
  ['look', ['killed done', 'cut done']],
  ['finalizer', ['killed before', 'killed done', 'cut done', 'conflict']],
  ['name', ['killed before', 'killed done', 'cut before']],
  ['pending', ['killed before', 'killed done', ...CUT, 'conflict']],
  ['change', [...KILLED, ...CUT]],
  ['status', ['killed before', 'killed done', 'cut done', 'conflict']],
];
const REMOVED: readonly (readonly [Label, readonly Fate[]])[] = [
  ['pending', ['killed before', 'killed done', 'conflict']],
  ['change', [...KILLED, ...CUT]],
  ['finalizer', ['killed before', 'killed done', 'cut done', 'conflict']],
];
const SET: readonly (readonly [Label, readonly Fate[]])[] = [
  ['put', [...KILLED, ...CUT]],
  ['status', ['killed before', 'killed done', ...CUT, 'conflict']],
];

const rowsOf = (table: typeof CREATED) =>
  table.flatMap(([label, fates]) => fates.map((fate) => [label, fate] as const));
const subjectOf = (...words: string[]) => crash.subject(words.join('-').replaceAll(' ', '-'));

const CREATED_END = {
  finalizers: ['pipewright.dev/remove-private-endpoints'],
  conditions: ['Ready=True The API has the declared name and the 2 private endpoints of spec'],
  inventory: ['a Added Present', 'b Added Present'],
  settings: undefined,
  name: 'Acme',
  left: [],
};
const EDITED_END = {
  ...CREATED_END,
  conditions: ['Ready=True The API has the declared name and the 3 private endpoints of spec'],
  inventory: [...CREATED_END.inventory, 'c Added Present'],
};

/** Something befalls the first call of a new Organization; what there is of it when all is done. */
async function createdBeside(fate: Fate, label: Label) {
  const { scene } = crash;
  const subject = subjectOf('new', label, fate);
  const befallen = crash.befalls(fate, label, subject);
  await newOrganization(scene, subject);
  await befallen;
  const end = shown(await untilAtRest(scene, scene.orgs, subject.name));
  // Gone while its call is under way: what would come of it comes before the end of another.
  if (end === 'gone') await settled(scene);
  const held = scene.orgs.ids(subject.organizationId).toSorted();
  const names = scene.orgs.said(subject.organizationId).filter((said) => said === 'name');
  expect(names.length).toBeLessThanOrEqual(2);
  return { end, held, items: itemsOf(scene, subject) };
}

describe('a new Organization with a name, two endpoints and a finalizer ends as declared, each added once', () => {
  inItsOwnScene();

  test.each(rowsOf(CREATED))('where its %s is %s', async (label, fate) => {
    const { end, held, items } = await createdBeside(fate, label);
    expect([end, held]).toEqual([CREATED_END, ['a', 'b', 'theirs']]);
    expect(items).toEqual(['+a', '+b']);
  });

  test.each(['name', 'change', 'status'] as const)(
    'where a third is declared during its %s',
    async (label) => {
      const { end, held, items } = await createdBeside('edited', label);
      expect([end, held]).toEqual([EDITED_END, ['a', 'b', 'c', 'theirs']]);
      expect(items).toEqual(['+a', '+b', '+c']);
    },
  );
});

describe('a new Organization that is deleted in the midst is gone with all that it added', () => {
  inItsOwnScene();

  test.each(['look', 'finalizer', 'name', 'pending', 'change', 'status'] as const)(
    'during its %s',
    async (label) => {
      const { end, held, items } = await createdBeside('deleted', label);
      expect([end, held]).toEqual(['gone', ['theirs']]);
      expect(items).toEqual([...new Set(items)]);
    },
  );
});

describe('an Organization that is deleted with its endpoints is gone with them, each removed once', () => {
  inItsOwnScene();

  test.each(rowsOf(REMOVED))('where its %s is %s', async (label, fate) => {
    const { scene } = crash;
    const subject = subjectOf('old', label, fate);
    await newOrganization(scene, subject);
    await untilAtRest(scene, scene.orgs, subject.name);
    const befallen = crash.befalls(fate, label, subject);
    await scene.orgs.remove(subject.name);
    await befallen;
    expect(shown(await untilAtRest(scene, scene.orgs, subject.name))).toBe('gone');
    expect(scene.orgs.ids(subject.organizationId)).toEqual(['theirs']);
    expect(itemsOf(scene, subject)).toEqual(['+a', '+b', '-a', '-b']);
  });
});

describe('edited PipeSettings end as declared, with one PUT more at most', () => {
  inItsOwnScene();

  const settings = { engine_max_threads: 16, object_storage_concurrency: 4 };
  test.each(rowsOf(SET))('where the %s is %s', async (label, fate) => {
    const { scene } = crash;
    const subject = subjectOf('set', label, fate);
    await scene.psets.create(subject.name);
    await untilAtRest(scene, scene.psets, subject.name);
    const befallen = crash.befalls(fate, label, subject);
    await scene.psets.create(subject.name, { settings });
    await befallen;
    expect(shown(await untilAtRest(scene, scene.psets, subject.name))).toMatchObject({
      conditions: ['Ready=True The API accepted all 2 declared settings'],
      settings,
      left: [],
    });
    // A process that lives on knows what it was answered, whatever becomes of its status.
    const isKnown = label === 'status' && !fate.startsWith('killed');
    const again = isKnown ? [] : [settings];
    const bodies = scene.psets.puts(subject.name).map(({ body }) => body);
    expect([[settings], [settings, ...again]]).toContainEqual(bodies.slice(1));
  });
});
