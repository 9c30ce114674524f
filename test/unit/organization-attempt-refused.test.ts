import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../support/objects.ts';
import { type AttemptRig, type AttemptWish, attemptOn } from '../support/organization-attempt.ts';
import { appliedStatus, at } from '../support/organization-entries.ts';
import { ours } from '../support/organization-told.ts';

type Row = readonly [sentence: string, wish: AttemptWish, steps: string];

const inventory = ({ object }: AttemptRig) => object.status?.privateEndpoints;

describe('a change that the API refuses', () => {
  test.each<Row>([
    [
      'is taken back before any other call, observed again, and sent one at a time, removals first',
      { ...ours('x', 'y'), ids: ['a', 'b'], mishaps: { '+a +b -x -y': [422] } },
      'observe, save +a +b -x -y, +a +b -x -y, save, observe, save -x, -x, save -y' +
        ', -y, save +a, +a, save +b, +b',
    ],
    [
      'and of one endpoint is not observed again, and the others go on',
      { ids: ['a', 'b'], mishaps: { '+a +b': [400], '+a': [400] } },
      'observe, save +a +b, +a +b, save, observe, save +a, +a, save, save +b, +b',
    ],
    [
      'three times in a row ends the attempt',
      {
        ids: ['a', 'b', 'c', 'd'],
        mishaps: { '+a +b +c +d': [422], '+a': [422], '+b': [422], '+c': [422] },
      },
      'observe, save +a +b +c +d, +a +b +c +d, save, observe, save +a, +a, save' +
        ', save +b, +b, save, save +c, +c, save',
    ],
    [
      'goes on where one in between is taken',
      {
        ids: ['a', 'b', 'c', 'd', 'e'],
        mishaps: { '+a +b +c +d +e': [422], '+a': [422], '+b': [422], '+d': [422] },
      },
      'observe, save +a +b +c +d +e, +a +b +c +d +e, save, observe, save +a, +a, save, ' +
        'save +b, +b, save, save +c, +c, save +d, +d, save, save +e, +e',
    ],
    [
      'is not sent a second time where the observation has it by then',
      {
        ids: ['a', 'b'],
        mishaps: { '+a +b': [409] },
        on: (step, rig) => {
          if (step === '+a +b') rig.held.push({ id: 'a', cloudProvider: 'gcp', region: 'r1' });
        },
      },
      'observe, save +a +b, +a +b, save, observe, save +b, +b',
    ],
  ])('%s', async (_, wish, steps) => {
    const rig = attemptOn(wish);
    await rig.run();
    expect(rig.steps.join(', ')).toBe(steps);
    expect(rig.object.status?.pendingChange).toBeUndefined();
  });

  test.each([400, 403, 404, 405, 409, 410, 413, 422, 423, 424, 451])(
    'with HTTP %i is split, since the same attempt was answered 200 when it observed',
    async (code) => {
      const rig = attemptOn({ ids: ['a', 'b'], mishaps: { '+a +b': [code] } });
      const { did } = await rig.run();
      expect(rig.requests).toEqual(['observe', '+a +b', 'observe', '+a', '+b']);
      expect(did).toBe('done');
    },
  );

  test('is told of by an event that says what may have been done in part', async () => {
    const rig = attemptOn({ ...ours('x'), ids: ['a'], mishaps: { '+a -x': [422] } });
    const { result } = await rig.run();
    expect(result.events?.map(({ note }) => note)).toContain(
      'The API refused to add a and to remove x, of which a part may have been done: HTTP 422: no 422 (request r-2). They are sent one at a time',
    );
  });

  test('finds nobody’s where the refused add is there: it is not ours', async () => {
    const rig = attemptOn({ mishaps: { '+a': [409] } });
    await rig.run();
    rig.held.push({ id: 'a', cloudProvider: 'gcp', region: 'r1' });
    rig.now += 20 * MINUTE;
    const { result } = await rig.run();
    expect(inventory(rig)).toMatchObject([{ id: 'a', origin: 'Found', state: 'Present' }]);
    expect(result.events).toMatchObject([{ reason: 'OwnershipUnknown' }]);
  });
});

