import { describe, expect, test } from 'vitest';
import { judge } from '../../src/api/verdict.ts';
import type { Result } from '../../src/controller/kind.ts';
import { timestamp } from '../../src/kinds/shared/canonical.ts';
import { refuseSpec } from '../../src/kinds/shared/checks.ts';
import {
  type CommonStatus,
  isReady,
  longWaitStatus,
} from '../../src/kinds/shared/common-status.ts';
import {
  adviceWith,
  type FailedAnswer,
  type FailedAttempt,
  reportFailure,
  reportNoCall,
  resultOf,
} from '../../src/kinds/shared/failure-report.ts';
import type { FailureReason } from '../../src/kinds/shared/failures.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { anAnswer, aPipeSettings, astray, HOUR, MINUTE, SECOND, T0 } from '../support/objects.ts';
import { anApplied } from '../support/pipe-settings-visits.ts';
import { expectReadable } from '../support/status-law.ts';

const YOUNG = '2026-03-01T11:59:00Z';
const ADVICE = adviceWith({
  Rejected: 'Do A',
  Forbidden: 'Do B',
  NotFound: 'Do C',
  DependencyNotReady: 'Do D',
  Unavailable: 'Do E',
  OutcomeUnknown: 'Do F',
});

function failed(httpStatus: number, more: Parameters<typeof anAnswer>[1] = {}): FailedAnswer {
  const verdict = judge(anAnswer(httpStatus, more), { write: true, of: 'pipe' });
  if (verdict.ok) throw new Error('this is no failure');
  return { type: 'failure', verdict };
}

function reported(answer: FailedAnswer, more: Partial<FailedAttempt> = {}) {
  const object: KubeObject = more.object ?? aPipeSettings();
  const report = reportNoCall({
    object,
    answer,
    operation: 'Put',
    advice: (reason) => ADVICE[reason],
    now: T0,
    ...more,
  });
  const status = (report.status ?? object.status) as CommonStatus;
  return { ...report, status, object: { ...object, status } };
}

const sideOf = ({ status }: { status: CommonStatus }) => status.conditions?.[1]?.type;
const messageOf = ({ status }: { status: CommonStatus }) => status.conditions?.[0]?.message ?? '';
const waitOf = (next: Result['next']) => (next === 'on-change' ? undefined : next.at - T0);

describe('the first wait and the side of each class', () => {
  test.for<[FailedAnswer, FailureReason, string, number]>([
    [failed(400), 'Rejected', 'Stalled', 10 * MINUTE],
    [failed(422), 'Rejected', 'Stalled', 10 * MINUTE],
    [
      { ...failed(401), pausedMs: 30 * SECOND } as FailedAnswer,
      'Unauthorized',
      'Stalled',
      30 * SECOND,
    ],
    [failed(403), 'Forbidden', 'Stalled', MINUTE],
    [failed(404), 'NotFound', 'Stalled', MINUTE],
    [failed(410), 'NotFound', 'Stalled', MINUTE],
    [failed(409), 'Conflict', 'Reconciling', 2 * SECOND],
    [failed(423), 'Conflict', 'Reconciling', 2 * SECOND],
    [failed(425), 'Conflict', 'Reconciling', 2 * SECOND],
    [failed(424), 'DependencyNotReady', 'Reconciling', 30 * SECOND],
    [failed(429), 'RateLimited', 'Reconciling', 10 * SECOND],
    [failed(408), 'OutcomeUnknown', 'Reconciling', SECOND],
    [failed(500), 'OutcomeUnknown', 'Reconciling', SECOND],
    [failed(204), 'UnexpectedResponse', 'Reconciling', 30 * SECOND],
    [failed(301), 'UnexpectedResponse', 'Stalled', 30 * SECOND],
  ])('%j', ([answer, reason, side, wait]) => {
    const report = reported(answer);
    expect(report.status.conditions?.[0]).toMatchObject({ status: 'False', reason });
    expect(sideOf(report)).toBe(side);
    expect(astray(waitOf(report.next) ?? 0, wait)).toBe(0);
    expect(report.status).toMatchObject({ attempts: 1, lastRequest: { requestId: 'req-1' } });
    expectReadable([messageOf(report)]);
  });
});

