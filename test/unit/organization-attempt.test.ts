import { describe, expect, test } from 'vitest';
import { FINALIZER } from '../../src/kinds/organization/resource.ts';
import { SECOND } from '../support/objects.ts';
import { type AttemptWish, attemptOn } from '../support/organization-attempt.ts';
import { appliedStatus, at, e, entry } from '../support/organization-entries.ts';

type Row = readonly [sentence: string, wish: AttemptWish, steps: readonly string[]];

const NAMED = { spec: { name: 'Acme' } };
const HAS_A = { held: ['a'], status: appliedStatus([entry('a')]) };

describe('an attempt where all goes well', () => {
  test.each<Row>([
    ['of a new object takes two calls and one save', {}, ['observe', 'save +a', '+a']],
    [
      'of a new object with a name takes three, and the name goes by itself',
      { ...NAMED, name: 'Old' },
      ['observe', 'name Acme', 'save +a', '+a'],
    ],
    [
      'of an edit takes two, for all adds and removals together',
      { ...HAS_A, ids: ['b', 'c'] },
      ['observe', 'save +b +c -a', '+b +c -a'],
    ],
    ['of a re-assert takes one and saves nothing', HAS_A, ['observe']],
    ['with a name that is there sends no name', { ...HAS_A, ...NAMED, name: 'Acme' }, ['observe']],
    [
      'with a name alone saves nothing',
      { ...NAMED, ids: undefined, name: 'Old' },
      ['observe', 'name Acme'],
    ],
    [
      'where the API never shows the name sends it once',
      NAMED,
      ['observe', 'name Acme', 'save +a', '+a'],
    ],
    ['that finds all that is listed adds nothing', { held: ['a'] }, ['observe']],
    [
      'with an empty list removes what is ours alone',
      { ...HAS_A, ids: [], held: ['a', 'x'] },
      ['observe', 'save -a', '-a'],
    ],
    [
      'of a list that became absent removes nothing',
      { ...HAS_A, ...NAMED, ids: undefined, name: 'Acme' },
      ['observe'],
    ],
    [
      'of ours under another region removes it first, and adds when the list lacks it',
      { ...HAS_A, ids: [], spec: { privateEndpoints: [e('a', { region: 'r2' })] } },
      ['observe', 'save -a', '-a', 'save +a', '+a'],
    ],
    [
      'of a deletion removes what is ours, adds nothing and sends no name',
      { ...HAS_A, ...NAMED, name: 'Old', ids: ['a', 'b'], isCleanup: true },
      ['observe', 'save -a', '-a'],
    ],
    [
      'that would remove too much sends nothing at all, nor the name',
      {
        ...HAS_A,
        ...NAMED,
        name: 'Old',
        ids: ['b'],
        spec: { ...NAMED.spec, maxPrivateEndpointRemovals: 0 },
      },
      ['observe'],
    ],
  ])('%s', async (_, wish, steps) => {
    const rig = attemptOn(wish);
    const { did } = await rig.run();
    expect(rig.steps).toEqual(steps);
    expect(did).toBe('done');
    expect(rig.object.status?.pendingChange).toBeUndefined();
  });

  test('asks for a permit before each call but the first, and saves with it in hand', async () => {
    const rig = attemptOn({ ...NAMED, name: 'Old' });
    await rig.run();
    expect(rig.log).toEqual(['observe', 'permit', 'name Acme', 'permit', 'save +a', '+a']);
  });

  test('sends a description with an add, and leaves the key out without one', async () => {
    const spec = {
      privateEndpoints: [
        { ...e('a'), description: 'db' },
        { ...e('b'), description: '' },
      ],
    };
    const rig = attemptOn({ ids: [], spec });
    await rig.run();
    expect(JSON.parse(rig.bodies[1] ?? '')).toEqual({
      privateEndpoints: { add: [{ ...e('a'), description: 'db' }, e('b')] },
    });
  });

  test('removes an endpoint as the list writes it', async () => {
    const reported = { id: ' A', cloudProvider: 'GCP', region: 'r1' };
    const rig = attemptOn({ ...HAS_A, ids: [], held: [reported] });
    await rig.run();
    expect(JSON.parse(rig.bodies[1] ?? '')).toEqual({ privateEndpoints: { remove: [reported] } });
  });

  test('persists the change that is sent, as what is being done, before it leaves', async () => {
    const rig = attemptOn({ ...HAS_A, ids: ['b'] });
    await rig.run();
    expect(rig.saved).toMatchObject([
      {
        pendingChange: { time: at(0), add: [e('b')], remove: [e('a')] },
        conditions: [
          { type: 'Ready', status: 'Unknown', reason: 'Pending' },
          { type: 'Reconciling' },
        ],
      },
    ]);
  });
});

