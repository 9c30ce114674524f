import { describe, expect, test } from 'vitest';
import { at, MINUTE, SECOND } from '../kinds/stage.ts';
import { e } from './endpoints.ts';
import { Organization, type Wish } from './scripted-api.ts';

type Row = readonly [law: string, wish: Wish, steps: string];
const NAMED = { spec: { name: 'Acme' } };
const OURS = { held: 'a', inventory: 'a Added Present' };
const REMOVES = { deletionPolicy: 'RemovePrivateEndpoints' };

describe('an attempt where all goes well', () => {
  test.each<Row>([
    ['of a new object takes two calls and one save', {}, 'observe, save +a, +a'],
    [
      'of a new object with a name takes three, and the name goes by itself',
      { ...NAMED, name: 'Old' },
      'observe, name Acme, save +a, +a',
    ],
    [
      'of an edit takes two, for all adds and removals together',
      { ...OURS, ids: 'b c' },
      'observe, save +b +c -a, +b +c -a',
    ],
    ['of a re-assert takes one and saves nothing', { ...OURS, ...NAMED }, 'observe'],
    [
      'where the API never shows the name sends it once',
      { ...NAMED, mishaps: { observe: ['no-name'], 'name Acme': ['no-name'], '+a': ['no-name'] } },
      'observe, name Acme, save +a, +a',
    ],
    ['that finds all that is listed adds nothing', { held: 'a' }, 'observe'],
    [
      'with an empty list removes what is ours alone',
      { ...OURS, ids: '', held: 'a x' },
      'observe, save -a, -a',
    ],
    [
      'of a list that became absent removes nothing',
      { ...OURS, ...NAMED, ids: undefined },
      'observe',
    ],
    [
      'of ours under another region removes it first, and adds when the list lacks it',
      { ...OURS, ids: 'a/r2' },
      'observe, save -a, -a, save +a, +a',
    ],
    [
      'that would remove too much sends nothing at all, nor the name',
      { ...OURS, ids: 'b', name: 'Old', spec: { name: 'Acme', maxPrivateEndpointRemovals: 0 } },
      'observe',
    ],
    [
      'puts the finalizer on before the first pending change',
      { spec: REMOVES },
      'observe, finalizer on, save +a, +a',
    ],
    [
      'puts it on at once where something is ours already',
      { ...OURS, spec: REMOVES },
      'finalizer on, observe',
    ],
    ['puts none on where nothing is ours', { held: 'a', spec: REMOVES }, 'observe'],
    [
      'takes it off under Retain',
      { ...OURS, metadata: { finalizers: ['pipewright.dev/remove-private-endpoints'] } },
      'finalizer off, observe',
    ],
  ])('%s', async (_, wish, steps) => {
    const organization = new Organization(wish);
    const { result } = await organization.run();
    expect([organization.steps, result.did]).toEqual([steps, 'done']);
    expect(organization.status).not.toHaveProperty('pendingChange');
  });

  test('is not made again of what is confirmed, also with the list in another order', async () => {
    const organization = new Organization({ ids: 'a b' });
    const { requestHash } = (await organization.run()).status.applied ?? {};
    expect((await organization.run(MINUTE)).result.did).toBe('nothing');
    organization.stage.edit(organization.id, { privateEndpoints: [e('b'), e('a')] });
    expect((await organization.run()).status.applied).toMatchObject({ requestHash, generation: 2 });
  });
});

test('the bodies: an empty change, then the change with descriptions, none that is empty', async () => {
  const listed = [
    { ...e('a'), description: 'db' },
    { ...e('b'), description: '' },
  ];
  const spec = { privateEndpoints: listed };
  const organization = new Organization({ spec, inventory: 'x Added Present' });
  organization.held = [{ id: 'X', cloudProvider: 'GCP', region: 'r1' }];
  await organization.run();
  expect(organization.stage.bodies.map((body) => JSON.parse(body) as unknown)).toEqual([
    { privateEndpoints: { add: [], remove: [] } },
    {
      privateEndpoints: {
        add: [{ ...e('a'), description: 'db' }, e('b')],
        remove: [{ id: 'X', cloudProvider: 'GCP', region: 'r1' }],
      },
    },
  ]);
  expect(organization.stage.paths[0]).toBe(
    'PATCH /v1/organizations/0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
  );
});

