import { describe, expect, test } from 'vitest';
import type { Reply } from '../../src/api/reply/reply.ts';
import type { FailureClass, RequestOutcome } from '../../src/api/reply/verdict.ts';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import type { FailureReason } from '../../src/kinds/shared/failures.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  astray,
  attemptOf,
  edited,
  HOUR,
  MINUTE,
  readyIn,
  SECOND,
  sideIn,
  T0,
  visit,
  visits,
  waitAfter,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

type Side = 'Reconciling' | 'Stalled';

/** Tested on their own, or no failures of this kind. */
type Apart =
  | 'NotConfirmed'
  | 'SpecInvalid'
  | 'TargetConflict'
  | 'EndpointConflict'
  | 'RemovalBlocked';

/** The failure table of the contract, in its own words: side, first wait, cap. */
const CONTRACT = {
  Rejected: ['Stalled', 10 * MINUTE, 6 * HOUR],
  Unauthorized: ['Stalled', 30 * SECOND, 30 * MINUTE],
  Forbidden: ['Stalled', MINUTE, HOUR],
  NotFound: ['Stalled', MINUTE, HOUR],
  Conflict: ['Reconciling', 2 * SECOND, 2 * MINUTE],
  DependencyNotReady: ['Reconciling', 30 * SECOND, 10 * MINUTE],
  RateLimited: ['Reconciling', 10 * SECOND, 5 * MINUTE],
  Unavailable: ['Reconciling', SECOND, 5 * MINUTE],
  OutcomeUnknown: ['Reconciling', SECOND, 5 * MINUTE],
  UnexpectedResponse: ['Reconciling', 30 * SECOND, 30 * MINUTE],
  SecretNotFound: ['Reconciling', 5 * MINUTE, 5 * MINUTE],
  SecretInvalid: ['Stalled', HOUR, HOUR],
  SecretForbidden: ['Stalled', 5 * MINUTE, 5 * MINUTE],
} as const satisfies Record<Exclude<FailureReason, Apart>, readonly [Side, number, number]>;

interface Row {
  readonly name: string;
  readonly reply: Reply;
  readonly outcome: RequestOutcome;
  /** Where it is not the class's own. */
  readonly side?: Side;
}

const SAYS = 'INVALID: engine_max_threads is too large';
const http = (status: number, outcome: RequestOutcome): Row => ({
  name: `HTTP ${status}`,
  reply: anAnswer(status, { error: SAYS }),
  outcome,
});
const page = (status: number): Row => ({
  name: `HTTP ${status} with a web page`,
  reply: { answered: true, httpStatus: status, body: 'not-json' },
  outcome: 'Unknown',
});
const no = (sent: boolean): Row => ({
  name: sent ? 'no answer after it was sent' : 'no connection',
  reply: {
    answered: false,
    sent,
    cause: sent ? 'no answer within 35s' : 'connection refused by api.test:443',
  },
  outcome: sent ? 'Unknown' : 'Unavailable',
});
const broken = (name: string, more: Parameters<typeof anAnswer>[1]): Row => ({
  name: `HTTP 200 with ${name}`,
  reply: anAnswer(200, more),
  outcome: 'Unknown',
});
const redirect = (status: number): Row => ({
  name: `HTTP ${status}`,
  reply: anAnswer(status, { redirectHost: 'login.test' }),
  outcome: 'Unknown',
  side: 'Stalled',
});

/**
 * Every kind of reply to a PUT that confirms nothing, under the class that the contract puts it in.
 */
