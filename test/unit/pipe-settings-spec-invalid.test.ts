import { describe, expect, test } from 'vitest';
import { aPipeSettings, HOUR, readyIn, sideIn, T0, visit } from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

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
