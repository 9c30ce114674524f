import { describe, expect, test } from 'vitest';
import type { PipeSettings, PipeSettingsSpec } from '../../src/kinds/pipe-settings/resource.ts';
import {
  anAnswer,
  aPipeSettings,
  asking,
  astray,
  edited,
  HOUR,
  MINUTE,
  readyIn,
  SECOND,
  sideIn,
  T0,
} from '../support/objects.ts';
import {
  anApplied,
  answerOf,
  lost,
  replying,
  type Visit,
  visit,
} from '../support/pipe-settings-visits.ts';
import { expectLawful } from '../support/status-law.ts';

const threads = (engine_max_threads: number): Partial<PipeSettingsSpec> => ({
  settings: { engine_max_threads },
});
const at = (seconds: number) => T0 + seconds * SECOND;

describe('a 200 that has all that is declared', () => {
  test('is applied, with the request id and what was sent', () => {
    const { status, result } = visit(aPipeSettings());
    expectLawful(status);
    expect(readyIn(status)).toMatchObject({ status: 'True', reason: 'Applied' });
    expect(status).toMatchObject({
      verified: { time: '2026-03-01T12:00:00Z' },
      applied: { generation: 1, requestId: 'req-1', keys: ['engine_max_threads'] },
      lastRequest: { outcome: 'Succeeded', httpStatus: 200, requestId: 'req-1' },
      settings: { engine_max_threads: 8 },
      history: [{ changes: [{ field: 'engine_max_threads', to: 8 }] }],
    });
    expect(result).toMatchObject({ next: 'on-change', events: [], facts: { requestId: 'req-1' } });
  });

  test('names what it was silent about', () => {
    const { status } = visit(aPipeSettings(), { answer: replying({ other: 1 }) });
    expect(readyIn(status).message).toContain('the response omitted it');
    expect(status).toMatchObject({
      notReported: ['engine_max_threads'],
      otherSettings: [{ field: 'other', value: '1' }],
    });
  });

  test('shows drift of what nobody declares, and an event of a change', () => {
    const before = visit(aPipeSettings(), {
      answer: replying({ engine_max_threads: 8, engine_max_insert_threads: 1 }),
    }).object;
    const { status, result } = visit(edited(before, threads(9)), {
      answer: replying({ engine_max_threads: 9, engine_max_insert_threads: 2 }),
    });
    expect(status?.drift).toEqual([
      { field: 'engine_max_insert_threads', from: 1, to: 2, time: '2026-03-01T12:00:00Z' },
    ]);
    expect(result.counts).toEqual({ drift: 1 });
    expect(result.events?.map(({ reason, note }) => [reason, note])).toEqual([
      ['DriftDetected', expect.stringContaining('engine_max_insert_threads 1 → 2')],
      ['Applied', 'Applied engine_max_threads 8 → 9 (request req-1)'],
    ]);
  });

  test('tells of settings that left the spec, and what the API has', () => {
    const before = anApplied({
      spec: { settings: { engine_max_threads: 8, engine_max_insert_threads: 3 } },
    });
    const { result } = visit(edited(before, threads(8)), {
      answer: replying({ engine_max_threads: 8, engine_max_insert_threads: 3 }),
    });
    expect(result.events).toEqual([
      {
        type: 'Normal',
        reason: 'NoLongerManaged',
        note: 'No longer in spec, so no longer managed; the API keeps what it has: engine_max_insert_threads (3)',
      },
    ]);
  });

  test('schedules the next assertion', () => {
    const { status, result } = visit(aPipeSettings({ spec: { reassertInterval: '1h' } }));
    const next = Date.parse(status?.nextAttemptTime ?? '');
    expect(result.next).toEqual({ at: next });
    expect(next).toBeGreaterThanOrEqual(T0 + HOUR);
    expect(next).toBeLessThanOrEqual(T0 + 1.1 * HOUR + SECOND);
  });
});