describe('a refused endpoint', () => {
  const waitOf = (rig: AttemptRig) =>
    Date.parse(inventory(rig)?.[0]?.nextAttemptTime ?? '') - rig.now;

  test.each([
    [400, 10 * MINUTE],
    [403, 10 * MINUTE],
    [409, MINUTE],
    [423, MINUTE],
    [424, MINUTE],
  ])('after HTTP %i has its own back-off, %i ms at first', async (code, first) => {
    const rig = attemptOn({ mishaps: { '+a': [code, code] } });
    await rig.run();
    expect(waitOf(rig)).toBeGreaterThan(first * 0.8);
    expect(waitOf(rig)).toBeLessThan(first * 1.2 + SECOND);
    rig.now += 2 * first;
    await rig.run();
    expect(inventory(rig)?.[0]?.attempts).toBe(2);
    expect(waitOf(rig)).toBeGreaterThan(2 * first * 0.8);
  });

  test('waits at most 6 hours', async () => {
    const rig = attemptOn({ mishaps: { '+a': Array.from({ length: 20 }, () => 400) } });
    for (let round = 0; round < 20; round += 1) {
      await rig.run();
      rig.now += 8 * HOUR;
    }
    expect(waitOf(rig) + 8 * HOUR).toBeLessThan(6 * HOUR * 1.2 + SECOND);
  });

  test('keeps what the API said, and is nobody’s', async () => {
    const rig = attemptOn({ mishaps: { '+a': [422] } });
    await rig.run();
    expect(inventory(rig)).toMatchObject([
      { state: 'Refused', lastError: { httpStatus: 422, message: 'HTTP 422: no 422' } },
    ]);
    expect(inventory(rig)?.[0]).not.toHaveProperty('origin');
  });

  test('whose removal was refused stays ours and Present', async () => {
    const rig = attemptOn({ ...ours('x'), ids: [], mishaps: { '-x': [409] } });
    await rig.run();
    expect(inventory(rig)).toMatchObject([
      { id: 'x', origin: 'Added', state: 'Present', lastError: { httpStatus: 409 }, attempts: 1 },
    ]);
  });

  test('is not sent before its time, and keeps no other back', async () => {
    const rig = attemptOn({ ids: ['a'], mishaps: { '+a': [400] } });
    await rig.run();
    rig.now += MINUTE;
    await rig.run();
    expect(rig.requests).toEqual(['observe', '+a', 'observe']);
  });

  test('comes after those that were never tried, in the attempt a minute later', async () => {
    const refuse = Array.from({ length: 9 }, () => 422);
    const wish = { '+a +b +c +d': [422], '+a': refuse, '+b': refuse, '+c': refuse };
    const rig = attemptOn({ ids: ['a', 'b', 'c', 'd'], mishaps: wish });
    const { result } = await rig.run();
    expect(result.next).toEqual({ at: rig.now + MINUTE });
    rig.now += MINUTE;
    rig.log.length = 0;
    await rig.run();
    expect(rig.requests).toEqual(['observe', '+d']);
    rig.now += HOUR;
    rig.log.length = 0;
    await rig.run();
    expect(rig.requests).toEqual(['observe', '+a', '+b', '+c']);
  });
});

describe('a name that the API refuses', () => {
  test('keeps no endpoint back', async () => {
    const rig = attemptOn({ spec: { name: 'Acme' }, name: 'Old', mishaps: { 'name Acme': [422] } });
    const { result } = await rig.run();
    expect(rig.requests).toEqual(['observe', 'name Acme', '+a']);
    expect(result.status).toMatchObject({
      conditions: [{ reason: 'Rejected', status: 'False' }, { type: 'Stalled' }],
    });
  });

  test.each([401, 408, 425, 429, 500, 503])(
    'with HTTP %i says nothing of the name, and ends the attempt',
    async (code) => {
      const rig = attemptOn({
        spec: { name: 'Acme' },
        name: 'Old',
        mishaps: { 'name Acme': [code] },
      });
      const { did } = await rig.run();
      expect(rig.requests).toEqual(['observe', 'name Acme']);
      expect(did).toBe('failure');
    },
  );

  test('what it was before the operator changed it is drift, unless it was confirmed last', async () => {
    const status = appliedStatus([], { organization: { name: 'Acme' } });
    const named = { ids: undefined, status, spec: { name: 'Acme' } };
    const renamed = attemptOn({ ...named, name: 'Theirs' });
    await renamed.run();
    expect(renamed.object.status?.drift).toEqual([
      { field: 'name', from: 'Acme', to: 'Theirs', time: at(0) },
    ]);
    const edited = attemptOn({ ...named, name: 'Acme', spec: { name: 'New' } });
    await edited.run();
    expect(edited.object.status?.drift).toBeUndefined();
    expect(edited.object.status?.history).toMatchObject([
      { changes: [{ field: 'name', from: 'Acme', to: 'New' }] },
    ]);
  });
});
