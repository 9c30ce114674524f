import { describe, expect, test } from 'vitest';
import { settingsRequest } from '../../src/kinds/pipe-settings/remote.ts';
import type { PipeSettings, PipeSettingsSpec } from '../../src/kinds/pipe-settings/resource.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  asking,
  attemptOf,
  BASE_URL,
  confirmedWith,
  edited,
  HOUR,
  heldByAnother,
  planned,
  readyIn,
  sideIn,
  T0,
  visit,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

const refused = attemptOf(anAnswer(400, { error: 'no' }));

describe('in Plan mode', () => {
  const spec = {
    mode: 'Plan',
    settings: { engine_max_threads: 9, engine_max_insert_threads: 2 },
  } as const;
  const first = visit(aPipeSettings({ spec }));

  test('the status has the request to the letter, and Ready says what is not sent', () => {
    expectLawful(first.status);
    const { hash, path, body } = settingsRequest(
      BASE_URL,
      aPipeSettings({ spec }).spec as PipeSettingsSpec,
    );
    expect(first.status?.plan).toEqual({
      time: '2026-03-01T12:00:00Z',
      basis: 'Unknown',
      hash,
      requests: [{ method: 'PUT', path, body }],
      changes: [
        { field: 'engine_max_threads', to: 9 },
        { field: 'engine_max_insert_threads', to: 2 },
      ],
    });
    expect(readyIn(first.status)).toMatchObject({
      status: 'False',
      reason: 'Planned',
      message:
        '2 changes planned; not sent: one PUT with 2 settings; the values at the API are not known yet. See status.plan; set spec.mode to Apply to send it',
    });
  });

  test('the hash is the one that Apply records', () => {
    const applied = visit(edited(first.object, { mode: 'Apply' }));
    expect(applied.status?.applied?.requestHash).toBe(first.status?.plan?.hash);
    expect(applied.status).not.toHaveProperty('plan');
  });

  test('changes are measured against the last reply where there is one', () => {
    const { status } = visit(edited(anAppliedPipeSettings(), spec));
    expect(status?.plan).toMatchObject({
      basis: 'LastResponse',
      changes: [{ field: 'engine_max_threads', from: 8, to: 9 }, { to: 2 }],
    });
    const one = visit(
      edited(anAppliedPipeSettings(), { mode: 'Plan', settings: { engine_max_threads: 9 } }),
    );
    expect(readyIn(one.status)).toMatchObject({
      status: 'False',
      message:
        '1 change planned; not sent: one PUT with 1 setting; compared with the last response. See status.plan; set spec.mode to Apply to send it',
    });
  });

  test('is Ready only where nothing would change, and nobody can have changed it since', () => {
    const reported = { engine_max_threads: 8 };
    const empty = { mode: 'Plan', settings: reported } as const;
    const object = edited(anAppliedPipeSettings(), empty);
    const { status } = visit(object);
    expectLawful(status);
    expect(readyIn(status)).toMatchObject({
      status: 'True',
      message:
        'No changes; not sent: one PUT with 1 setting; compared with the last response. See status.plan; set spec.mode to Apply to send it',
    });
    expect(sideIn(status)).toBeUndefined();
    const lastRequest = {
      operation: 'UpdatePipeSettings',
      outcome: 'Unknown',
      time: '2026-03-01T11:00:00Z',
    } as const;
    const lost = visit({ ...object, status: { ...object.status, lastRequest } });
    expect(readyIn(lost.status)).toMatchObject({
      status: 'False',
      message: expect.stringContaining('the declared state is not confirmed'),
    });
    expect(planned(object, { hasUnrecordedWrite: true })).toMatchObject({
      summary: { ready: 'False' },
    });
  });

  test('what --plan-only showed is no failure to have recovered from', () => {
    const { status, ...rest } = anAppliedPipeSettings();
    const object = { ...rest, status: { ...status, settings: { engine_max_threads: 1 } } };
    const shown = visit(object, { facts: { planOnly: true } });
    expect(readyIn(shown.status)).toMatchObject({ status: 'False', reason: 'Planned' });
    const { report } = visit(asking(shown.object, 'now'), {
      attempt: confirmedWith({ engine_max_threads: 8 }),
    });
    expect(report.notices).toMatchObject([{ note: expect.not.stringContaining('after Planned') }]);
  });

  test('the time stays while the plan stays, and moves when it changes', () => {
    const same = visit(edited(first.object, { reassertInterval: '24h' }), { now: T0 + HOUR });
    expect(same.status?.plan).toEqual(first.status?.plan);
    const other = visit(edited(first.object, { settings: { engine_max_threads: 1 } }), {
      now: T0 + HOUR,
    });
    expect(other.status?.plan?.time).toBe('2026-03-01T13:00:00Z');
  });

  test.for<[string, PipeSettings, Parameters<typeof visit>[1]]>([
    ['suspend', edited(first.object, { suspend: true }), {}],
    ['a conflict', first.object, { facts: heldByAnother() }],
    ['a failure', edited(first.object, { mode: 'Apply' }), { attempt: refused }],
    [
      'an echo that differs',
      edited(first.object, { mode: 'Apply' }),
      { attempt: confirmedWith({ engine_max_threads: 1 }) },
    ],
    ['an invalid spec', { ...edited(first.object, {}), spec: {} }, {}],
  ])('the plan is gone with %s', ([, object, options]) => {
    const { status } = visit(object, options);
    expectLawful(status);
    expect(status).not.toHaveProperty('plan');
  });
});
