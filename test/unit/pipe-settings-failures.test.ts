import { describe, expect, test } from 'vitest';
import type { Reply } from '../../src/api/reply/reply.ts';
import type { FailureClass, RequestOutcome } from '../../src/api/reply/verdict.ts';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import type { FailureReason } from '../../src/kinds/status/failures.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  attemptOf,
  confirmedWith,
  edited,
  HOUR,
  MINUTE,
  readyIn,
  SECOND,
  sideIn,
  T0,
  type Visit,
  visit,
  visits,
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

function waitAfter(visited: Visit, at: number): number {
  return Date.parse(visited.status?.nextAttemptTime ?? '') - at;
}

/** By how much a wait misses the contract's ±20 %; times have whole seconds, rounded up. */
function astray(wait: number, contract: number): number {
  return Math.max(contract * 0.8 - wait, 0) + Math.max(wait - contract * 1.2 - SECOND, 0);
}

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

describe('a wish of the server to wait', () => {
  test.for<[string, number, number, number]>([
    ['is granted on 429 beyond the own back-off', 429, 4 * MINUTE, 4 * MINUTE],
    ['is granted on 503 beyond the own back-off', 503, 15 * MINUTE, 15 * MINUTE],
  ])('%s', ([, status, retryAfterMs, wait]) => {
    const visited = visit(aPipeSettings(), {
      attempt: attemptOf(anAnswer(status, { retryAfterMs })),
    });
    expect(waitAfter(visited, T0)).toBe(wait);
  });

  test('does not shorten the own back-off', () => {
    const visited = visit(aPipeSettings(), {
      attempt: attemptOf(anAnswer(429, { retryAfterMs: 1 })),
    });
    expect(astray(waitAfter(visited, T0), 10 * SECOND)).toBe(0);
  });

  test('is not heard on other statuses', () => {
    const visited = visit(aPipeSettings(), {
      attempt: attemptOf(anAnswer(409, { retryAfterMs: 15 * MINUTE })),
    });
    expect(astray(waitAfter(visited, T0), 2 * SECOND)).toBe(0);
  });

  test('counts with the pause of the whole credential, whichever is longer', () => {
    const attempt = attemptOf(anAnswer(429, { retryAfterMs: MINUTE }), 3 * MINUTE);
    expect(waitAfter(visit(aPipeSettings(), { attempt }), T0)).toBe(3 * MINUTE);
  });

  test('holds for the longest of them: it is not taken for a jump of the clock', () => {
    const { object } = visit(aPipeSettings(), {
      attempt: attemptOf(anAnswer(503, { retryAfterMs: 15 * MINUTE })),
    });
    expect(visit(object, { now: T0 }).plan).toEqual({ do: 'nothing', at: T0 + 15 * MINUTE });
  });
});

test('a next attempt has a whole second and never lies before the wait is over', () => {
  const visited = visit(aPipeSettings(), {
    now: T0 + 1,
    attempt: attemptOf(anAnswer(503, { retryAfterMs: MINUTE })),
  });
  expect(visited.status?.nextAttemptTime).toBe('2026-03-01T12:01:01Z');
});

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

test('two objects that fail at one moment do not come back at one moment', () => {
  const attempt = attemptOf(anAnswer(400));
  const times = Array.from({ length: 20 }, (_, index) =>
    visit(aPipeSettings({ uid: `uid-${index}` }), { attempt }),
  );
  expect(new Set(times.map(({ status }) => status?.nextAttemptTime)).size).toBeGreaterThan(15);
});

