import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ActivityStatus } from '../../src/kinds/activity/resource.ts';
import { pendingStatus } from '../../src/kinds/schema/status-fields.ts';
import {
  aFetchedActivity,
  anActivity,
  answeredWith,
  asking,
  attemptOf,
  edited,
  expectLawful,
  RECORD,
  visit,
} from '../support/activity-objects.ts';
import { anAnswer, MINUTE, readyIn, SECOND, sideIn, T0 } from '../support/objects.ts';

const notFound = attemptOf(anAnswer(404, { error: 'NOT_FOUND: no such activity' }));

describe('a record', () => {
  const first = visit(anActivity({ status: pendingStatus as ActivityStatus }), { now: T0 + 900 });

  test('is shown whole, and only what is', () => {
    const time = '2026-03-01T12:00:00Z';
    expectLawful(first.status);
    expect(first.status).toStrictEqual({
      observedGeneration: 1,
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Fetched',
          message: 'The record is in status.activity (request req-1)',
          observedGeneration: 1,
          lastTransitionTime: time,
        },
      ],
      lastRequest: {
        operation: 'GetActivity',
        requestId: 'req-1',
        httpStatus: 200,
        outcome: 'Succeeded',
        time,
      },
      activity: RECORD,
    });
  });

  test('makes no event, and schedules nothing', () => {
    expect(first.report).toMatchObject({
      notices: [],
      outcome: { next: 'await-change' },
      did: 'fetch',
    });
    expect(first.report.facts).toEqual({ reason: 'Fetched', httpStatus: 200, requestId: 'req-1' });
  });

  test('keeps missing fields missing, null among them, and the message says how many there are', () => {
    const { status } = visit(anActivity(), {
      attempt: answeredWith({ id: 'record-1', type: null, serviceId: '' }),
    });
    expectLawful(status);
    expect(status?.activity).toStrictEqual({ id: 'record-1', serviceId: '' });
    expect(readyIn(status).message).toBe(
      'The record is in status.activity, with 2 of its 10 fields (request req-1)',
    );
  });

  test('keeps types and actors that nobody has heard of, and drops what is no field of a record', () => {
    const odd = { ...RECORD, type: 'fold_space', actorType: 'ghost', extra: 'x' };
    expect(visit(anActivity(), { attempt: answeredWith(odd) }).status?.activity).toStrictEqual({
      ...RECORD,
      type: 'fold_space',
      actorType: 'ghost',
    });
  });

  test('keeps what is no text as text', () => {
    const result = {
      id: 12,
      createdAt: 1_772_323_200_000,
      type: true,
      actorDetails: { mail: 'a@b' },
      userAgent: [1],
    };
    const { status } = visit(anActivity(), { attempt: answeredWith(result) });
    expectLawful(status);
    expect(status?.activity).toStrictEqual({
      id: '12',
      createdAt: '1772323200000',
      type: 'true',
      actorDetails: '{"mail":"a@b"}',
      userAgent: '[1]',
    });
  });

  test('is cut to the bounds of the schema', () => {
    const long = '🙂'.repeat(5_000);
    const result = Object.fromEntries(Object.keys(RECORD).map((name) => [name, long]));
    const { status } = visit(anActivity(), { attempt: answeredWith(result) });
    expectLawful(status);
    expect([...(status?.activity?.type ?? '')]).toHaveLength(128);
    expect(status?.activity?.userAgent).toMatch(/^🙂{1023}…$/u);
  });

  test('with another id than the one asked for is kept, and the message says so; case is no difference', () => {
    const other = visit(anActivity(), {
      attempt: answeredWith({ ...RECORD, id: 'record-2' }),
    }).status;
    expect(other?.activity?.id).toBe('record-2');
    expect(readyIn(other).message).toContain('the id in it is not spec.activityId');
    const upper = visit(anActivity(), {
      attempt: answeredWith({ ...RECORD, id: 'RECORD-1' }),
    }).status;
    expect(readyIn(upper).message).not.toContain('the id in it');
  });

  test('that has no field of one proves nothing: it is asked for again', () => {
    for (const result of [
      {},
      { activities: [RECORD] },
      { id: null },
      JSON.parse('{"__proto__":{"id":"x"}}'),
    ]) {
      const { status } = visit(anActivity(), {
        attempt: answeredWith(result as Record<string, unknown>),
      });
      expectLawful(status);
      expect(status).not.toHaveProperty('activity');
      expect(readyIn(status)).toMatchObject({ status: 'False', reason: 'UnexpectedResponse' });
      expect(sideIn(status)).toBe('Reconciling');
      expect(status).toMatchObject({ attempts: 1, lastRequest: { outcome: 'Succeeded' } });
      expect(Date.parse(status?.nextAttemptTime ?? '')).toBeGreaterThan(T0);
    }
  });
});

