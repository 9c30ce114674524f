import { describe, expect, test } from 'vitest';
import { staged, type Wanted } from './objects.ts';
import type { Reply } from './process.ts';
import { bad, ok } from './replies.ts';
import { isAbout } from './rows.ts';
import { at, HOUR, MINUTE, SECOND } from './stage.ts';

const RECORD = { id: 'record', type: 'pipe.updated', actorId: 'canary-person' };
const YOUNG = { metadata: { creationTimestamp: at(-MINUTE) } };
const anActivity = (reply: Reply = ok(RECORD), wanted: Wanted = {}) =>
  staged('Activity', wanted, { api: () => reply });

test('a record is fetched once, and its content stands nowhere but in status.activity', async () => {
  const { stage, run } = anActivity();
  const { ready, status, events, result } = await run();
  expect([ready, status.activity, result.next]).toEqual(['True Fetched', RECORD, 'on-change']);
  const { activity: _, ...rest } = status;
  expect(JSON.stringify([rest, events, result.facts])).not.toContain('canary-person');
  await run(9999 * HOUR);
  expect(stage.paths).toEqual(['GET /v1/organizations/org/activities/record']);
});

test.each<readonly [law: string, result: Record<string, unknown>, ready: string, message: string]>([
  [
    'has all ten fields or says how many',
    RECORD,
    'True Fetched',
    'with 3 of its 10 fields (request req-1)',
  ],
  [
    'may have odd fields',
    { id: 7, type: null, actorDetails: { a: 'x'.repeat(2000) } },
    'True Fetched',
    'with 2 of',
  ],
  [
    'with another id is said to',
    { id: 'other' },
    'True Fetched',
    'the id in it is not spec.activityId',
  ],
  [
    'has at least one field',
    { other: 1 },
    'False UnexpectedResponse',
    'has no field of an activity record',
  ],
])('a record %s', async (_, result, ready, message) => {
  const seen = await anActivity(ok(result)).run();
  expect([seen.ready, seen.message]).toEqual([ready, expect.stringContaining(message)]);
});

describe('a record that is not there', () => {
  test.each([404, 400])('may be late for ten minutes: %i is Reconciling', async (code) => {
    const seen = await anActivity(bad(code), YOUNG).run();
    expect([seen.side, isAbout(seen.wait, 5 * SECOND)]).toEqual(['Reconciling', true]);
    expect(seen.message).toContain('A record can appear minutes late');
  });

  test('is asked for at the end of the ten minutes; then a person is told, and it goes on', async () => {
    const { stage, run } = anActivity(bad(404), { metadata: { creationTimestamp: at(0) } });
    let seen = await run();
    const times: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      seen = await run(seen.wait);
      times.push(stage.now - Date.parse(at(0)));
    }
    expect(times).toContain(10 * MINUTE);
    expect([seen.side, isAbout(seen.wait, HOUR)]).toEqual(['Stalled', true]);
  });

  test('and comes after a failure is an event', async () => {
    const { stage, run } = anActivity(bad(503));
    await run();
    stage.options = { api: () => ok(RECORD) };
    expect((await run(MINUTE)).events).toEqual([
      'Fetched: Fetched the record after Unavailable (request req-1)',
    ]);
  });
});

describe('a record that is there', () => {
  test.each<readonly [law: string, reply: Reply, message: string]>([
    ['the API fails', bad(500), 'Fetching it again failed: The API failed (HTTP 500): no 500'],
    ['the key is refused', bad(401), 'Fetching it again failed: The API refused the key'],
  ])(
    'is fetched again on request, and stays with the object Ready where %s',
    async (_, reply, message) => {
      const { stage, id, run } = anActivity();
      await run();
      stage.options = { api: () => reply };
      stage.ask(id, 'now');
      const { ready, status, wait, message: says } = await run();
      expect([ready, status.activity, wait]).toEqual(['True Fetched', RECORD, undefined]);
      expect(says).toContain(message);
      await run();
      expect(stage.paths, 'once').toHaveLength(2);
    },
  );

  test('is kept where the object is no longer suspended', async () => {
    const { stage, id, run } = anActivity();
    await run();
    stage.edit(id, { suspend: true });
    expect((await run()).ready).toBe('True Suspended');
    stage.edit(id, { suspend: false });
    expect((await run()).ready).toBe('True Fetched');
    expect(stage.paths).toHaveLength(1);
  });
});

test.each<readonly [law: string, wanted: Wanted, ready: string]>([
  ['while deleted', { metadata: { deletionTimestamp: at(0) } }, 'Unknown Pending'],
  ['while suspended', { spec: { suspend: true } }, 'False Suspended'],
  ['of a spec that cannot be read', { spec: { activityId: '..' } }, 'False SpecInvalid'],
])('nothing is fetched %s', async (_, wanted, ready) => {
  const { stage, run } = anActivity(ok(RECORD), wanted);
  expect([(await run()).ready, stage.log]).toEqual([ready, []]);
});
