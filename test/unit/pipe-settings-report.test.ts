import { describe, expect, test } from 'vitest';
import { settingsRequest } from '../../src/kinds/pipe-settings/remote.ts';
import type {
  PipeSettingsSpec,
  PipeSettingsStatus,
} from '../../src/kinds/pipe-settings/resource.ts';
import { pendingStatus } from '../../src/kinds/schema/status-fields.ts';
import {
  API_HASH,
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  asking,
  attemptOf,
  BASE_URL,
  confirmedWith,
  edited,
  HOUR,
  MINUTE,
  readyIn,
  SECOND,
  sideIn,
  T0,
  visit,
  visits,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

const refused = attemptOf(anAnswer(400, { error: 'no' }));

describe('a confirmed write', () => {
  const object = aPipeSettings({
    generation: 4,
    spec: { settings: { engine_max_threads: 8, engine_parallel_view_processing: true } },
  });
  const first = visit(object, {
    now: T0 + 900,
    attempt: confirmedWith({ engine_max_threads: '8', engine_max_insert_threads: 2 }),
  });

  test('is shown whole, and only what is', () => {
    expectLawful(first.status);
    const { hash } = settingsRequest(BASE_URL, object.spec as PipeSettingsSpec);
    const time = '2026-03-01T12:00:00Z';
    expect(first.status).toStrictEqual({
      observedGeneration: 4,
      proof: { time, apiHash: API_HASH },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Applied',
          message:
            'The API accepted all 2 declared settings; the response omitted 1 of them, see status.notReported (request req-1)',
          observedGeneration: 4,
          lastTransitionTime: time,
        },
      ],
      lastRequest: {
        operation: 'UpdatePipeSettings',
        requestId: 'req-1',
        httpStatus: 200,
        outcome: 'Succeeded',
        time,
      },
      applied: {
        time,
        generation: 4,
        requestId: 'req-1',
        requestHash: hash,
        responseHash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        secretResourceVersion: '1',
        keys: ['engine_max_threads', 'engine_parallel_view_processing'],
      },
      settings: { engine_max_threads: 8, engine_max_insert_threads: 2 },
      notReported: ['engine_parallel_view_processing'],
      history: [
        {
          time,
          generation: 4,
          requestId: 'req-1',
          changes: [
            { field: 'engine_max_threads', to: 8 },
            { field: 'engine_parallel_view_processing', to: true },
          ],
        },
      ],
    });
  });

  test('makes no event the first time, and schedules nothing', () => {
    expect(first.report).toMatchObject({
      notices: [],
      outcome: { next: 'await-change' },
      did: 'put',
    });
  });

  test('makes no event on an object as the API server creates it either', () => {
    const created = aPipeSettings({ status: pendingStatus as PipeSettingsStatus });
    expect(visit(created).report.notices).toEqual([]);
    expect(visit(created).status).toStrictEqual(visit(aPipeSettings()).status);
  });

  test('without a request id has none anywhere', () => {
    const { status } = visit(aPipeSettings(), {
      attempt: attemptOf({ answered: true, httpStatus: 200, body: 'json', result: {} }),
    });
    expectLawful(status);
    expect(JSON.stringify(status)).not.toMatch(/requestId|\(request|undefined/);
  });

  test('with an empty result is applied, with all keys not reported', () => {
    const { status } = visit(aPipeSettings(), { attempt: confirmedWith({}) });
    expect(readyIn(status)).toMatchObject({ status: 'True', reason: 'Applied' });
    expect(status).toMatchObject({
      notReported: ['engine_max_threads'],
      applied: { generation: 1 },
    });
    expect(status).not.toHaveProperty('settings');
  });

  test('of a change makes one event that names it', () => {
    const { report } = visit(
      edited(anAppliedPipeSettings(), { settings: { engine_max_threads: 9 } }),
    );
    expect(report.notices).toEqual([
      {
        type: 'Normal',
        reason: 'Applied',
        note: 'Applied engine_max_threads 8 → 9 (request req-1)',
      },
    ]);
  });

  test('after a failure makes one event that names the failure, and leaves nothing of it', () => {
    const [, recovered] = visits(aPipeSettings(), [
      refused,
      confirmedWith({ engine_max_threads: 8 }),
    ]);
    expect(recovered?.report.notices).toEqual([
      {
        type: 'Normal',
        reason: 'Applied',
        note: 'Applied engine_max_threads → 8 after Rejected (request req-1)',
      },
    ]);
    expect(sideIn(recovered?.status)).toBeUndefined();
    for (const gone of ['attempts', 'nextAttemptTime'])
      expect(recovered?.status).not.toHaveProperty(gone);
    expect(recovered?.status?.lastRequest).not.toHaveProperty('message');
  });

  test('moves lastTransitionTime only with the status', () => {
    const later = visit(edited(first.object, {}), { now: T0 + HOUR });
    expect(readyIn(later.status).lastTransitionTime).toBe('2026-03-01T12:00:00Z');
    const failed = visit(edited(later.object, {}), { now: T0 + 2 * HOUR, attempt: refused });
    expect(readyIn(failed.status).lastTransitionTime).toBe('2026-03-01T14:00:00Z');
  });
});

test('a time that is too far off is pulled in, and nothing else of the status is touched', () => {
  const { object, status } = visit(aPipeSettings(), { attempt: attemptOf(anAnswer(409)) });
  const far = { ...object, status: { ...status, nextAttemptTime: '2027-01-01T00:00:00Z' } };
  const pulled = visit(far, { now: T0 });
  expectLawful(pulled.status);
  expect(pulled.plan.do).toBe('reschedule');
  expect(pulled.status).toStrictEqual({
    ...status,
    nextAttemptTime: pulled.status?.nextAttemptTime,
  });
  expect(Date.parse(pulled.status?.nextAttemptTime ?? '') - T0).toBeLessThan(2.4 * SECOND + SECOND);
});

describe('what another API has reported', () => {
  const before = visit(aPipeSettings(), {
    attempt: confirmedWith({ engine_max_threads: 8, engine_max_insert_threads: 4 }),
  }).object;
  const facts = { baseUrl: 'https://other.test' };

  test('is no drift, also where the object is edited before the first reply of the one now', () => {
    const object = edited(before, { settings: { engine_max_threads: 9 } });
    const attempt = confirmedWith({ engine_max_threads: 9, engine_max_insert_threads: 2 });
    const { status, report } = visit(object, { now: T0 + MINUTE, facts, attempt });
    expect(readyIn(status).reason).toBe('Applied');
    expect(status).not.toHaveProperty('drift');
    expect(report.notices).not.toContainEqual(expect.objectContaining({ reason: 'DriftDetected' }));
    expect(status?.history?.at(-1)?.changes).toEqual([{ field: 'engine_max_threads', to: 9 }]);
    const again = visit(asking(visit(object, { now: T0 + MINUTE, facts, attempt }).object, 'now'), {
      now: T0 + HOUR,
      facts,
      attempt: confirmedWith({ engine_max_threads: 9, engine_max_insert_threads: 3 }),
    });
    expect(again.status?.drift).toMatchObject([
      { field: 'engine_max_insert_threads', from: 2, to: 3 },
    ]);
  });

  test('is nothing to measure a plan against', () => {
    const { status } = visit(edited(before, { mode: 'Plan' }), { facts });
    expect(status?.plan).toMatchObject({
      basis: 'Unknown',
      changes: [{ field: 'engine_max_threads', to: 8 }],
    });
  });
});
