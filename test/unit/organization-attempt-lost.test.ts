import { describe, expect, test } from 'vitest';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import type { NoCall } from '../../src/kinds/shared/calls.ts';
import { readyIn, SECOND } from '../support/objects.ts';
import { type AttemptRig, attemptOn, type Mishap } from '../support/organization-attempt.ts';
import { appliedStatus, at, e, entry } from '../support/organization-entries.ts';
import { SETTLE_MS } from '../support/settlement.ts';

const ready = ({ object }: AttemptRig) => readyIn(object.status);
const states = ({ object }: AttemptRig) =>
  (object.status?.privateEndpoints ?? []).map(({ id, state }) => `${id} ${state}`);

/** What nobody can tell of what it did. */
const LOST: readonly [sentence: string, mishap: Mishap, reason: string][] = [
  ['no answer', 'lost', 'OutcomeUnknown'],
  ['HTTP 408', 408, 'OutcomeUnknown'],
  ['HTTP 500', 500, 'OutcomeUnknown'],
  ['HTTP 501', 501, 'OutcomeUnknown'],
  ['HTTP 503', 503, 'OutcomeUnknown'],
  ['a page of a proxy', { html: 200 }, 'UnexpectedResponse'],
  ['a redirect', { html: 302 }, 'UnexpectedResponse'],
  ['HTTP 200 without a list', 'no-list', 'OutcomeUnknown'],
  ['HTTP 200 with a list that cannot be read', 'odd-list', 'OutcomeUnknown'],
];

describe('a change that is answered by', () => {
  test.each(LOST)('%s stays pending, and nothing else is sent', async (_, mishap, reason) => {
    const rig = attemptOn({ ids: ['a', 'b'], mishaps: { '+a +b': [mishap] } });
    const { result } = await rig.run();
    expect(rig.steps).toEqual(['observe', 'save +a +b', '+a +b']);
    expect(rig.object.status?.pendingChange).toEqual({
      time: at(0),
      add: [e('a'), e('b')],
      remove: [],
    });
    expect(ready(rig)).toMatchObject({ status: 'False', reason });
    expect(result.next).not.toBe('on-change');
  });

  test.each([401, 425, 429, 'not-sent'] as const)(
    '%s did nothing: it is cleared, and nothing else is sent',
    async (mishap) => {
      const rig = attemptOn({ ids: ['a', 'b'], mishaps: { '+a +b': [mishap] } });
      const { result } = await rig.run();
      expect(rig.steps).toEqual(['observe', 'save +a +b', '+a +b']);
      expect(rig.object.status?.pendingChange).toBeUndefined();
      expect(states(rig)).toEqual([]);
      const reasons = {
        401: 'Unauthorized',
        425: 'Conflict',
        429: 'RateLimited',
        'not-sent': 'Unavailable',
      };
      expect(ready(rig).reason).toBe(reasons[mishap]);
      // Who tries a refused key, and when, is the limiter's to say.
      expect(result.next === 'on-change').toBe(mishap === 401);
    },
  );
});