describe('additional settings', () => {
  const additionalSettings = { new_text: 'a', new_number: 3, new_flag: true };

  test('are sent and compared like the others', () => {
    const echo = { engine_max_threads: 8, new_text: 'a', new_number: '3', new_flag: 1 };
    const { status } = visit(aPipeSettings({ spec: { additionalSettings } }), {
      answer: replying(echo),
    });
    expectLawful(status);
    expect(readyIn(status).reason).toBe('Applied');
    expect(status?.applied?.keys).toHaveLength(4);
  });

  test('that come back different are not confirmed', () => {
    const echo = { engine_max_threads: 8, new_text: 'b', new_number: 4, new_flag: false };
    const { status } = visit(aPipeSettings({ spec: { additionalSettings } }), {
      answer: replying(echo),
    });
    expect(status?.differences).toEqual([
      { field: 'new_text', declared: 'a', reported: 'b' },
      { field: 'new_number', declared: 3, reported: 4 },
      { field: 'new_flag', declared: true, reported: false },
    ]);
  });

  test('of any length stay within the bounds of the status', () => {
    const long = { new_text: 'x'.repeat(256) };
    const before = visit(aPipeSettings({ spec: { additionalSettings: long } }), {
      answer: replying({ engine_max_threads: 8, new_text: 'y'.repeat(999) }),
    });
    expectLawful(before.status);
    const after = visit(before.object, {
      now: at(20),
      answer: replying({ engine_max_threads: 8, ...long }, at(20)),
    });
    expectLawful(after.status);
    expect(readyIn(after.status).reason).toBe('Applied');
  });
});

test('an echo that differs is asked for again after 10 s, 1 min and 5 min, then a person must act', () => {
  const answer = replying({ engine_max_threads: 4 });
  let object = aPipeSettings();
  let now = T0;
  const seen = [1, 2, 3, 4].map(() => {
    const visited = visit(object, { now, answer });
    expectLawful(visited.status);
    object = visited.object;
    const wait = Date.parse(visited.status?.nextAttemptTime ?? '') - now;
    now += wait;
    return [sideIn(visited.status), wait, visited.result.events?.length];
  });
  expect(seen.slice(0, 3)).toEqual([
    ['Reconciling', 10 * SECOND, 1],
    ['Reconciling', MINUTE, 0],
    ['Reconciling', 5 * MINUTE, 0],
  ]);
  expect(seen[3]?.[0]).toBe('Stalled');
  expect(astray(Number(seen[3]?.[1]), 6 * HOUR)).toBe(0);
  expect(readyIn(object.status).message).toContain('engine_max_threads is 4, not 8');
});

function expectAccepted({ status, result }: Visit, seconds: number): void {
  expect(readyIn(status)).toMatchObject({ status: 'False', reason: 'OutcomeUnknown' });
  expect(readyIn(status).message).toMatch(/accepted .*sent once more at status.nextAttemptTime/);
  expect(sideIn(status)).toBe('Reconciling');
  expect(Date.parse(status?.nextAttemptTime ?? '')).toBe(at(seconds));
  expect(result.next).toEqual({ at: at(seconds) });
}

describe('a PUT without an answer', () => {
  const first = visit(edited(anApplied(), threads(9)), { answer: lost() });

  test('is remembered, and sent again by back-off', () => {
    expectLawful(first.status);
    expect(readyIn(first.status).reason).toBe('OutcomeUnknown');
    expect(first.status?.unconfirmedWrite?.time).toBe('2026-03-01T12:00:00Z');
    const again = visit(first.object, {
      now: at(2),
      answer: replying({ engine_max_threads: 9 }, at(2)),
    });
    expect(readyIn(again.status).reason).toBe('Applied');
    expect(again.status).not.toHaveProperty('unconfirmedWrite');
  });

  test('of an earlier spec is followed by one more when it can no longer land', () => {
    const edit = edited(first.object, threads(10));
    const second = visit(edit, { now: at(5) });
    expectLawful(second.status);
    expectAccepted(second, 95);
    expect(visit(second.object, { now: at(94) }).decision).toBe('done');
    const third = visit(second.object, { now: at(95) });
    expect(readyIn(third.status).reason).toBe('Applied');
    expect(third.status).not.toHaveProperty('unconfirmedWrite');
    expect(third.status?.history).toHaveLength(2);
    expect(visit(third.object, { now: at(999) }).decision).toBe('done');
  });

  test.for<[string, PipeSettings, number, object]>([
    [
      'nothing more is owed once its time is over',
      edited(first.object, threads(10)),
      95,
      { reason: 'Applied' },
    ],
    [
      'nothing more is owed where the spec is what was lost',
      edited(edited(first.object, threads(10)), threads(9)),
      5,
      { reason: 'Applied' },
    ],
    [
      'it is not over while suspended',
      edited(visit(edited(first.object, anAppliedSpec()), { now: T0 }).object, {
        suspend: true,
      }),
      10,
      { reason: 'Suspended', status: 'False' },
    ],
  ])('%s', ([, object, seconds, ready]) => {
    expect(readyIn(visit(object, { now: at(seconds) }).status)).toMatchObject(ready);
  });

  test('of two specs stays open whichever of them is declared again', () => {
    const second = visit(edited(first.object, threads(10)), { now: at(5), answer: lost(at(5)) });
    expectAccepted(visit(second.object, { now: at(10) }), 100);
    expectAccepted(visit(edited(second.object, threads(9)), { now: at(10) }), 100);
    expect(readyIn(visit(second.object, { now: at(100) }).status).reason).toBe('Applied');
  });

  test('may have changed what nobody declares, which is no drift', () => {
    const both = { engine_max_threads: 8, engine_max_insert_threads: 3 };
    const open = visit(edited(anApplied(), { settings: both }), { answer: lost() });
    const second = visit(edited(open.object, threads(10)), {
      now: at(5),
      answer: replying({ engine_max_threads: 10, engine_max_insert_threads: 1 }, at(5)),
    });
    const third = visit(second.object, {
      now: at(95),
      answer: replying({ engine_max_threads: 10, engine_max_insert_threads: 3 }, at(95)),
    });
    expect(readyIn(third.status).reason).toBe('Applied');
    expect(third.status).not.toHaveProperty('drift');
  });

  test('survives a refusal, and what changes meanwhile is no drift', () => {
    const known = visit(aPipeSettings(), {
      answer: replying({ engine_max_threads: 8, engine_max_insert_threads: 4 }),
    }).object;
    const first = visit(edited(known, threads(9)), { answer: lost() });
    const refused = visit(edited(first.object, threads(10)), {
      now: at(5),
      answer: answerOf(anAnswer(400), at(5)),
    });
    expect(refused.status?.unconfirmedWrite).toEqual(first.status?.unconfirmedWrite);
    const second = visit(edited(refused.object, threads(11)), {
      now: at(6),
      answer: replying({ engine_max_threads: 11, engine_max_insert_threads: 5 }, at(6)),
    });
    expectAccepted(second, 95);
    expect(second.status).not.toHaveProperty('drift');
  });
});

