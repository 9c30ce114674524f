import { describe, expect, test } from 'vitest';
import { recheckAt } from '../../src/controller/outcome.ts';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import {
  type Adjustment,
  type FailureReport,
  reportAttempt,
} from '../../src/kinds/engine/failure-report.ts';
import type { CommonStatus } from '../../src/kinds/shared/common-status.ts';
import type { FailureReason } from '../../src/kinds/shared/failures.ts';
import {
  anAnswer,
  aPipeSettings,
  attemptOf,
  HOUR,
  MINUTE,
  readyIn,
  SECOND,
  sideIn,
  T0,
  visit,
} from '../support/objects.ts';

const OWN = { side: 'Reconciling', firstMs: 5 * SECOND, capMs: 20 * SECOND } as const;
const notFound = attemptOf(anAnswer(404));

function reported(
  attempt: Attempt,
  adjust?: (reason: FailureReason) => Adjustment,
  previous?: CommonStatus,
  now = T0,
): FailureReport {
  if (attempt.got === 'success') throw new Error('no failure');
  return reportAttempt({
    object: aPipeSettings(),
    previous,
    attempt,
    operation: 'Try',
    secretName: 'api-key',
    advice: () => 'Mend it',
    now,
    ...(adjust && { adjust }),
  });
}

test('the time after its own refusal stays, where an edit comes before it and the gate is closed', () => {
  const refused = reported(attemptOf(anAnswer(401)));
  const edited = aPipeSettings({ generation: 2 });
  const shown = reportAttempt({
    object: edited,
    previous: refused.status,
    attempt: { got: 'circuit-open' },
    operation: 'Try',
    secretName: 'api-key',
    advice: () => 'Mend it',
    now: T0 + SECOND,
  });
  expect(shown.status).toMatchObject({
    observedGeneration: 2,
    nextAttemptTime: refused.status?.nextAttemptTime,
  });
  expect(shown.outcome).toEqual(refused.outcome);
});

test('behind a closed gate a time of its own is pulled in that lies further off than its class allows', () => {
  const gated = { got: 'circuit-open' } as const;
  const refused = reported(attemptOf(anAnswer(401)), undefined, undefined, T0 + 2 * HOUR);
  const edited = {
    ...refused.status,
    conditions: [{ ...readyIn(refused.status), observedGeneration: 0 }],
  };
  const latest = T0 + 36 * MINUTE;
  expect(reported(gated, undefined, edited)).toMatchObject({
    outcome: recheckAt(latest),
    status: { nextAttemptTime: '2026-03-01T12:36:00Z' },
  });
});

test.each([409, 424, 429, 500])(
  'after %i in a long pause a time is recorded that the next visit leaves alone',
  (httpStatus) => {
    const attempt = attemptOf(anAnswer(httpStatus), 15 * MINUTE);
    const first = visit(aPipeSettings(), { attempt });
    const at = Date.parse(first.status?.nextAttemptTime ?? '');
    expect(visit(first.object).plan).toEqual({ do: 'nothing', at });
  },
);

function waitOf({ status }: FailureReport, now = T0): number {
  return Date.parse(status?.nextAttemptTime ?? '') - now;
}

describe("a kind's own row", () => {
  test('stands in place of the table: its side, its first wait, its cap', () => {
    let previous: CommonStatus | undefined;
    for (const wait of [5, 10, 20, 20, 20]) {
      const report = reported(notFound, () => ({ rule: OWN }), previous);
      expect(readyIn(report.status).reason).toBe('NotFound');
      expect(sideIn(report.status)).toBe('Reconciling');
      expect(waitOf(report)).toBeGreaterThanOrEqual(wait * 0.8 * SECOND);
      expect(waitOf(report)).toBeLessThanOrEqual(wait * 1.2 * SECOND + SECOND);
      previous = report.status;
    }
  });

  test('cannot wait longer than the table, so that no time is taken for one of a clock that jumped', () => {
    const report = reported(notFound, () => ({
      rule: { ...OWN, firstMs: 9 * HOUR, capMs: 9 * HOUR },
    }));
    expect(waitOf(report)).toBeLessThanOrEqual(1.2 * HOUR + SECOND);
  });

  test('is asked for by the reason, also where no call was made', () => {
    const asked: FailureReason[] = [];
    const adjust = (reason: FailureReason): Adjustment => {
      asked.push(reason);
      return reason === 'SecretNotFound' ? { rule: { ...OWN, side: 'Stalled' } } : {};
    };
    const absent = {
      got: 'no-credential',
      problem: { reason: 'SecretNotFound', message: 'none' },
    } as const;
    expect(sideIn(reported(absent, adjust).status)).toBe('Stalled');
    expect(sideIn(reported(notFound, adjust).status)).toBe('Stalled');
    expect(sideIn(reported(attemptOf(anAnswer(409)), adjust).status)).toBe('Reconciling');
    expect(asked).toEqual(['SecretNotFound', 'NotFound', 'Conflict']);
  });

  test('whose side changes is news: the user is told again', () => {
    const before = reported(notFound, () => ({ rule: OWN }));
    expect(before.notices).toHaveLength(1);
    expect(reported(notFound, () => ({ rule: OWN }), before.status).notices).toEqual([]);
    expect(
      reported(notFound, () => ({ rule: { ...OWN, side: 'Stalled' } }), before.status).notices,
    ).toHaveLength(1);
  });
});

describe('a latest time', () => {
  const latest = T0 + 30 * SECOND;
  const adjust = (): Adjustment => ({ notAfter: latest });
  const pausedForMinutes = attemptOf(anAnswer(429, { retryAfterMs: 10 * MINUTE }), 10 * MINUTE);

  test.each([
    ['the class', notFound],
    ['the API', pausedForMinutes],
  ])('comes before the time of %s', (_, attempt) => {
    expect(waitOf(reported(attempt))).toBeGreaterThan(40 * SECOND);
    expect(waitOf(reported(attempt, adjust))).toBe(30 * SECOND);
    expect(reported(attempt, adjust).outcome).toEqual(recheckAt(latest));
  });

  test('puts nothing off that is due sooner', () => {
    expect(waitOf(reported(attemptOf(anAnswer(409)), adjust))).toBeLessThan(4 * SECOND);
  });

  test('is rounded up to what a timestamp can hold, so that at the next attempt it has come', () => {
    expect(waitOf(reported(notFound, () => ({ notAfter: T0 + 1 })))).toBe(SECOND);
  });

  test('wakes an object behind a closed gate, which would wait for the gate alone', () => {
    const gated = { got: 'circuit-open' } as const;
    const shown = reported(gated, adjust);
    expect(shown).toMatchObject({
      outcome: recheckAt(latest),
      status: { nextAttemptTime: '2026-03-01T12:00:30Z' },
    });
    expect(reported(gated, adjust, shown.status)).toEqual({
      outcome: recheckAt(latest),
      notices: [],
    });
    expect(reported(gated, undefined, reported(gated).status).outcome).toEqual({
      next: 'await-change',
    });
    expect(reported(gated, adjust, shown.status, latest).outcome).toEqual({ next: 'await-change' });
  });
});