describe('a record that is not there yet', () => {
  /** Every attempt of a new object whose record never comes, as long as `until` lasts. */
  function attempts(until: number): { readonly at: number; readonly side: string | undefined }[] {
    const seen: { at: number; side: string | undefined }[] = [];
    let object = anActivity();
    for (let now = T0; now <= T0 + until; ) {
      const visited = visit(object, { now, attempt: notFound });
      expectLawful(visited.status);
      expect(readyIn(visited.status).reason).toBe('NotFound');
      seen.push({ at: now - T0, side: sideIn(visited.status) });
      object = visited.object;
      const next = Date.parse(visited.status?.nextAttemptTime ?? '');
      if (!(next > now))
        throw new Error(`the next attempt is not after this one: ${next - now} ms`);
      now = next;
    }
    return seen;
  }

  test('is waited for in the first 10 minutes and Stalled from then on, to the second', () => {
    const seen = attempts(30 * MINUTE);
    for (const { at, side } of seen)
      expect(side).toBe(at < 10 * MINUTE ? 'Reconciling' : 'Stalled');
    expect(seen.map(({ at }) => at)).toContain(10 * MINUTE);
  });

  test('is asked for after 5 s, and at doubling intervals up to an hour', () => {
    const times = attempts(24 * 60 * MINUTE).map(({ at }) => at);
    const waits = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    expect(waits[0]).toBeGreaterThanOrEqual(4 * SECOND);
    expect(waits[0]).toBeLessThanOrEqual(7 * SECOND);
    expect(waits.length).toBeLessThan(45);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(72 * MINUTE + SECOND);
    expect(Math.max(...waits)).toBeGreaterThan(48 * MINUTE);
  });

  test('warns when it is first missed and when the user must act, not in between', () => {
    const first = visit(anActivity(), { attempt: notFound });
    expect(first.report.notices).toMatchObject([{ type: 'Warning', reason: 'NotFound' }]);
    const second = visit(first.object, { now: T0 + MINUTE, attempt: notFound });
    expect(second.report.notices).toEqual([]);
    const late = visit(second.object, { now: T0 + 11 * MINUTE, attempt: notFound });
    expect(late.report.notices).toMatchObject([{ type: 'Warning', reason: 'NotFound' }]);
  });

  test('and comes, is Ready as if nothing had been, with an event that says after what', () => {
    const before = visit(anActivity(), { attempt: notFound });
    const after = visit(before.object, { now: T0 + MINUTE });
    expectLawful(after.status);
    expect(after.status?.activity).toEqual(RECORD);
    expect(after.status?.attempts).toBeUndefined();
    expect(after.status?.nextAttemptTime).toBeUndefined();
    expect(after.report.notices).toEqual([
      {
        type: 'Normal',
        reason: 'Fetched',
        note: 'Fetched the record after NotFound (request req-1)',
      },
    ]);
  });

  test('is waited for likewise where the API answers with 400, and nobody is told to make another object', () => {
    const first = visit(anActivity(), { attempt: attemptOf(anAnswer(400)) });
    expectLawful(first.status);
    expect([readyIn(first.status).reason, sideIn(first.status)]).toEqual([
      'Rejected',
      'Reconciling',
    ]);
    expect(readyIn(first.status).message).toContain('A record can appear minutes late');
    expect(Date.parse(first.status?.nextAttemptTime ?? '') - T0).toBeLessThanOrEqual(7 * SECOND);
    const last = visit(first.object, { now: T0 + 10 * MINUTE, attempt: attemptOf(anAnswer(400)) });
    expect(sideIn(last.status)).toBe('Stalled');
    expect(readyIn(last.status).message).toContain('create another object');
  });

  test('is no excuse for anything else: an old object is told at once, and a young one about every other answer', () => {
    const old = anActivity({ created: '2026-03-01T11:50:00Z' });
    expect(sideIn(visit(old, { attempt: notFound }).status)).toBe('Stalled');
    expect(sideIn(visit(anActivity(), { attempt: attemptOf(anAnswer(422)) }).status)).toBe(
      'Stalled',
    );
    const stopped = visit(anActivity({ created: '2026-03-01T11:50:00Z' }), {
      attempt: attemptOf(anAnswer(503)),
    });
    expect(sideIn(stopped.status)).toBe('Reconciling');
  });
});