describe('a failure', () => {
  test('of a refused key that another object tries next has no time of its own', () => {
    const { next, status } = reported(failed(401));
    expect([next, status.nextAttemptTime]).toEqual(['on-change', undefined]);
  });

  test('waits twice as long each time, and warns once', () => {
    let object: KubeObject = aPipeSettings();
    const seen = [1, 2, 3].map(() => {
      const report = reported(failed(403), { object });
      object = report.object;
      return [
        astray(waitOf(report.next) ?? 0, MINUTE * 2 ** (Number(report.status.attempts) - 1)),
        report.events.length,
      ];
    });
    expect(seen).toEqual([
      [0, 1],
      [0, 0],
      [0, 0],
    ]);
  });

  test('that the API asks to wait longer for does, as far as its class allows', () => {
    const wait = (retryAfterMs: number) => waitOf(reported(failed(429, { retryAfterMs })).next);
    expect(wait(120_000)).toBe(120_000);
    const paused: FailedAnswer = { ...failed(503), pausedMs: 60_000 } as FailedAnswer;
    expect(waitOf(reported(paused).next)).toBe(60_000);
  });

  test('of a refused key is looked at again when the limiter has it tried, not by its own count', () => {
    const refused: FailedAnswer = { ...failed(401), pausedMs: 7_000 } as FailedAnswer;
    expect(waitOf(reported(refused).next)).toBe(7_000);
  });

  test('of a refused connection goes on counting where a reset one was', () => {
    const first = reported(failed(500));
    const verdict = judge(
      { answered: false, sent: false, cause: 'refused' },
      { write: true, of: 'pipe' },
    );
    if (verdict.ok) throw new Error('this is no failure');
    const second = reported({ type: 'failure', verdict }, { object: first.object });
    expect(second.status).toMatchObject({ attempts: 2 });
    expect(second.events).toEqual([]);
  });

  test('may be given another row, side and time by its kind', () => {
    const rule = { side: 'Reconciling', firstMs: SECOND, capMs: MINUTE } as const;
    const report = reported(failed(404), { adjust: () => ({ rule, notAfter: T0 + 500 }) });
    expect([sideOf(report), waitOf(report.next)]).toEqual(['Reconciling', SECOND]);
  });

  test('says what is wrong, what to do, and what can be seen of the key', () => {
    const doubt = 'They may be swapped';
    const answer = { ...failed(401), doubt } as FailedAnswer;
    expect(messageOf(reported(answer))).toBe(
      `The API refused the key (HTTP 401) (request req-1). They may be swapped. ${ADVICE.Unauthorized}`,
    );
  });

  test('has code and id of a call in its facts only where this reconcile made one', () => {
    const object = reported(failed(500)).object;
    const withCall = failed(500);
    expect(resultOf(object, reported(withCall), 'put', withCall).facts).toEqual({
      reason: 'OutcomeUnknown',
      httpStatus: 500,
      requestId: 'req-1',
    });
    const none = missing();
    expect(resultOf(object, reported(none), 'put', none).facts).toEqual({
      reason: 'SecretNotFound',
    });
  });
});

