import { describe, expect, test } from 'vitest';
import { MINUTE, readyIn, SECOND } from '../support/objects.ts';
import { type AttemptRig, attemptOn, type Mishap } from '../support/organization-attempt.ts';
import { appliedStatus, entry } from '../support/organization-entries.ts';

const NAMED = { spec: { name: 'Acme' }, name: 'Acme' };
const HINT = 'Declare spec.name to make the list readable';
const ready = ({ object }: AttemptRig) => readyIn(object.status);
const always = (mishap: Mishap, count = 9) => Array.from({ length: count }, () => mishap);

async function attempts(rig: AttemptRig, count: number): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    rig.now += 20 * MINUTE;
    await rig.run();
  }
}

describe('an API that refuses to change nothing', () => {
  test.each([400, 405, 422])('with %i is observed by the declared name, at once', async (code) => {
    const rig = attemptOn({ ...NAMED, mishaps: { observe: always(code) } });
    await rig.run();
    expect(rig.requests).toEqual(['observe', 'name Acme', '+a']);
    rig.now += MINUTE;
    await rig.run();
    expect(rig.requests.slice(3), 'and that is remembered').toEqual(['name Acme']);
  });

  test('has its name changed by that, which is no drift', async () => {
    const status = appliedStatus([], { organization: { name: 'Old' } });
    const wish = { ids: undefined, spec: { name: 'New' }, name: 'Old', status };
    const rig = attemptOn({ ...wish, mishaps: { observe: [400] } });
    await rig.run();
    expect(rig.object.status?.drift).toBeUndefined();
    expect(rig.object.status?.history).toMatchObject([
      { changes: [{ field: 'name', from: 'Old', to: 'New' }] },
    ]);
  });

  test('is sent the name once in an attempt, also where it does not take it', async () => {
    const mishaps = { observe: [400], 'name Acme': ['idle' as const] };
    const rig = attemptOn({ ...NAMED, name: 'Old', mishaps });
    await rig.run();
    expect(rig.requests).toEqual(['observe', 'name Acme', '+a']);
  });

  test('is asked anew where the name did not show it either', async () => {
    const rig = attemptOn({ ...NAMED, mishaps: { observe: [422], 'name Acme': [503] } });
    await attempts(rig, 2);
    expect(rig.requests).toEqual(['observe', 'name Acme', 'observe', '+a']);
  });

  test.each([400, 405, 422])(
    'with %i and no declared name cannot be observed, and the message says what to do',
    async (code) => {
      const rig = attemptOn({ mishaps: { observe: [code] } });
      await rig.run();
      expect(rig.requests).toEqual(['observe']);
      expect(ready(rig)).toMatchObject({
        reason: 'Rejected',
        message: expect.stringContaining(HINT),
      });
    },
  );

  test('is observed by the name while the object is deleted', async () => {
    const status = appliedStatus([entry('a')]);
    const wish = { ...NAMED, isCleanup: true, status, held: ['a'] };
    const rig = attemptOn({ ...wish, mishaps: { observe: [400] } });
    await rig.run();
    expect(rig.requests).toEqual(['observe', 'name Acme', '-a']);
  });

  test('is not sent a name while too much would be removed', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const status = appliedStatus(ids.map((id) => entry(id)));
    const rig = attemptOn({ ...NAMED, ids: [], held: ids, status, mishaps: { observe: [400] } });
    await attempts(rig, 2);
    expect(rig.requests).toEqual(['observe']);
    expect(ready(rig).reason).toBe('RemovalBlocked');
  });
});

describe('an API that fails to change nothing', () => {
  test('three times in a row with 500 in JSON is observed by the declared name', async () => {
    const rig = attemptOn({ ...NAMED, mishaps: { observe: always(500) } });
    await attempts(rig, 4);
    expect(rig.requests).toEqual(['observe', 'observe', 'observe', 'name Acme', '+a', 'name Acme']);
  });

  test('three times, and the object being deleted, is not sent a name', async () => {
    const wish = { ...NAMED, isCleanup: true, status: appliedStatus([entry('a')]) };
    const rig = attemptOn({ ...wish, mishaps: { observe: always(500) } });
    await attempts(rig, 4);
    expect(rig.requests).toEqual(['observe', 'observe', 'observe', 'observe']);
    expect(ready(rig).message).not.toContain(HINT);
  });

  test('three times without a declared name says that one would help', async () => {
    const rig = attemptOn({ mishaps: { observe: always(500) } });
    await attempts(rig, 2);
    expect(ready(rig).message).not.toContain(HINT);
    await attempts(rig, 1);
    expect(ready(rig)).toMatchObject({
      reason: 'Unavailable',
      message: expect.stringContaining(HINT),
    });
  });

  test.each<[string, readonly Mishap[]]>([
    ['HTTP 502', always(502)],
    ['HTTP 503', always(503)],
    ['HTTP 504', always(504)],
    ['500 in HTML', always({ html: 500 })],
    ['no answer', always('lost')],
    ['nothing that left', always('not-sent')],
    ['500, with other answers in between', [500, 500, 503, 500, 500, 'lost', 500, 500]],
  ])(
    'with %s is never sent a name for it: an outage is no property of the API',
    async (_, mishaps) => {
      const rig = attemptOn({ ...NAMED, mishaps: { observe: mishaps } });
      await attempts(rig, mishaps.length);
      expect(new Set(rig.requests)).toEqual(new Set(['observe']));
    },
  );

  test.each([
    [401, 'Unauthorized'],
    [403, 'Forbidden'],
    [404, 'NotFound'],
    [409, 'Conflict'],
    [424, 'DependencyNotReady'],
    [429, 'RateLimited'],
  ])('with %i is not sent a name: %s', async (code, reason) => {
    const rig = attemptOn({ ...NAMED, mishaps: { observe: [code] } });
    await rig.run();
    expect(rig.requests).toEqual(['observe']);
    expect(ready(rig).reason).toBe(reason);
  });
});

