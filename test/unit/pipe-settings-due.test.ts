import { describe, expect, test } from 'vitest';
import { type CallFacts, type Due, whenDue } from '../../src/kinds/status/due.ts';
import type { FailureReason } from '../../src/kinds/shared/failures.ts';
import type { SecretState } from '../../src/kube/secrets/secret-state.ts';
import { FAILURES } from '../../src/waits.ts';
import { aPipeSettings, HOUR, MINUTE, SECOND, T0 } from '../support/objects.ts';

const iso = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;
const present = (resourceVersion: string, changedAt?: number): SecretState => ({
  state: 'present',
  resourceVersion,
  type: undefined,
  changedAt,
});

interface Wanted extends CallFacts {
  readonly reason?: string;
  readonly status?: object;
  readonly generation?: number;
  readonly uid?: string;
  /** The value of the one-shot annotation. */
  readonly requested?: string | undefined;
  readonly confirmed?: boolean;
  readonly reassertMs?: number;
  readonly now?: number;
}

/**
 * About an object that was visited in its present generation, with the Secret it was tried with.
 */
function asked({ reason = 'Applied', status, ...more }: Partial<Wanted> = {}): Due {
  const ready = {
    type: 'Ready',
    status: reason === 'Applied' ? 'True' : 'False',
    reason,
    message: 'm',
    observedGeneration: 1,
    lastTransitionTime: iso(T0 - HOUR),
  } as const;
  const { generation = 1, uid = 'uid-1', requested } = more;
  const known = { observedGeneration: 1, conditions: [ready], applied: { time: iso(T0) } };
  const object = {
    ...aPipeSettings({ generation, uid, requested }),
    status: { ...known, ...status },
  };
  const facts = { secret: present('1'), triedSecret: '1', ...more };
  return whenDue(object, facts, { confirmed: true, now: T0, ...more });
}

const at = (when: number) => ({ status: { nextAttemptTime: iso(when) } });

/** Over as soon as a pass finds no cause for it any more. */
type Untimed = 'SpecInvalid' | 'TargetConflict';

/**
 * The furthest off that a next attempt may lie, before jitter; the compiler asks for every reason.
 */
const TIMED = {
  Rejected: 6 * HOUR,
  Unauthorized: 30 * MINUTE,
  Forbidden: HOUR,
  NotFound: HOUR,
  Conflict: 2 * MINUTE,
  DependencyNotReady: 10 * MINUTE,
  RateLimited: 15 * MINUTE,
  Unavailable: 15 * MINUTE,
  OutcomeUnknown: 15 * MINUTE,
  UnexpectedResponse: 30 * MINUTE,
  NotConfirmed: 6 * HOUR,
  SecretNotFound: 5 * MINUTE,
  SecretInvalid: HOUR,
  SecretForbidden: 5 * MINUTE,
  EndpointConflict: HOUR,
  RemovalBlocked: HOUR,
} as const satisfies Record<Exclude<FailureReason, Untimed>, number>;

/** The state of the Secret in which each reason leaves an object. */
const SECRET_THEN: Readonly<Partial<Record<FailureReason, SecretState>>> = {
  SecretNotFound: { state: 'absent' },
  SecretForbidden: { state: 'forbidden', message: 'm' },
};

test.for<Untimed>(['SpecInvalid', 'TargetConflict'])(
  '%s is over when a pass finds no cause for it: sent at once',
  (reason) => {
    expect(asked({ reason, ...at(T0 + HOUR) })).toEqual({
      do: 'call',
      lane: 'scheduled',
      probe: false,
    });
  },
);

const reasons = Object.keys(TIMED) as (keyof typeof TIMED)[];