describe('once the record is there', () => {
  test('an edit renews observedGeneration and nothing else', () => {
    const fetched = aFetchedActivity();
    const { status } = visit(edited(fetched, { credentialsSecretRef: { name: 'b' } }), {
      now: T0 + MINUTE,
    });
    expectLawful(status);
    const [ready] = fetched.status?.conditions ?? [];
    expect(status).toStrictEqual({
      ...fetched.status,
      observedGeneration: 2,
      conditions: [{ ...ready, observedGeneration: 2 }],
    });
  });

  test('suspended is Ready with it, and not Ready without', () => {
    const withRecord = visit(edited(aFetchedActivity(), { suspend: true })).status;
    expect(readyIn(withRecord)).toMatchObject({ status: 'True', reason: 'Suspended' });
    expect(withRecord?.activity).toEqual(RECORD);
    const without = visit(anActivity({ spec: { suspend: true } })).status;
    expect(readyIn(without)).toMatchObject({ status: 'False', reason: 'Suspended' });
    for (const status of [withRecord, without]) {
      expectLawful(status);
      expect(sideIn(status)).toBeUndefined();
    }
  });

  test.each([
    ['404', notFound, 'NOT_FOUND: no such activity'],
    ['503', attemptOf(anAnswer(503)), 'HTTP 503'],
    ['no record', answeredWith({}), 'no field of an activity'],
    [
      'no Secret',
      {
        got: 'no-credential',
        problem: { reason: 'SecretNotFound', message: 'There is no Secret "api"' },
      } as const,
      'There is no Secret',
    ],
  ])(
    'a request on demand that brings %s leaves it Ready and says what it brought',
    (_, attempt, says) => {
      const { status, report, object } = visit(asking(aFetchedActivity(), 'again'), {
        now: T0 + MINUTE,
        attempt,
      });
      expectLawful(status);
      expect(readyIn(status)).toMatchObject({ status: 'True', reason: 'Fetched' });
      expect(readyIn(status).message).toContain(says);
      expect(status).toMatchObject({ activity: RECORD, lastHandledReconcileAt: 'again' });
      for (const none of ['attempts', 'nextAttemptTime']) expect(status).not.toHaveProperty(none);
      expect(report).toMatchObject({
        outcome: { next: 'await-change' },
        notices: [{ type: 'Warning' }],
      });
      expect(visit(object, { now: T0 + 60 * MINUTE }).report.status).toBeUndefined();
    },
  );

  test('what a request on demand brought is in lastRequest', () => {
    const { status } = visit(asking(aFetchedActivity(), 'again'), {
      now: T0 + MINUTE,
      attempt: notFound,
    });
    expect(status?.lastRequest).toMatchObject({ httpStatus: 404, time: '2026-03-01T12:01:00Z' });
  });

  test('a request that succeeds at once replaces it without an event', () => {
    const record = { id: 'record-1' };
    const again = visit(asking(aFetchedActivity(), 'again'), { attempt: answeredWith(record) });
    expect(again.status?.activity).toStrictEqual(record);
    expect(again.status?.lastHandledReconcileAt).toBe('again');
    expect(again.report.notices).toEqual([]);
  });

  test('a closed gate or a slot that is not free yet leaves it as it is', () => {
    const asked = asking(aFetchedActivity(), 'again');
    for (const got of ['circuit-open', 'no-slot'] as const) {
      const { report } = visit(asked, { attempt: { got } });
      expect(report).toMatchObject({ outcome: { next: 'await-change' }, did: got });
      expect(report.status).toBeUndefined();
    }
    expect(readyIn(visit(anActivity(), { attempt: { got: 'circuit-open' } }).status).reason).toBe(
      'Unauthorized',
    );
  });

  test('a spec that is not valid any more is said once, and keeps it', () => {
    const broken = visit({ ...aFetchedActivity(), spec: {} });
    expectLawful(broken.status);
    expect(readyIn(broken.status).reason).toBe('SpecInvalid');
    expect(broken.status?.activity).toEqual(RECORD);
    expect(broken.status?.nextAttemptTime).toBeUndefined();
    expect(visit(broken.object).report).toMatchObject({
      notices: [],
      outcome: { next: 'await-change' },
    });
    expect(visit(broken.object).report.status).toBeUndefined();
  });
});

describe('for any reply', () => {
  const json = fc.jsonValue({ maxDepth: 2 });
  const result = fc.record(
    Object.fromEntries(
      Object.keys(RECORD).map((name) => [name, fc.oneof(json, fc.string({ unit: 'binary' }))]),
    ),
    { requiredKeys: [] },
  );

  test('the status is lawful, the same reply gives the same status, and a second pass has nothing to do', () => {
    fc.assert(
      fc.property(result, (reply) => {
        const once = visit(anActivity(), { attempt: answeredWith(reply) });
        expectLawful(once.status);
        expect(
          visit(asking(once.object, 'x'), { attempt: answeredWith(reply) }).status?.activity,
        ).toEqual(once.status?.activity);
        expect(visit(once.object).plan.do).toBe('nothing');
      }),
    );
  });

  test('what the record holds is in status.activity alone', () => {
    const canary = fc.string({ minLength: 12 }).map((text) => `<${text}>`);
    fc.assert(
      fc.property(
        fc.record(Object.fromEntries(Object.keys(RECORD).map((name) => [name, canary]))),
        (record) => {
          const before = visit(anActivity(), { attempt: notFound });
          const { status, report } = visit(before.object, {
            now: T0 + MINUTE,
            attempt: answeredWith(record),
          });
          const elsewhere = JSON.stringify([
            { ...status, activity: undefined },
            { ...report, status: undefined },
          ]);
          expect(status?.activity).toBeDefined();
          for (const value of Object.values(record))
            expect(elsewhere).not.toContain(JSON.stringify(value).slice(1, -1));
        },
      ),
    );
  });
});