test('the change that is sent is persisted before it leaves, and shown as what is being done', async () => {
  const inventory = 'b Added Present, x Added Present';
  const organization = new Organization({ ids: 'a b c', held: 'b x', inventory });
  await organization.run();
  const { stage } = organization;
  expect(stage.saved).toMatchObject([
    { pendingChange: { time: at(0), add: [e('a'), e('c')], remove: [e('x')] } },
  ]);
  const message =
    'Sending 2 private endpoints to add, 1 to remove (1 of 3 private endpoints there)';
  expect(stage.saved[0]?.conditions).toMatchObject([
    { type: 'Ready', status: 'Unknown', reason: 'Pending', message },
    { type: 'Reconciling' },
  ]);
});

/** Something happens to the first of these steps. */
const once = (step: string, happen: (organization: Organization) => void): Pick<Wish, 'on'> => {
  let isOver = false;
  const on: Wish['on'] = (met, organization) => {
    if (met !== step || isOver) return;
    isOver = true;
    happen(organization);
  };
  return { on };
};
const later = (ms: number) => once('finalizer on', ({ stage }) => stage.clock.jumpWall(ms));

describe('an observation', () => {
  const spec = REMOVES;
  test.each<Row>([
    [
      'that is 30 s old is good for a change',
      { spec, ...later(30 * SECOND) },
      'observe, finalizer on, save +a, +a',
    ],
    [
      'that is older is made again',
      { spec, ...later(31 * SECOND) },
      'observe, finalizer on, observe, save +a, +a',
    ],
    [
      'that is made again decides anew',
      {
        spec,
        ...once('finalizer on', ({ stage, held }) => {
          stage.clock.jumpWall(31 * SECOND);
          held.push(e('a'));
        }),
      },
      'observe, finalizer on, observe',
    ],
  ])('%s', async (_, wish, steps) => {
    const organization = new Organization(wish);
    await organization.run();
    expect(organization.steps).toBe(steps);
  });
});

test('at most four observations are made where each call waits for more than 30 s', async () => {
  const organization = new Organization({ limits: { rate: { calls: 1, perMs: 31 * SECOND } } });
  await organization.run();
  expect(organization.requests).toBe('observe, observe, observe, observe, +a');
});

describe('what is no longer wanted', () => {
  const wish: Wish = { spec: { ...REMOVES, name: 'Acme' }, name: 'Old' };
  const steps = ['observe', 'name Acme', 'finalizer on', 'save +a', '+a'];
  const ends: Readonly<Record<string, (one: Organization) => void>> = {
    edited: ({ stage, id }) => stage.edit(id, { suspend: true }),
    deleted: ({ stage, id }) => stage.edit(id, {}, { deletionTimestamp: at(0) }),
    'led by another process': ({ stage }) => (stage.isLeading = false),
  };
  const cases = Object.keys(ends).flatMap((how) =>
    steps.map((step, at) => [how, step, at] as const),
  );

  test.each(cases)(
    '%s after "%s" sends nothing more, and persists no change that was not sent',
    async (how, step, index) => {
      const organization = new Organization({ ...wish, ...once(step, (one) => ends[how]?.(one)) });
      await organization.run();
      const after = organization.stage.log
        .slice(index + 1)
        .filter((one) => /^(observe|name|\+)/.test(one));
      expect([organization.stage.log[index], after]).toEqual([step, []]);
      expect(organization.status).not.toHaveProperty('pendingChange');
    },
  );

  test('keeps what was sent in the history of the generation that declared it', async () => {
    const organization = new Organization(once('+a', ({ stage, id }) => stage.edit(id)));
    const { status } = await organization.run();
    expect(status.history).toMatchObject([
      { generation: 1, changes: [{ field: 'privateEndpoints[a]', to: 'gcp/r1' }] },
    ]);
  });
});

describe('before a change leaves', () => {
  test.each<Row>([
    ['a save that fails ends the attempt', { saves: () => false }, 'observe, save +a'],
    [
      'a finalizer that does not go on ends it',
      { spec: REMOVES, finalizers: false },
      'observe, finalizer on',
    ],
    [
      'a save that takes more than 10 s lets nothing leave',
      once('save +a', ({ stage }) => stage.clock.jumpWall(10 * SECOND + 1)),
      'observe, save +a',
    ],
    [
      'a Secret that is gone meanwhile lets nothing leave',
      once('observe', ({ stage }) => stage.secrets.set('api', undefined)),
      'observe',
    ],
  ])('%s', async (_, wish, steps) => {
    const organization = new Organization(wish);
    await organization.run();
    expect(organization.steps).toBe(steps);
    expect(organization.status).not.toHaveProperty('pendingChange');
  });
});
