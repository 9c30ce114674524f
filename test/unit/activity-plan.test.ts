import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plan } from '../../src/kinds/activity/plan.ts';
import type { ActivityStatus } from '../../src/kinds/activity/resource.ts';
import { FAILURES } from '../../src/waits.ts';
import {
  type ActivityVisit,
  aFetchedActivity,
  anActivity,
  asking,
  attemptOf,
  edited,
  FACTS,
  RECORD,
  visit,
} from '../support/activity-objects.ts';
import { anAnswer, HOUR, MINUTE, readyIn, SECOND, T0 } from '../support/objects.ts';

const refused = attemptOf(anAnswer(400, { error: 'no' }));
const fetchesAsUser = { do: 'call', lane: 'user' };

/** An object that was fetched, asked for once more by the annotation, and refused then. */
function failedOnceMore(): ActivityVisit {
  return visit(asking(aFetchedActivity(), 'once more'), { now: T0 + MINUTE, attempt: refused });
}

describe('without a record', () => {
  test('a new object is fetched at once, ahead of scheduled work', () => {
    expect(plan(anActivity(), FACTS, T0)).toMatchObject(fetchesAsUser);
  });

  test('a failure is tried again at its time and not before', () => {
    const failed = visit(anActivity(), { attempt: refused });
    const at = Date.parse(failed.status?.nextAttemptTime ?? '');
    expect(plan(failed.object, FACTS, at - 1)).toEqual({ do: 'nothing', at });
    expect(plan(failed.object, FACTS, at)).toMatchObject({ do: 'call', lane: 'scheduled' });
  });

  test('an edit is tried at once: it may be the cure', () => {
    const { object } = visit(anActivity(), { attempt: refused });
    const mended = edited(object, { credentialsSecretRef: { name: 'another' } });
    expect(plan(mended, FACTS, T0 + SECOND)).toMatchObject(fetchesAsUser);
  });

  test('a Secret that is another one since the key was refused is tried at once', () => {
    const { object } = visit(anActivity(), { attempt: attemptOf(anAnswer(401)) });
    const secret = {
      state: 'present',
      resourceVersion: '2',
      type: undefined,
      changedAt: undefined,
    } as const;
    expect(plan(object, FACTS, T0 + SECOND)).toMatchObject({ do: 'nothing' });
    expect(plan(object, { ...FACTS, secret }, T0 + SECOND)).toMatchObject({ do: 'call' });
  });

  test('a time further off than its class allows is pulled in', () => {
    const { object, status } = visit(anActivity(), { attempt: refused });
    const far = { ...object, status: { ...status, nextAttemptTime: '2027-03-01T12:00:00Z' } };
    const pulled = visit(far);
    expect(pulled.plan.do).toBe('reschedule');
    const next = Date.parse(pulled.status?.nextAttemptTime ?? '');
    expect(next).toBeGreaterThan(T0 + 7 * MINUTE);
    expect(next).toBeLessThan(T0 + 13 * MINUTE);
    expect(pulled.report.outcome).toEqual({ next: 'recheck', at: next });
    expect(visit(pulled.object).plan).toEqual({ do: 'nothing', at: next });
  });

  test('one that was wiped out of the status is fetched again', () => {
    const fetched = aFetchedActivity();
    const { activity: _, ...status } = fetched.status ?? {};
    expect(plan({ ...fetched, status }, FACTS, T0)).toMatchObject({ do: 'call' });
  });
});

