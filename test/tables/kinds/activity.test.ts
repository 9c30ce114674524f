import { describe, expect, test } from 'vitest';
import { at, HOUR, SECOND, type Wanted } from './objects.ts';
import { bad, ok, type Reply } from './process.ts';
import { isAbout } from './rows.ts';
import { staged } from './stage.ts';

const RECORD = { id: 'record', type: 'pipe.updated', actorId: 'canary-person' };
const anActivity = (reply: Reply = ok(RECORD), wanted: Wanted = {}) =>
  staged('Activity', wanted, { api: () => reply });

test('a record is fetched once; its content stands nowhere but in status.activity', async () => {
  const { stage, run } = anActivity();
  const { ready, status, events, result } = await run();
  expect([ready, status.activity, result.next]).toEqual(['True Fetched', RECORD, 'on-change']);
  const { activity: _, ...rest } = status;
  expect(JSON.stringify([rest, events, result.facts])).not.toContain('canary-person');
  await run(9999 * HOUR);
  expect(stage.paths).toEqual(['GET /v1/organizations/org/activities/record']);
});

test.each<readonly [result: Record<string, unknown>, ready: string, message: string]>([
  [RECORD, 'True Fetched', 'with 3 of its 10 fields (request req-1)'],
  [{ id: 'other' }, 'True Fetched', 'the id in it is not spec.activityId'],
  [{ other: 1 }, 'False UnexpectedResponse', 'has no field of an activity record'],
])('of a record that is %j the message says what it has', async (result, ready, message) => {
  const seen = await anActivity(ok(result)).run();
  expect([seen.ready, seen.message]).toEqual([ready, expect.stringContaining(message)]);
});

describe('a record that is not there', () => {
  const young = { metadata: { creationTimestamp: at(0) } };
  test.each([404, 400])('may be late: %i is Reconciling', async (code) => {
    const seen = await anActivity(bad(code), young).run();
    expect([seen.side, isAbout(seen.wait, 5 * SECOND)]).toEqual(['Reconciling', true]);
    expect(seen.message).toContain('A record can appear minutes late');
  });

  test('is asked for at the end of its ten minutes; then it is Stalled', async () => {
    const { stage, run } = anActivity(bad(404), young);
    let seen = await run();
    const times: string[] = [];
    for (let round = 0; round < 20; round += 1) {
      seen = await run(seen.wait);
      times.push(new Date(stage.now).toISOString());
    }
    expect(times).toContain('2026-03-01T12:10:00.000Z');
    expect([seen.side, isAbout(seen.wait, HOUR)]).toEqual(['Stalled', true]);
  });
});

test('a record is fetched again on request, and stays Ready where that fails', async () => {
  const { stage, id, run } = anActivity();
  await run();
  stage.options = { api: () => bad(500) };
  stage.ask(id, 'now');
  const { ready, status, wait, message } = await run();
  expect([ready, status.activity, wait]).toEqual(['True Fetched', RECORD, undefined]);
  expect(message).toContain('Fetching it again failed: The API failed (HTTP 500): no 500');
  await run();
  expect(stage.paths, 'once').toHaveLength(2);
});
