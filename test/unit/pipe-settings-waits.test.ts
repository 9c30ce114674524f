import { describe, expect, test } from 'vitest';
import {
  anAnswer,
  aPipeSettings,
  astray,
  attemptOf,
  MINUTE,
  SECOND,
  T0,
  visit,
  waitAfter,
} from '../support/objects.ts';

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

test('two objects that fail at one moment do not come back at one moment', () => {
  const attempt = attemptOf(anAnswer(400));
  const times = Array.from({ length: 20 }, (_, index) =>
    visit(aPipeSettings({ uid: `uid-${index}` }), { attempt }),
  );
  expect(new Set(times.map(({ status }) => status?.nextAttemptTime)).size).toBeGreaterThan(15);
});