describe('an API that leaves the list out', () => {
  const without = (held: readonly string[], isOurs = held) => ({
    ids: ['a', 'b'],
    held,
    status: appliedStatus(isOurs.map((id) => entry(id))),
    mishaps: { observe: always('no-list'), '+b': always('no-list') },
  });
  const after = async (rig: AttemptRig, ms: number) => {
    rig.now += ms;
    return (await rig.run()).result;
  };

  test('is not believed at once: nothing is added, and NotConfirmed', async () => {
    const rig = attemptOn(without([]));
    await rig.run();
    await after(rig, MINUTE - 1);
    expect(rig.requests).toEqual(['observe', 'observe']);
    expect(ready(rig).reason).toBe('NotConfirmed');
    expect(rig.object.status?.notReported).toEqual(['privateEndpoints']);
  });

  test('for a minute has an empty one, where nothing was there', async () => {
    const rig = attemptOn(without([]));
    await rig.run();
    await after(rig, MINUTE);
    expect(rig.requests).toEqual(['observe', 'observe', '+a +b']);
    expect(ready(rig).reason).toBe('Applied');
  });

  test('for a minute is not believed where something was there; after ten minutes it is, with an event', async () => {
    const rig = attemptOn(without(['a']));
    await rig.run();
    await after(rig, MINUTE);
    await after(rig, 9 * MINUTE - 1);
    expect(rig.requests).toEqual(['observe', 'observe', 'observe']);
    const { events } = await after(rig, 1);
    expect(events?.[0]?.note).toMatch(
      /left the list of private endpoints out.*It had: a \(gcp\/r1\)/,
    );
    expect(rig.object.status?.privateEndpoints).toContainEqual(
      expect.objectContaining({ id: 'a', state: 'Missing' }),
    );
  });

  test('once in between has one', async () => {
    const rig = attemptOn({
      ...without([]),
      mishaps: { observe: ['no-list', 'idle', 'no-list'] },
      ids: [],
    });
    await rig.run();
    await after(rig, 30 * SECOND);
    expect(rig.object.status).not.toHaveProperty('listLeftOutSince');
    await after(rig, 40 * SECOND);
    expect(ready(rig).reason).toBe('NotConfirmed');
  });

  test('when the last one is removed is believed after a minute', async () => {
    const mishaps = { '-a': ['no-list' as const], observe: [undefined, ...always('no-list')] };
    const rig = attemptOn({ ...without(['a']), ids: [], mishaps });
    await rig.run();
    expect(rig.object.status?.pendingChange?.remove).toHaveLength(1);
    await after(rig, MINUTE);
    expect(rig.object.status).not.toHaveProperty('pendingChange');
    expect(ready(rig).reason).toBe('Applied');
  });

  test('in a form that cannot be read has one that is not empty', async () => {
    const rig = attemptOn({ ids: ['a'], mishaps: { observe: always('odd-list') } });
    await rig.run();
    await after(rig, 60 * MINUTE);
    expect(rig.requests).toEqual(['observe', 'observe']);
    expect(ready(rig).reason).toBe('NotConfirmed');
  });
});

describe('an object that is edited while its change is on its way', () => {
  test('what was sent stands in the history under the generation that declared it, also if edited meanwhile', async () => {
    const on = (step: string, { object }: AttemptRig): void => {
      if (step === '+a')
        rig.object = { ...object, metadata: { ...object.metadata, generation: 2 } };
    };
    const rig: AttemptRig = attemptOn({ on });
    await rig.run();
    expect(rig.object.metadata.generation).toBe(2);
    expect(rig.object.status?.history).toMatchObject([
      { generation: 1, changes: [{ field: 'privateEndpoints[a]' }] },
    ]);
  });
});