describe('what may be on its way', () => {
  /** As a crash right after the save leaves it. */
  const status: OrganizationStatus = appliedStatus([entry('x')], {
    pendingChange: { time: at(0), add: [e('a')], remove: [e('x')] },
  });
  const wish = { ids: ['a', 'b'], status };

  test('is observed, and is ours where the list shows it; the rest follows at once', async () => {
    const rig = attemptOn({ ...wish, held: ['a'] });
    rig.now += SECOND;
    const { result } = await rig.run();
    expect(rig.requests).toEqual(['observe', '+b']);
    expect(states(rig)).toEqual(['a Present', 'b Present']);
    expect(ready(rig).reason).toBe('Applied');
    expect(result.events).toMatchObject([{ reason: 'Applied' }, { reason: 'Applied' }]);
  });

  test('ends where spec has no list any more, and the API leaves an empty one out', async () => {
    const pendingChange = { time: at(0), add: [e('a')], remove: [] };
    const rig = attemptOn({
      ids: undefined,
      spec: { name: 'New' },
      name: 'Old',
      status: appliedStatus([], { pendingChange }),
      mishaps: { observe: ['no-list', 'no-list'] },
    });
    rig.now += SETTLE_MS;
    await rig.run();
    expect(rig.object.status?.pendingChange).toEqual(pendingChange);
    rig.now += 61 * SECOND;
    await rig.run();
    expect(rig.object.status?.pendingChange).toBeUndefined();
    expect(rig.requests).toEqual(['observe', 'observe', 'name New']);
  });

  test.each([
    ['lacks the add', [] as string[]],
    ['has what is to be removed', ['a', 'x']],
  ])('keeps all else back while the list %s', async (_, held) => {
    const rig = attemptOn({ ...wish, held });
    rig.now += SETTLE_MS - SECOND;
    const { result } = await rig.run();
    expect(rig.steps).toEqual(['observe']);
    expect(rig.object.status?.pendingChange).toEqual(status.pendingChange);
    expect(ready(rig).reason).toBe('OutcomeUnknown');
    expect(result.next).toEqual({ at: rig.now + SECOND });
  });

  test('is sent again only after it was given up and has waited', async () => {
    const rig = attemptOn({ ...wish, held: ['x'] });
    rig.now += SETTLE_MS;
    await rig.run();
    expect(rig.requests).toEqual(['observe', '+b -x']);
    expect(states(rig)).toEqual(['a Unconfirmed', 'b Present']);
    rig.now += 13 * 60 * SECOND;
    await rig.run();
    expect(rig.requests.slice(2)).toEqual(['observe', '+a']);
  });

  test('is not sent again where the list was asked for before its time and answered after it', async () => {
    const rig = attemptOn({
      ...wish,
      status: appliedStatus([
        entry('a', { state: 'Unconfirmed', since: at(0), nextAttemptTime: at(SETTLE_MS) }),
      ]),
      ids: ['a'],
      on: (step, now) => {
        if (step === 'observe') now.now += 5 * SECOND;
      },
    });
    rig.now += SETTLE_MS - SECOND;
    await rig.run();
    expect(rig.requests).toEqual(['observe']);
  });

  test('does not end with a list that is not asked for', async () => {
    const rig = attemptOn({ ...wish, held: ['a'], mishaps: { observe: [503] } });
    await rig.run();
    expect(rig.requests).toEqual(['observe']);
    expect(rig.object.status?.pendingChange).toEqual(status.pendingChange);
  });
});

describe('a change of several', () => {
  const wish = (...mishaps: readonly Mishap[]) => ({
    ids: ['a', 'b'],
    mishaps: { '+a +b': mishaps },
  });
  const attempts = async (rig: AttemptRig, count: number) => {
    for (let round = 0; round < count; round += 1) {
      rig.now += 30 * 60 * SECOND;
      await rig.run();
    }
  };

  test.each([500, 501])(
    'answered with %i three times in a row goes one at a time',
    async (code) => {
      const rig = attemptOn(wish(code, code, code));
      await attempts(rig, 9);
      const changes = rig.requests.filter((one) => one !== 'observe');
      expect(changes).toEqual(['+a +b', '+a +b', '+a +b', '+a', '+b']);
    },
  );

  test('answered with 503 goes on as it is', async () => {
    const rig = attemptOn(wish(503, 503, 503, 503));
    await attempts(rig, 12);
    expect(rig.requests).not.toContain('+a');
  });
});

describe('a save that fails', () => {
  test('ends the attempt, and nothing is sent', async () => {
    const rig = attemptOn({ saves: () => false });
    const { result } = await rig.run();
    expect(rig.steps).toEqual(['observe', 'save +a']);
    expect(result.next, 'the engine tries again').toBe('on-change');
    expect(result.status).not.toHaveProperty('pendingChange');
  });

  test('when a refused change is taken back ends the attempt before another call', async () => {
    const rig = attemptOn({
      ids: ['a', 'b'],
      mishaps: { '+a +b': [422] },
      saves: (nth) => nth === 0,
    });
    const { result } = await rig.run();
    expect(rig.requests).toEqual(['observe', '+a +b']);
    expect(result.status).not.toHaveProperty('pendingChange');
  });

  test('that takes more than 10 s lets nothing leave', async () => {
    const rig = attemptOn({
      on: (step, now) => {
        if (step === 'save +a') now.now += 10 * SECOND + 1;
      },
    });
    const { result } = await rig.run();
    expect(rig.requests).toEqual(['observe']);
    expect(result.status).not.toHaveProperty('pendingChange');
    expect(result.next).toEqual({ at: rig.now + SECOND });
  });
});

test.each<[string, NoCall]>([
  ['the key was refused meanwhile', { type: 'key-refused' }],
  [
    'the Secret is gone',
    { type: 'no-credential', problem: { reason: 'SecretNotFound', message: 'The Secret is gone' } },
  ],
])('where %s nothing is saved or sent', async (_, answer) => {
  const rig = attemptOn({ permits: () => answer });
  await rig.run();
  expect(rig.steps).toEqual(['observe']);
  expect(rig.object.status?.pendingChange).toBeUndefined();
});