describe.for(reasons)('%s', (reason) => {
  const longest = TIMED[reason];
  const secret = SECRET_THEN[reason] ?? present('1');

  test('sends nothing before its time', () => {
    expect(asked({ reason, secret, ...at(T0 + SECOND) })).toEqual({
      do: 'nothing',
      at: T0 + SECOND,
    });
    expect(asked({ reason, secret, ...at(T0 + longest) })).toEqual({
      do: 'nothing',
      at: T0 + longest,
    });
  });

  test('sends at its time, and may probe a refused key then, whatever came before', () => {
    const due = { do: 'call', lane: 'scheduled', probe: true };
    expect(asked({ reason, secret, ...at(T0) })).toEqual(due);
    expect(asked({ reason, secret, ...at(T0 - HOUR) })).toEqual(due);
  });

  test('without a time asks at once, without probing', () => {
    expect(asked({ reason, secret })).toEqual({ do: 'call', lane: 'scheduled', probe: false });
  });

  test('with a time further off than its class allows is pulled in to what its class would wait', () => {
    const attempts = 2;
    const status = { nextAttemptTime: iso(T0 + longest * 1.2 + 2 * SECOND), attempts };
    const due = asked({ reason, secret, status });
    if (due.do !== 'reschedule') throw new Error(`not pulled in: ${JSON.stringify(due)}`);
    const first = reason === 'NotConfirmed' ? MINUTE / attempts : FAILURES[reason].firstMs;
    const usual = Math.min(first * attempts, FAILURES[reason].capMs);
    expect(due.at - T0).toBeGreaterThanOrEqual(0.8 * usual);
    expect(due.at - T0).toBeLessThanOrEqual(1.2 * usual);
  });

  test('changes nothing while the state of the Secret is not known', () => {
    const question = { reason, secret: { state: 'unknown' }, ...at(T0 + SECOND) } as const;
    expect(asked(question)).toMatchObject({ do: 'nothing' });
    expect(asked({ ...question, triedSecret: undefined })).toMatchObject({ do: 'nothing' });
  });
});

type Then = 'now' | 'waits';
type News = 'is absent' | 'may not be read' | 'is another' | 'is the same';
const SAME: Readonly<Record<News, Then>> = {
  'is absent': 'waits',
  'may not be read': 'waits',
  'is another': 'waits',
  'is the same': 'waits',
};
const KEY_MATTERS: Readonly<Record<News, Then>> = {
  'is absent': 'now',
  'may not be read': 'now',
  'is another': 'now',
  'is the same': 'waits',
};

/** What news of the Secret mean for each reason, before its time. */
const SECRETS = {
  Rejected: SAME,
  Unauthorized: KEY_MATTERS,
  Forbidden: KEY_MATTERS,
  NotFound: SAME,
  Conflict: SAME,
  DependencyNotReady: SAME,
  RateLimited: SAME,
  Unavailable: SAME,
  OutcomeUnknown: SAME,
  UnexpectedResponse: SAME,
  NotConfirmed: SAME,
  SecretNotFound: {
    'is absent': 'waits',
    'may not be read': 'now',
    'is another': 'now',
    'is the same': 'now',
  },
  SecretInvalid: KEY_MATTERS,
  SecretForbidden: {
    'is absent': 'now',
    'may not be read': 'waits',
    'is another': 'now',
    'is the same': 'now',
  },
  EndpointConflict: SAME,
  RemovalBlocked: SAME,
} as const satisfies Record<
  Exclude<FailureReason, 'SpecInvalid' | 'TargetConflict'>,
  Readonly<Record<News, Then>>
>;

const NEWS: Readonly<Record<News, SecretState>> = {
  'is absent': { state: 'absent' },
  'may not be read': { state: 'forbidden', message: 'm' },
  'is another': present('2'),
  'is the same': present('1'),
};

const cases = Object.entries(SECRETS).flatMap(([reason, byNews]) =>
  Object.entries(byNews).map(([news, answer]) => ({ reason, news: news as News, answer })),
);

test.for(cases)('$reason, when the Secret $news: $answer', ({ reason, news, answer }) => {
  const due = asked({ reason, secret: NEWS[news], ...at(T0 + MINUTE) });
  expect(due).toEqual(
    answer === 'now'
      ? { do: 'call', lane: 'scheduled', probe: false }
      : { do: 'nothing', at: T0 + MINUTE },
  );
});

describe.for(['SecretInvalid', 'Unauthorized', 'Forbidden'])('after a restart, %s', (reason) => {
  const restarted = (changedAt: number | undefined, lastRequest?: number): Due =>
    asked({
      reason,
      triedSecret: undefined,
      secret: present('2', changedAt),
      status: {
        nextAttemptTime: iso(T0 + MINUTE),
        ...(lastRequest !== undefined && { lastRequest: { time: iso(lastRequest) } }),
      },
    });

  test('is tried when the Secret was written after the last attempt', () => {
    expect(restarted(T0 - MINUTE)).toMatchObject({ do: 'call', probe: false });
    expect(restarted(T0 - MINUTE, T0 - 2 * MINUTE)).toMatchObject({ do: 'call' });
  });

  test('waits for its time when it was not, or when nobody knows', () => {
    expect(restarted(T0 - 2 * HOUR)).toMatchObject({ do: 'nothing' });
    expect(restarted(T0 - 2 * MINUTE, T0 - MINUTE)).toMatchObject({ do: 'nothing' });
    expect(restarted(undefined)).toMatchObject({ do: 'nothing' });
  });
});