describe('no call', () => {
  test.for<[FailedAnswer['type'], Result['next']]>([
    ['target-busy', 'on-change'],
    ['not-wanted', { at: T0 + SECOND }],
    ['called-off', { at: T0 + SECOND }],
  ])('%s leaves the status as it is', ([type, next]) => {
    const object = aPipeSettings();
    const answer = { type } as FailedAnswer;
    expect(reportNoCall({ ...attemptOf(object), answer })).toEqual({ next, events: [] });
  });

  test.for<[string, string, number]>([
    [YOUNG, 'Reconciling', MINUTE],
    ['2026-03-01T11:58:00Z', 'Stalled', 5 * MINUTE],
  ])('for want of a Secret of an object made at %s is %s', ([created, side, wait]) => {
    const report = reported(missing(), { object: aPipeSettings({ created }) });
    expect(sideOf(report)).toBe(side);
    expect(astray(waitOf(report.next) ?? 0, wait)).toBe(0);
  });

  test('with a refused key has no time of its own, and is written once', () => {
    const first = reported(failed(401));
    const second = reportNoCall({ ...attemptOf(first.object), answer: { type: 'key-refused' } });
    expect(second).toEqual({ next: 'on-change', events: [] });
    const held = reported({ type: 'key-refused' });
    expect(held.next).toBe('on-change');
    expect(reportNoCall({ ...attemptOf(held.object), answer: { type: 'key-refused' } })).toEqual({
      next: 'on-change',
      events: [],
    });
  });

  test('with a refused key is looked at again at a deadline of its kind', () => {
    const notAfter = T0 + MINUTE;
    const report = reported({ type: 'key-refused' }, { adjust: () => ({ notAfter }) });
    expect(report.next).toEqual({ at: notAfter });
  });
});

test('a spec that is not valid is shown once, with nothing scheduled', () => {
  const object = aPipeSettings();
  const report = refuseSpec(object, 'spec.x is bad', T0);
  const status: CommonStatus = report.status ?? {};
  expect(status.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Stalled']);
  expect([report.next, report.events?.length]).toEqual(['on-change', 1]);
  expect(status.nextAttemptTime).toBeUndefined();
  const again = refuseSpec({ ...object, status }, 'spec.x is bad', T0 + HOUR);
  expect([again.status, again.events]).toEqual([report.status, []]);
});

describe('a long wait', () => {
  test('is shown with how many are before it, and failures stay counted and known', () => {
    const first = reported(failed(403));
    const shown = longWaitStatus(first.object, 3, T0) as CommonStatus;
    expect(shown.conditions).toMatchObject([
      {
        type: 'Ready',
        status: 'Unknown',
        reason: 'Pending',
        message: expect.stringContaining('3 calls are before it'),
      },
      { type: 'Reconciling' },
    ]);
    const second = reported(failed(403), { object: { ...first.object, status: shown } });
    expect([second.status.attempts, second.events]).toEqual([2, []]);
  });

  test('of an object that nobody has visited leaves its first failure the first', () => {
    const shown = longWaitStatus(aPipeSettings(), 1, T0);
    const report = reported(failed(403), { object: { ...aPipeSettings(), status: shown } });
    expect([report.status.attempts, report.events.length]).toEqual([1, 1]);
  });

  test('of a deletion says that it is one, and how it ends at once', () => {
    const { metadata, ...rest } = aPipeSettings();
    const object = { ...rest, metadata: { ...metadata, deletionTimestamp: timestamp(T0) } };
    expect(longWaitStatus(object, 3, T0)).toMatchObject({
      conditions: [{ message: expect.stringMatching(/^Being deleted.*Retain.*3 calls/) }, {}],
    });
  });

  test('is not shown of what is Ready', () => {
    expect(isReady(anApplied())).toBe(true);
    expect(longWaitStatus(anApplied(), 3, T0)).toBeUndefined();
  });
});

test.each(['Rejected', 'NotConfirmed'] as const)(
  '%s is news again where a person must act now',
  (reason) => {
    const base = { object: aPipeSettings(), reason, message: 'm', now: T0 };
    const first = reportFailure({ ...base, side: 'Reconciling' });
    const object = { ...base.object, status: first.status };
    const second = reportFailure({ ...base, object, side: 'Stalled' });
    expect([first.events.length, second.events.length]).toEqual([1, 1]);
  },
);

function attemptOf(object: KubeObject): Omit<FailedAttempt, 'answer'> {
  return { object, operation: 'Put', advice: () => 'Do', now: T0 };
}

function missing(): FailedAnswer {
  return { type: 'no-credential', problem: { reason: 'SecretNotFound', message: 'There is none' } };
}