const REPLIES = {
  Rejected: [
    400, 402, 405, 406, 411, 412, 413, 414, 415, 417, 418, 422, 426, 428, 431, 451, 499,
  ].map((status) => http(status, 'Rejected')),
  Unauthorized: [http(401, 'Rejected')],
  Forbidden: [http(403, 'Rejected')],
  NotFound: [http(404, 'Rejected'), http(410, 'Rejected')],
  Conflict: [http(409, 'Busy'), http(423, 'Busy'), http(425, 'Busy')],
  DependencyNotReady: [http(424, 'Busy')],
  RateLimited: [http(429, 'RateLimited')],
  Unavailable: [no(false)],
  OutcomeUnknown: [
    ...[408, 500, 501, 502, 503, 504, 507, 599].map((status) => http(status, 'Unknown')),
    page(502),
    no(true),
  ],
  UnexpectedResponse: [
    broken('no result', {}),
    broken('an error beside the result', { result: {}, error: SAYS }),
    broken('an error that is no text', { result: {}, oddError: true }),
    broken('a web page', { body: 'not-json' }),
    broken('nothing', { body: 'empty' }),
    broken('half a body', { body: 'truncated' }),
    broken('megabytes', { body: 'too-large' }),
    ...[201, 202, 204, 299].map((status) => ({
      ...http(status, 'Unknown'),
      reply: anAnswer(status, { result: {} }),
    })),
    ...[300, 301, 302, 303, 304, 307, 308].map(redirect),
    { ...http(777, 'Unknown'), reply: anAnswer(777) },
  ],
} satisfies Record<FailureClass, readonly Row[]>;

const problem = (reason: 'SecretNotFound' | 'SecretInvalid' | 'SecretForbidden'): Attempt => ({
  got: 'no-credential',
  problem: { reason, message: `The Secret "api-key" is of no use: ${reason}` },
});

/** Failures without a reply, and how each comes about. */
const WITHOUT_REPLY = {
  SecretNotFound: problem('SecretNotFound'),
  SecretInvalid: problem('SecretInvalid'),
  SecretForbidden: problem('SecretForbidden'),
} satisfies Record<Exclude<FailureReason, FailureClass | Apart>, Attempt>;

const replyRows = Object.entries(REPLIES).flatMap(([reason, rows]) =>
  rows.map((row: Row) => ({ ...row, reason: reason as FailureClass })),
);
const rows = [
  ...replyRows.map(({ name, reply, reason, side }) => ({
    name,
    reason,
    side,
    attempt: attemptOf(reply),
  })),
  ...Object.entries(WITHOUT_REPLY).map(([name, attempt]) => ({
    name,
    reason: name as keyof typeof WITHOUT_REPLY,
    side: undefined,
    attempt,
  })),
];

describe.for(rows)('$name is $reason', ({ reason, side, attempt }) => {
  const [contractSide, firstMs, capMs] = CONTRACT[reason];
  const first = visit(aPipeSettings(), { attempt });
  const many = visits(
    aPipeSettings(),
    Array.from({ length: 16 }, () => attempt),
  );

  test('shows it, with its side, and counts one attempt', () => {
    expectLawful(first.status);
    expect(readyIn(first.status)).toMatchObject({ status: 'False', reason });
    expect(sideIn(first.status)).toBe(side ?? contractSide);
    expect(first.status).toMatchObject({ attempts: 1, observedGeneration: 1 });
    expect(first.report.outcome).toEqual({
      next: 'recheck',
      at: Date.parse(first.status?.nextAttemptTime ?? ''),
    });
  });

  test('waits first as long as the contract says, then twice as long each time, up to the cap', () => {
    let at = T0;
    many.forEach((visited, index) => {
      expect(astray(waitAfter(visited, at), Math.min(firstMs * 2 ** index, capMs))).toBe(0);
      expect(visited.plan.do).toBe('call');
      expect(visited.status?.attempts).toBe(index + 1);
      at = Date.parse(visited.status?.nextAttemptTime ?? '');
    });
  });

  test('warns once, and not again while the cause is the same', () => {
    expect(first.report.notices).toEqual([
      { type: 'Warning', reason, note: readyIn(first.status).message },
    ]);
    expect(many.flatMap(({ report }) => report.notices)).toHaveLength(1);
    expect(sideIn(many.at(-1)?.status)).toBe(sideIn(first.status));
  });

  test('counts anew for a new generation, and warns again', () => {
    const again = visit(edited(many[4]?.object ?? aPipeSettings(), { suspend: false }), {
      attempt,
    });
    expect(again.status?.attempts).toBe(1);
    expect(again.report.notices).toHaveLength(1);
  });

  test('leaves what the API last confirmed in the status', () => {
    const before = anAppliedPipeSettings();
    const after = visit(edited(before, { settings: { engine_max_threads: 9 } }), { attempt });
    expectLawful(after.status);
    const { applied, settings, history } = before.status ?? {};
    expect(after.status).toMatchObject({ applied, settings, history, observedGeneration: 2 });
  });
});