test.each([
  { written: 'before it was tried', changedAt: T0 - 2 * HOUR, do: 'nothing' },
  { written: 'since, in a restored cluster', changedAt: T0 - MINUTE, do: 'call' },
])(
  'a Secret that a late watch still shows as it was before the one that was tried: $written',
  ({ changedAt, do: what }) => {
    const question = {
      reason: 'Unauthorized',
      secret: present('9', changedAt),
      triedSecret: '10',
    } as const;
    expect(asked({ ...question, ...at(T0 + MINUTE) })).toMatchObject({ do: what });
  },
);

test('a probe at its own time is not given up because the Secret has changed as well', () => {
  expect(asked({ reason: 'Unauthorized', secret: present('2'), ...at(T0) })).toMatchObject({
    probe: true,
  });
});

describe('what is confirmed', () => {
  test('is never sent again by itself', () => {
    expect(asked()).toEqual({ do: 'nothing' });
    expect(asked({ secret: present('2') })).toEqual({ do: 'nothing' });
    expect(asked({ secret: { state: 'absent' } })).toEqual({ do: 'nothing' });
  });

  test('is sent again when it is not what is declared', () => {
    expect(asked({ confirmed: false })).toEqual({ do: 'call', lane: 'scheduled', probe: false });
  });

  test('is sent for a user when the generation is new, or nobody has visited it', () => {
    const forUser = { do: 'call', lane: 'user', probe: false };
    expect(asked({ generation: 2 })).toEqual(forUser);
    expect(asked({ status: { conditions: [] } })).toEqual(forUser);
    const { status: _, ...unvisited } = aPipeSettings();
    const facts = { secret: present('1'), triedSecret: '1' };
    expect(whenDue(unvisited, facts, { confirmed: true, now: T0 })).toEqual(forUser);
  });

  test('is sent for a user who asks, once per value', () => {
    const owed = { do: 'call', lane: 'user', probe: true };
    expect(asked({ requested: 'a' })).toEqual(owed);
    expect(asked({ requested: '' })).toEqual(owed);
    expect(asked({ requested: 'a', status: { lastHandledReconcileAt: 'b' } })).toEqual(owed);
    expect(asked({ requested: 'a', status: { lastHandledReconcileAt: 'a' } })).toEqual({
      do: 'nothing',
    });
    expect(asked({ requested: undefined, status: { lastHandledReconcileAt: 'a' } })).toEqual({
      do: 'nothing',
    });
    expect(asked({ requested: 'a', reason: 'Rejected', ...at(T0 + MINUTE) })).toEqual(owed);
  });
});

describe('a re-assert', () => {
  const reassertMs = 24 * HOUR;
  const onRecord = (when: number): Due => asked({ reassertMs, ...at(when) });

  test('waits for the time on record, and may probe a refused key then', () => {
    expect(onRecord(T0 + SECOND)).toEqual({ do: 'nothing', at: T0 + SECOND });
    expect(onRecord(T0)).toEqual({ do: 'call', lane: 'scheduled', probe: true });
  });

  test('without a time on record comes one interval after the last confirmed write, later by at most a tenth', () => {
    const times = Array.from({ length: 100 }, (_, index) => {
      const due = asked({ reassertMs, uid: `uid-${index}` });
      return due.do === 'nothing' ? (due.at ?? 0) - T0 : 0;
    });
    expect(Math.min(...times)).toBeGreaterThanOrEqual(reassertMs);
    expect(Math.max(...times)).toBeLessThan(1.1 * reassertMs);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(0.08 * reassertMs);
    expect(asked({ reassertMs, now: T0 + 1.1 * reassertMs })).toMatchObject({ do: 'call' });
  });

  test('is pulled in to one interval from now when a clock that ran ahead put it further off', () => {
    const due = onRecord(T0 + 400 * 24 * HOUR);
    if (due.do !== 'reschedule') throw new Error(`not pulled in: ${JSON.stringify(due)}`);
    expect(due.at).toBeGreaterThanOrEqual(T0 + reassertMs);
    expect(due.at).toBeLessThanOrEqual(T0 + 1.1 * reassertMs);
    expect(onRecord(Math.ceil(due.at / 1000) * 1000)).toMatchObject({ do: 'nothing' });
  });
});

test('a slot ends the wait of an object whose own key was refused, and no other wait', () => {
  const early = { ...at(T0 + MINUTE), hasSlot: true };
  expect(asked({ reason: 'Unauthorized', ...early })).toMatchObject({ do: 'call' });
  expect(asked({ reason: 'Rejected', ...early })).toEqual({ do: 'nothing', at: T0 + MINUTE });
});