describe('the finalizer', () => {
  const spec = { deletionPolicy: 'RemovePrivateEndpoints' } as const;
  test('goes on before the first pending change', async () => {
    const rig = attemptOn({ spec });
    await rig.run();
    expect(rig.steps).toEqual(['observe', 'finalizer', 'save +a', '+a']);
  });

  test.each<Row>([
    [
      'is not needed where it is on',
      { spec, metadata: { finalizers: [FINALIZER] } },
      ['observe', 'save +a', '+a'],
    ],
    ['is not needed where nothing is changed', { spec, held: ['a'] }, ['observe']],
    ['is not needed under Retain', {}, ['observe', 'save +a', '+a']],
    [
      'that does not go on ends the attempt before anything is saved or sent',
      { spec, finalizer: false },
      ['observe', 'finalizer'],
    ],
  ])('%s', async (_, wish, steps) => {
    const rig = attemptOn(wish);
    await rig.run();
    expect(rig.steps).toEqual(steps);
  });
});

describe('an observation', () => {
  const late = (ms: number): AttemptWish => ({
    on: (step, rig) => {
      if (step === 'permit') rig.now += ms;
    },
  });
  const once = (what: (rig: ReturnType<typeof attemptOn>) => void): AttemptWish => ({
    on: (step, rig) => {
      if (step === 'permit' && rig.log.filter((one) => one === 'permit').length === 1) what(rig);
    },
  });

  test.each<Row>([
    ['that is 30 s old is good for a change', late(30 * SECOND), ['observe', 'save +a', '+a']],
    [
      'that is older is made again',
      once((rig) => (rig.now += 30 * SECOND + 1)),
      ['observe', 'observe', 'save +a', '+a'],
    ],
    [
      'is made again after a pause of the key',
      once((rig) => {
        rig.pausedAt = rig.now;
        rig.now += 1;
      }),
      ['observe', 'observe', 'save +a', '+a'],
    ],
  ])('%s', async (_, wish, steps) => {
    const rig = attemptOn(wish);
    await rig.run();
    expect(rig.steps).toEqual(steps);
  });

  test('that is made again decides anew', async () => {
    const rig = attemptOn(
      once((now) => {
        now.now += 31 * SECOND;
        now.held.push(e('a'));
      }),
    );
    await rig.run();
    expect(rig.steps).toEqual(['observe', 'observe']);
    expect(rig.object.status?.privateEndpoints).toMatchObject([{ origin: 'Found' }]);
  });

  test('is not made for ever where each call waits for minutes', async () => {
    const rig = attemptOn(late(60 * SECOND));
    await rig.run();
    expect(rig.requests.at(-1)).toBe('+a');
  });
});

describe('what is no longer wanted', () => {
  const steps = ['observe', 'permit', 'name Acme', 'finalizer', 'permit', 'save +a', '+a'];
  const wish: AttemptWish = {
    spec: { name: 'Acme', deletionPolicy: 'RemovePrivateEndpoints' },
    name: 'Old',
  };

  test('would go through all of these', async () => {
    const rig = attemptOn(wish);
    await rig.run();
    expect(rig.log).toEqual(steps);
  });

  test.each(steps.map((step, index) => [step, index] as const))(
    'after "%s" (%i) sends nothing more, and its status has no change that was not sent',
    async (_, index) => {
      const rig = attemptOn({
        ...wish,
        on: (_step, now) => {
          if (now.log.length === index + 1) now.isWanted = false;
        },
      });
      const { result } = await rig.run();
      const isRequest = (step: string) => /^(observe|name|\+)/.test(step);
      expect(rig.log.slice(index + 1).filter(isRequest)).toEqual([]);
      expect(rig.object.status?.pendingChange).toBeUndefined();
      expect(result.status).not.toHaveProperty('pendingChange');
    },
  );

  test.each(['user', 'scheduled'] as const)(
    'before it begins makes no call, and says nothing: %s',
    async (priority) => {
      const status = { privateEndpoints: [] };
      const rig = attemptOn({ priority, status });
      rig.isWanted = false;
      const { did } = await rig.run();
      expect([rig.log, did, rig.object.status]).toEqual([[], 'stopped', status]);
    },
  );
});