describe.for(replyRows)('$name', ({ reply, outcome, reason }) => {
  const { status, report } = visit(aPipeSettings(), { attempt: attemptOf(reply) });

  test(`is recorded as a last request that was ${outcome}`, () => {
    const answered = reply.answered ? reply : undefined;
    expect(status?.lastRequest).toStrictEqual({
      operation: 'UpdatePipeSettings',
      outcome,
      time: '2026-03-01T12:00:00Z',
      message: expect.any(String),
      ...(answered && { httpStatus: answered.httpStatus }),
      ...(answered?.requestId && { requestId: answered.requestId }),
    });
    expect(report).toMatchObject({ did: 'put', facts: { reason } });
  });

  test('tells what the API said, the request to quote and the status, and what to do', () => {
    const { message } = readyIn(status);
    const { httpStatus, error, requestId } = reply.answered ? reply : {};
    const quoted = requestId === undefined ? undefined : `(request ${requestId}). `;
    const parts = reply.answered ? [`HTTP ${httpStatus}`, error, quoted] : [reply.cause];
    for (const part of parts) expect(message).toContain(part ?? '');
    expect(message.split('. ').at(-1)).toMatch(/^[A-Z].{20,}/u);
  });
});

test.for(Object.values(WITHOUT_REPLY))(
  'a Secret of no use is told in its own words, and no request is recorded',
  (attempt) => {
    const { status } = visit(aPipeSettings(), { attempt });
    expect(readyIn(status).message).toBe(
      attempt.got === 'no-credential' && attempt.problem.message,
    );
    expect(status?.lastRequest).toBeUndefined();
  },
);

test('an outage that refuses in one minute and resets in the next is one cause: counted on, warned of once', () => {
  const [refused, reset] = [attemptOf(no(false).reply), attemptOf(no(true).reply)];
  const done = visits(aPipeSettings(), [refused, reset, refused, attemptOf(anAnswer(503)), reset]);
  expect(done.map(({ status }) => status?.attempts)).toEqual([1, 2, 3, 4, 5]);
  expect(done.flatMap(({ report }) => report.notices)).toHaveLength(1);
});

test('another cause starts its own count and its own warning', () => {
  const done = visits(
    aPipeSettings(),
    [400, 400, 404, 404].map((status) => attemptOf(anAnswer(status))),
  );
  expect(done.map(({ status }) => status?.attempts)).toEqual([1, 2, 1, 2]);
  expect(done.map(({ report }) => report.notices?.map(({ reason }) => reason))).toEqual([
    ['Rejected'],
    [],
    ['NotFound'],
    [],
  ]);
});

test('the same failure again changes neither message nor lastTransitionTime, but for the request id', () => {
  const again = (id: string): Attempt =>
    attemptOf(anAnswer(500, { error: 'Internal error.', requestId: id }));
  const [first, second] = visits(aPipeSettings(), [again('req-1'), again('req-2')]);
  expect(readyIn(second?.status)).toEqual({
    ...readyIn(first?.status),
    message: readyIn(first?.status).message.replace('req-1', 'req-2'),
  });
});