describe('with a record', () => {
  test('nothing is ever done again, whatever the time and the Secret', () => {
    const fetched = aFetchedActivity();
    for (const secret of [
      { state: 'present', resourceVersion: '9', type: undefined, changedAt: T0 + HOUR },
      { state: 'absent' },
      { state: 'unknown' },
    ] as const) {
      for (const triedSecret of ['1', undefined]) {
        expect(plan(fetched, { ...FACTS, secret, triedSecret }, T0 + 9_000 * HOUR)).toEqual({
          do: 'nothing',
        });
      }
    }
  });

  test('an edit makes no call: only the status is renewed', () => {
    const next = edited(aFetchedActivity(), { credentialsSecretRef: { name: 'another' } });
    expect(plan(next, FACTS, T0 + HOUR).do).toBe('keep');
    expect(visit(visit(next).object).plan).toEqual({ do: 'nothing' });
  });

  test('suspending and resuming make no call either', () => {
    const suspended = visit(edited(aFetchedActivity(), { suspend: true }));
    expect(suspended.plan).toMatchObject({ do: 'suspend', summary: { ready: 'True' } });
    expect(visit(edited(suspended.object, { suspend: false })).plan.do).toBe('keep');
  });

  test('a new value of the annotation fetches again, once, and may try a closed gate', () => {
    const asked = asking(aFetchedActivity(), 'once more');
    const again = visit(asked, { now: T0 + HOUR });
    expect(again.plan).toMatchObject({ ...fetchesAsUser, probe: true });
    expect(visit(again.object, { now: T0 + 2 * HOUR }).plan).toEqual({ do: 'nothing' });
    expect(visit(edited(asked, { credentialsSecretRef: { name: 'another' } })).plan).toMatchObject(
      fetchesAsUser,
    );
  });

  test('what the annotation asked for is tried once: the record is held whatever that brings', () => {
    const failed = failedOnceMore();
    expect(plan(failed.object, FACTS, T0 + 9_000 * HOUR)).toEqual({ do: 'nothing' });
    expect(
      plan(edited(failed.object, { credentialsSecretRef: { name: 'another' } }), FACTS, T0).do,
    ).toBe('keep');
    expect(plan(asking(failed.object, 'and again'), FACTS, T0)).toMatchObject(fetchesAsUser);
  });

  test('an object that an earlier version left with a failure says so again, without a call', () => {
    const missing = visit(anActivity(), { attempt: attemptOf(anAnswer(404)) });
    const held = { ...missing.object, status: { ...missing.status, activity: RECORD } };
    expect(plan(held, FACTS, T0 + HOUR).do).toBe('keep');
    expect(readyIn(visit(held, { now: T0 + HOUR }).status)).toMatchObject({
      status: 'True',
      reason: 'Fetched',
    });
  });

  test('in suspend the annotation is acknowledged without a call, and the record counts as there afterwards', () => {
    const asked = asking(edited(aFetchedActivity(), { suspend: true }), 'in vain');
    const suspended = visit(asked);
    expect(suspended.plan.do).toBe('suspend');
    expect(suspended.status?.lastHandledReconcileAt).toBe('in vain');
    expect(visit(edited(suspended.object, { suspend: false })).plan.do).toBe('keep');
  });

  test('a spec that was refused for a while is no reason to fetch again', () => {
    const fetched = aFetchedActivity();
    const refusedSpec = visit({ ...fetched, spec: { organizationId: 'org' } });
    expect(refusedSpec.plan).toMatchObject({ do: 'refuse-spec' });
    expect(visit({ ...refusedSpec.object, spec: fetched.spec }).plan.do).toBe('keep');
  });
});

test('deletion does nothing, whatever the state', () => {
  expect(plan(anActivity({ deleting: true }), FACTS, T0)).toEqual({ do: 'nothing' });
  const fetched = aFetchedActivity({ deleting: false });
  const deleting = {
    ...fetched,
    metadata: { ...fetched.metadata, deletionTimestamp: '2026-03-01T13:00:00Z' },
  };
  expect(plan(asking(deleting, 'x'), FACTS, T0)).toEqual({ do: 'nothing' });
});

test('a spec that cannot be read is refused, with the field and its value', () => {
  expect(plan(anActivity({ rawSpec: { organizationId: '/', activityId: 5 } }), FACTS, T0)).toEqual({
    do: 'refuse-spec',
    message: expect.stringMatching(
      /spec\.organizationId must be 1 to 128 .*not "\/"; spec\.activityId must be .*, not 5; spec\.credentialsSecretRef is required/,
    ),
  });
});

describe('for any status', () => {
  const reasons = ['Fetched', 'Suspended', 'Pending', ...Object.keys(FAILURES)];
  const status = fc.record({
    reason: fc.constantFrom(...reasons),
    generation: fc.constantFrom(1, 2),
    record: fc.boolean(),
    next: fc.option(fc.integer({ min: -HOUR, max: HOUR }), { nil: undefined }),
    handled: fc.constantFrom(undefined, 'a', 'b'),
    requested: fc.constantFrom(undefined, 'a', 'b'),
    suspend: fc.boolean(),
  });

  test('a call is made only without a record, or on request; and never in suspend', () => {
    fc.assert(
      fc.property(status, ({ reason, generation, record, next, handled, requested, suspend }) => {
        const known: ActivityStatus = {
          observedGeneration: generation,
          conditions: [
            {
              type: 'Ready',
              status: 'False',
              reason,
              message: 'm',
              observedGeneration: generation,
              lastTransitionTime: '2026-03-01T12:00:00Z',
            },
          ],
          ...(next !== undefined && { nextAttemptTime: new Date(T0 + next).toISOString() }),
          ...(handled !== undefined && { lastHandledReconcileAt: handled }),
          ...(record && { activity: { id: 'record-1' } }),
        };
        const object = anActivity({ generation: 2, requested, spec: { suspend }, status: known });
        const planned = plan(object, FACTS, T0);
        const asked = requested !== undefined && requested !== handled;
        const inTime = reason === 'Fetched' ? ['call'] : ['call', 'nothing', 'reschedule'];
        const enough = record && !asked;
        expect(suspend ? ['suspend'] : enough ? ['nothing', 'keep'] : inTime).toContain(planned.do);
      }),
    );
  });
});

test('a record stays behind a closed gate also where it is asked for with another key', () => {
  const asked = edited(asking(aFetchedActivity(), 'again'), {
    credentialsSecretRef: { name: 'refused' },
  });
  const { plan, status, report } = visit(asked, { attempt: { got: 'circuit-open' } });
  expect(plan.do).toBe('call');
  expect(readyIn(status)).toMatchObject({ status: 'True', reason: 'Fetched' });
  expect(report.outcome).toEqual({ next: 'await-change' });
});