describe('an echo that differs', () => {
  const differs = confirmedWith({ engine_max_threads: 4 });

  test('is asked about after 10 s, 1 min and 5 min, then the user is told to act', () => {
    const done = visits(aPipeSettings(), [differs, differs, differs, differs, differs]);
    let at = T0;
    const seen = done.map((visited) => {
      const wait = waitAfter(visited, at);
      at += wait;
      return [readyIn(visited.status).reason, sideIn(visited.status), wait];
    });
    expect(seen.slice(0, 3)).toEqual([
      ['NotConfirmed', 'Reconciling', 10 * SECOND],
      ['NotConfirmed', 'Reconciling', MINUTE],
      ['NotConfirmed', 'Reconciling', 5 * MINUTE],
    ]);
    for (const [reason, side, wait] of seen.slice(3)) {
      expect([reason, side]).toEqual(['NotConfirmed', 'Stalled']);
      expect(astray(Number(wait), 6 * HOUR)).toBe(0);
    }
    for (const { status } of done) expectLawful(status);
    expect(done.flatMap(({ report }, index) => report.notices?.map(() => index))).toEqual([0, 3]);
  });

  test('names the difference, keeps the last confirmed write, and counts as a request that succeeded', () => {
    const before = anAppliedPipeSettings();
    const { status } = visit(edited(before, { settings: { engine_max_threads: 9 } }), {
      attempt: differs,
    });
    expect(status).toMatchObject({
      applied: before.status?.applied,
      settings: { engine_max_threads: 4 },
      differences: [{ field: 'engine_max_threads', declared: 9, reported: 4 }],
      lastRequest: { outcome: 'Succeeded', httpStatus: 200, requestId: 'req-1' },
    });
    expect(readyIn(status).message).toContain('engine_max_threads is 4, not 9 (request req-1)');
  });

  test('that comes right is applied, without a trace of the difference', () => {
    const [, after] = visits(aPipeSettings(), [differs, confirmedWith({ engine_max_threads: 8 })]);
    expectLawful(after?.status);
    expect(after?.status).toMatchObject({ applied: { generation: 1 } });
    for (const gone of ['differences', 'attempts', 'nextAttemptTime'])
      expect(after?.status).not.toHaveProperty(gone);
  });

  test('in all twelve keys, with texts of any kind, is one readable line that ends with what to do', () => {
    const settings = {
      streaming_max_insert_wait_ms: 500,
      object_storage_concurrency: 1,
      object_storage_polling_interval_ms: 100,
      object_storage_max_insert_bytes: 10_485_760,
      object_storage_max_file_count: 1,
      engine_max_threads: 0,
      engine_max_insert_threads: 0,
      engine_min_insert_block_size_bytes: 0,
      engine_max_download_threads: 0,
      engine_parallel_distributed_insert_select: 0,
      object_storage_use_cluster_function: true,
      engine_parallel_view_processing: true,
    };
    const odd = `a\nb\u2028${'x'.repeat(200)}`;
    const attempt = confirmedWith(
      Object.fromEntries(Object.keys(settings).map((name) => [name, odd])),
    );
    const { status } = visit(aPipeSettings({ spec: { settings } }), { attempt });
    expectLawful(status);
    expect(status?.differences).toHaveLength(12);
    expect(readyIn(status).message).toMatch(
      /and 8 more, see status\.differences .*declare the values that the API keeps$/,
    );
  });
});

describe('a stored spec that is not valid any more', () => {
  const object = aPipeSettings({
    rawSpec: { organizationId: 'org', credentialsSecretRef: { name: 'api-key' } },
  });
  const first = visit(object);

  test('is refused without a call, names the fields, and schedules nothing', () => {
    expectLawful(first.status);
    expect(first.plan.do).toBe('refuse-spec');
    expect(readyIn(first.status)).toMatchObject({ status: 'False', reason: 'SpecInvalid' });
    expect(sideIn(first.status)).toBe('Stalled');
    expect(readyIn(first.status).message).toContain('spec.serviceId is required');
    expect(first.status).not.toHaveProperty('nextAttemptTime');
    expect(first.report).toMatchObject({
      outcome: { next: 'await-change' },
      notices: [{ reason: 'SpecInvalid' }],
    });
  });

  test('is told once', () => {
    const again = visit(first.object, { now: T0 + HOUR });
    expect(again.report.status ?? first.status).toStrictEqual(first.status);
    expect(again.report.notices ?? []).toEqual([]);
  });

  test('is sent as soon as today’s schema takes it, also without an edit', () => {
    const valid = { ...first.object, spec: aPipeSettings().spec };
    expect(visit(valid).plan.do).toBe('call');
  });
});