describe('a PUT that failed', () => {
  test.for<[number, string, string, RegExp]>([
    [400, 'Rejected', 'Stalled', /Change spec.settings/],
    [401, 'Unauthorized', 'Stalled', /enabled API key/],
    [403, 'Forbidden', 'Stalled', /role that may change pipes/],
    [404, 'NotFound', 'Stalled', /Check organizationId/],
    [409, 'Conflict', 'Reconciling', /by itself/],
    [424, 'DependencyNotReady', 'Reconciling', /Start the service/],
    [429, 'RateLimited', 'Reconciling', /paused for all/],
    [503, 'OutcomeUnknown', 'Reconciling', /sending them again is safe/],
    [302, 'UnexpectedResponse', 'Stalled', /--api-url/],
  ])('with %i shows %s, %s', ([code, reason, side, message]) => {
    const { status, result } = visit(aPipeSettings(), { answer: answerOf(anAnswer(code)) });
    expectLawful(status);
    expect(readyIn(status).reason).toBe(reason);
    expect(sideIn(status)).toBe(side);
    expect(readyIn(status).message).toMatch(message);
    expect(readyIn(status).message).toContain('(request req-1)');
    expect(result.facts).toMatchObject({ httpStatus: code, requestId: 'req-1' });
    expect(result.events).toHaveLength(1);
  });

  test('keeps what was applied, and warns once', () => {
    const first = visit(asking(anApplied(), 'now'), { answer: answerOf(anAnswer(503)) });
    expect(first.status?.applied).toEqual(anApplied().status?.applied);
    const again = visit(first.object, { now: at(60), answer: answerOf(anAnswer(502)) });
    expect([again.status?.attempts, again.result.events]).toEqual([2, []]);
  });
});

describe('a refused key', () => {
  const unsent = (object: PipeSettings) =>
    visit(asking(object, 'now'), { answer: { type: 'key-refused' } });

  test('is shown without a call, a code or a time of its own', () => {
    const { status, result } = unsent(aPipeSettings());
    expect(status).toMatchObject({ conditions: [{ reason: 'Unauthorized' }, { type: 'Stalled' }] });
    expect(status).not.toHaveProperty('nextAttemptTime');
    expect([result.next, result.facts]).toEqual(['on-change', { reason: 'Unauthorized' }]);
  });

  test('leaves what is Ready and unedited as it is', () => {
    expect(unsent(anApplied()).result).toEqual({ next: 'on-change', did: 'key-refused' });
  });
});

function anAppliedSpec(): Partial<PipeSettingsSpec> {
  return threads(8);
}
