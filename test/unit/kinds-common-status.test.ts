import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge } from '../../src/api/verdict.ts';
import {
  type CommonStatus,
  countAttempts,
  currentReady,
  lastRequestOf,
  requestedAt,
  saying,
} from '../../src/kinds/shared/common-status.ts';
import {
  type FailureReason,
  longestWait,
  nextWait,
  sideOf,
} from '../../src/kinds/shared/failures.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { FAILURES } from '../../src/waits.ts';
import { anAnswer, aPipeSettings, MINUTE, SECOND, T0 } from '../support/objects.ts';

const failing = { ready: 'False', progress: 'Stalled', reason: 'Rejected', message: 'm' } as const;
const reasons = Object.keys(FAILURES) as FailureReason[];

function said(object: KubeObject, status: CommonStatus, isRequestOpen = true): CommonStatus {
  return saying({ ...object, status }, { summary: failing, now: T0, isRequestOpen }).status;
}

describe('the common fields', () => {
  const object = aPipeSettings({ generation: 3, requested: 'a' });
  const previous: CommonStatus = {
    lastRequest: { operation: 'o', outcome: 'Succeeded', time: '2026-01-01T00:00:00Z' },
    attempts: 4,
    nextAttemptTime: '2026-01-01T00:00:00Z',
    lastHandledReconcileAt: 'before',
  };

  test('speak of the generation that was looked at, everywhere', () => {
    const { observedGeneration, conditions } = said(object, {});
    expect(observedGeneration).toBe(3);
    expect(conditions?.map((condition) => [condition.type, condition.observedGeneration])).toEqual([
      ['Ready', 3],
      ['Stalled', 3],
    ]);
  });

  test('keep the last request, and drop attempts and times that are not said again', () => {
    expect(said(object, previous)).toEqual({
      observedGeneration: 3,
      conditions: expect.anything(),
      lastRequest: previous.lastRequest,
      lastHandledReconcileAt: 'before',
    });
  });

  test('acknowledge the one-shot request where they are told to, and keep the last one where there is none', () => {
    const handled = (which: typeof object, isHandled: boolean) =>
      said(which, previous, !isHandled).lastHandledReconcileAt;
    expect(handled(object, true)).toBe('a');
    expect(handled(object, false)).toBe('before');
    expect(handled(aPipeSettings(), true)).toBe('before');
    expect(handled(aPipeSettings({ requested: '' }), true)).toBe('');
  });
});

describe('the one-shot annotation', () => {
  test('is its first 256 characters', () => {
    const object = aPipeSettings({ requested: '🙂'.repeat(1000) });
    expect(requestedAt(object)).toBe('🙂'.repeat(256));
  });

  test('may be absent', () => {
    expect(requestedAt(aPipeSettings())).toBeUndefined();
  });
});

describe('attempts', () => {
  const after = (reason: string, attempts: number, observedGeneration = 1): CommonStatus => ({
    attempts,
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason,
        message: 'm',
        observedGeneration,
        lastTransitionTime: 't',
      },
    ],
  });
  const counted = (status: CommonStatus, reason: FailureReason) =>
    countAttempts({ ...aPipeSettings(), status }, reason);

  test.for(reasons)(
    'of %s count on while the cause is the same, and from one after another',
    (reason) => {
      expect(counted(after(reason, 4), reason)).toBe(5);
      expect(counted(after('Applied', 4), reason)).toBe(1);
      expect(counted(after(reason, 4, 0), reason)).toBe(1);
      expect(counted({}, reason)).toBe(1);
      const outage: readonly string[] = ['Unavailable', 'OutcomeUnknown'];
      const onward = reasons.filter((other) => counted(after(other, 4), reason) === 5);
      expect(onward.toSorted()).toEqual(outage.includes(reason) ? outage.toSorted() : [reason]);
    },
  );
});

describe('waits', () => {
  test('never shrink by more than their jitter, never pass the longest their class allows, and are fixed for an object', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...reasons),
        fc.integer({ min: 1, max: 10_000 }),
        fc.string(),
        (reason, attempts, uid) => {
          const wait = nextWait(reason, attempts, uid);
          expect(wait).toBeGreaterThanOrEqual(SECOND * 0.8);
          expect(wait).toBeLessThanOrEqual(longestWait(reason));
          expect(nextWait(reason, attempts, uid)).toBe(wait);
          expect(nextWait(reason, attempts + 1, uid)).toBeGreaterThanOrEqual((wait / 1.2) * 0.8);
        },
      ),
    );
  });

  test('of an echo that differs are 10 s, 1 min and 5 min, and after them the user must act', () => {
    expect([1, 2, 3].map((attempts) => nextWait('NotConfirmed', attempts, 'u'))).toEqual([
      10 * SECOND,
      MINUTE,
      5 * MINUTE,
    ]);
    expect([1, 2, 3, 4, 5].map((attempts) => sideOf('NotConfirmed', attempts))).toEqual([
      'Reconciling',
      'Reconciling',
      'Reconciling',
      'Stalled',
      'Stalled',
    ]);
  });
});

test('Ready counts as current only for the present generation', () => {
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Applied',
    message: 'm',
    observedGeneration: 1,
    lastTransitionTime: 't',
  } as const;
  expect(currentReady({ ...aPipeSettings(), status: { conditions: [ready] } })).toEqual(ready);
  expect(
    currentReady({ ...aPipeSettings({ generation: 2 }), status: { conditions: [ready] } }),
  ).toBeUndefined();
  expect(currentReady({ ...aPipeSettings(), status: { conditions: [] } })).toBeUndefined();
});

test('the last request has what the reply had, and nothing it had not', () => {
  const bare = judge(
    { answered: false, sent: true, cause: 'no answer within 35s' },
    { write: true, of: 'pipe' },
  );
  expect(lastRequestOf('Op', bare, T0 + 999)).toEqual({
    operation: 'Op',
    outcome: 'Unknown',
    time: '2026-03-01T12:00:00Z',
    message: expect.stringContaining('no answer within 35s'),
  });
  const success = judge(anAnswer(200, { result: {} }), { write: true, of: 'pipe' });
  expect(lastRequestOf('Op', success, T0)).toEqual({
    operation: 'Op',
    requestId: 'req-1',
    httpStatus: 200,
    outcome: 'Succeeded',
    time: '2026-03-01T12:00:00Z',
  });
});
