import { describe, expect, test } from 'vitest';
import type { PipeSettings, PipeSettingsStatus } from '../../src/kinds/pipe-settings/resource.ts';
import { apiHashOf, isProven } from '../../src/kinds/target/proof.ts';
import {
  API_HASH,
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  attemptOf,
  confirmedWith,
  edited,
  HOUR,
  MINUTE,
  T0,
  type Visit,
  visit,
} from '../support/objects.ts';

const DAY = 24 * HOUR;
const REFUSED = { attempt: attemptOf(anAnswer(401)) };
const proofOf = (status: PipeSettingsStatus | undefined) => status?.proof;

/** Every visit that is scheduled, for so long, with this answer to every call. */
function lived(
  object: PipeSettings,
  options: Parameters<typeof visit>[1] & { readonly forMs: number },
): Visit {
  let now = options.now ?? T0;
  const end = now + options.forMs;
  let last = visit(object, { ...options, now });
  for (
    let { outcome } = last.report;
    outcome.next === 'recheck' && outcome.at <= end;
    { outcome } = last.report
  ) {
    now = Math.max(outcome.at, now + 1);
    last = visit(last.object, { ...options, now });
  }
  return last;
}

describe('proof', () => {
  test('comes with every 200 that has a result, also one that reports other values', () => {
    const time = '2026-03-01T12:00:00Z';
    expect(proofOf(anAppliedPipeSettings().status)).toEqual({ time, apiHash: API_HASH });
    const other = visit(aPipeSettings(), { attempt: confirmedWith({ engine_max_threads: 1 }) });
    expect(proofOf(other.status)).toEqual({ time, apiHash: API_HASH });
  });

  test.for([400, 401, 403, 404, 409, 429, 500])('does not come with %i', (code) => {
    expect(
      proofOf(visit(aPipeSettings(), { attempt: attemptOf(anAnswer(code)) }).status),
    ).toBeUndefined();
  });

  test('is of one API', () => {
    const { status } = anAppliedPipeSettings();
    expect(isProven(status, API_HASH)).toBe(true);
    expect(isProven(status, apiHashOf('https://other.example.test'))).toBe(false);
  });
});

describe('the end of proof', () => {
  const refused = edited(anAppliedPipeSettings(), {});

  test('comes when the key has been refused for 24 hours, by a visit that is made for it', () => {
    const before = lived(refused, { ...REFUSED, now: T0 + HOUR, forMs: DAY - 1 });
    expect(proofOf(before.status)).toMatchObject({ unusableSince: '2026-03-01T13:00:00Z' });
    const after = lived(refused, { ...REFUSED, now: T0 + HOUR, forMs: DAY });
    expect(after.status).not.toHaveProperty('proof');
  });

  test('comes for a spec that is not valid, for which nothing else is scheduled', () => {
    const invalid = { ...refused, spec: { ...(refused.spec as object), settings: {} } };
    const first = visit(invalid, { now: T0 + HOUR });
    expect(first.report.outcome).toEqual({ next: 'recheck', at: T0 + HOUR + DAY });
    expect(first.status).not.toHaveProperty('nextAttemptTime');
    expect(visit(first.object, { now: T0 + HOUR + DAY }).status).not.toHaveProperty('proof');
  });

  test('is counted anew after the next 200, and the proof is back', () => {
    const lost = lived(refused, { ...REFUSED, forMs: DAY }).object;
    const back = visit(edited(lost, {}), { now: T0 + 2 * DAY });
    expect(proofOf(back.status)).toEqual({ time: '2026-03-03T12:00:00Z', apiHash: API_HASH });
    expect(proofOf(visit(refused, REFUSED).status)).toHaveProperty('unusableSince');
  });

  test('is not counted from a failure of another sort, and does not come with one', () => {
    const away = { attempt: attemptOf(anAnswer(503)) };
    const down = lived(refused, { ...away, forMs: 3 * DAY });
    expect(proofOf(down.status)).toEqual(proofOf(refused.status));
    const then = visit(down.object, { ...REFUSED, now: T0 + 3 * DAY + HOUR });
    expect(proofOf(then.status)).toMatchObject({ unusableSince: '2026-03-04T13:00:00Z' });
  });

  test.for([401, 403, 404, 'SecretNotFound', 'SecretInvalid', 'SecretForbidden'] as const)(
    'is counted from %s, which somebody has to mend',
    (why) => {
      const attempt =
        typeof why === 'number'
          ? attemptOf(anAnswer(why))
          : ({ got: 'no-credential', problem: { reason: why, message: why } } as const);
      const { status } = visit(refused, { attempt });
      expect(proofOf(status)).toMatchObject({ unusableSince: '2026-03-01T12:00:00Z' });
    },
  );

  test.for([400, 409, 424])(
    'is counted anew after %i, which only an answer to a key of use says: one refusal days after another ends nothing',
    (code) => {
      const first = visit(refused, REFUSED);
      const since = T0 + MINUTE;
      const taken = lived(edited(first.object, {}), {
        attempt: attemptOf(anAnswer(code)),
        now: since,
        forMs: 3 * DAY,
      });
      const again = visit(edited(taken.object, {}), { ...REFUSED, now: T0 + 3 * DAY + HOUR });
      expect(proofOf(again.status)).toMatchObject({ unusableSince: '2026-03-04T13:00:00Z' });
    },
  );

  test.for([{ suspend: true }, { mode: 'Plan' }] as const)(
    'never comes with %o, and is counted anew after it',
    (idle) => {
      const tried = visit(refused, REFUSED).object;
      const there = lived(edited(tried, idle), { now: T0 + MINUTE, forMs: 9 * DAY });
      expect(proofOf(there.status)).toEqual(proofOf(refused.status));
      expect(there.report.outcome).toEqual({ next: 'await-change' });
    },
  );

  test('is counted from now where the time on record lies in the future: another clock wrote it, perhaps a second ago', () => {
    const { object } = visit(refused, { ...REFUSED, now: T0 + 9 * DAY });
    const first = visit(object, { now: T0 + HOUR });
    expect(proofOf(first.status)).toMatchObject({ unusableSince: '2026-03-01T13:00:00Z' });
    expect(visit(first.object, { ...REFUSED, now: T0 + HOUR + DAY }).status).not.toHaveProperty(
      'proof',
    );
  });
});
