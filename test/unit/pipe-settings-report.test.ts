import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import { settingsRequest } from '../../src/kinds/pipe-settings/remote.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  type PipeSettingsStatus,
} from '../../src/kinds/pipe-settings/resource.ts';
import { pendingStatus } from '../../src/kinds/schema/status-fields.ts';
import {
  API_HASH,
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  attemptOf,
  BASE_URL,
  confirmedWith,
  edited,
  HOUR,
  MINUTE,
  REQUESTED_AT,
  readyIn,
  SECOND,
  sideIn,
  standingAmong,
  T0,
  type Visit,
  visit,
  visits,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

const other = anAppliedPipeSettings({ name: 'other', uid: 'uid-2' });
const held = { standing: standingAmong(aPipeSettings(), [other]) };
const refused = attemptOf(anAnswer(400, { error: 'no' }));

function asking(object: PipeSettings, requested: string): PipeSettings {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { [REQUESTED_AT]: requested } },
  };
}

/** The same pass over what it left behind, at the same moment. */
function again(first: Visit, options: Parameters<typeof visit>[1]): PipeSettingsStatus | undefined {
  return visit(first.object, options).status;
}

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

describe('suspended', () => {
  test.for<[string, PipeSettings, 'True' | 'False']>([
    ['what was never applied is not Ready', aPipeSettings(), 'False'],
    ['what is confirmed is Ready', anAppliedPipeSettings(), 'True'],
    [
      'another declaration than the confirmed one is not Ready',
      edited(anAppliedPipeSettings(), { settings: { engine_max_threads: 9 } }),
      'False',
    ],
    [
      'what came back different is not Ready',
      visit(aPipeSettings(), { attempt: confirmedWith({ engine_max_threads: 1 }) }).object,
      'False',
    ],
    [
      'what was confirmed and then came back different is not Ready',
      visit(asking(anAppliedPipeSettings(), 'now'), {
        attempt: confirmedWith({ engine_max_threads: 1 }),
      }).object,
      'False',
    ],
    [
      'what failed since is not Ready',
      visit(edited(anAppliedPipeSettings(), {}), { attempt: refused }).object,
      'False',
    ],
  ])('%s', ([, object, ready]) => {
    const { status, report } = visit(edited(object, { suspend: true }));
    expectLawful(status);
    expect(readyIn(status)).toMatchObject({ status: ready, reason: 'Suspended' });
    expect(sideIn(status)).toBeUndefined();
    expect(status).not.toHaveProperty('nextAttemptTime');
    expect(report).toMatchObject({ outcome: { next: 'await-change' } });
    expect(report.notices ?? []).toEqual([]);
  });

  test('keeps what is known of the server', () => {
    const before = anAppliedPipeSettings();
    const { applied, settings, history, lastRequest } = before.status ?? {};
    expect(visit(edited(before, { suspend: true })).status).toMatchObject({
      applied,
      settings,
      history,
      lastRequest,
    });
  });
});

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
    ['a conflict', first.object, { facts: held }],
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

describe('a conflict', () => {
  const facts = held;
  const first = visit(aPipeSettings(), { facts });

  test('is Reconciling for five minutes and names the winner, without an event', () => {
    expectLawful(first.status);
    expect(readyIn(first.status)).toMatchObject({ status: 'False', reason: 'TargetConflict' });
    expect(readyIn(first.status).message).toContain('held by PipeSettings "other"');
    expect(sideIn(first.status)).toBe('Reconciling');
    expect(first.report).toMatchObject({
      notices: [],
      outcome: { next: 'recheck', at: T0 + 5 * MINUTE },
    });
    const soon = visit(first.object, { facts, now: T0 + 5 * MINUTE - SECOND });
    expect(soon.status).toStrictEqual(first.status);
  });

  test('is Stalled after them, with one event, and looked at about every hour', () => {
    let { object } = first;
    let now = T0 + 5 * MINUTE;
    const events = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const visited = visit(object, { facts, now });
      expectLawful(visited.status);
      expect(sideIn(visited.status)).toBe('Stalled');
      expect(again(visited, { facts, now })).toStrictEqual(visited.status);
      const next = Date.parse(visited.status?.nextAttemptTime ?? '');
      expect(next - now).toBeGreaterThanOrEqual(0.8 * HOUR);
      expect(next - now).toBeLessThan(1.2 * HOUR + SECOND);
      events.push(...(visited.report.notices ?? []));
      object = visited.object;
      now = next;
    }
    expect(events).toEqual([
      { type: 'Warning', reason: 'TargetConflict', note: readyIn(object.status).message },
    ]);
  });

  test('does not begin its five minutes anew with an edit', () => {
    const stalled = visit(first.object, { facts, now: T0 + 5 * MINUTE }).object;
    expect(sideIn(visit(edited(stalled, {}), { facts, now: T0 + 6 * MINUTE }).status)).toBe(
      'Stalled',
    );
    const waiting = visit(edited(first.object, {}), { facts, now: T0 + MINUTE });
    expect(waiting.status?.nextAttemptTime).toBe(first.status?.nextAttemptTime);
    expect(sideIn(waiting.status)).toBe('Reconciling');
  });

  test('does not name a winner that is elsewhere, but says how it can be found', () => {
    const far = anAppliedPipeSettings({ name: 'secret-name', namespace: 'far', uid: 'uid-2' });
    const { status } = visit(aPipeSettings(), {
      facts: { standing: standingAmong(aPipeSettings(), [far]) },
    });
    const { message } = readyIn(status);
    expect(message).toContain('held by an object in another namespace');
    expect(message).toContain(
      'kubectl get pipesettings.pipewright.dev -A --field-selector spec.pipeId=pipe',
    );
    expect(message).not.toMatch(/secret-name|far/);
  });

  test('with a time too far off is looked at in five minutes', () => {
    const far = {
      ...first.object,
      status: { ...first.object.status, nextAttemptTime: '2027-01-01T00:00:00Z' },
    };
    expect(visit(far, { facts }).status?.nextAttemptTime).toBe(first.status?.nextAttemptTime);
  });
});

describe('behind the gate', () => {
  const attempt: Attempt = { got: 'circuit-open' };
  const gated = visit(aPipeSettings(), { attempt });

  test('an object shows Unauthorized with one write, no request and no time of its own', () => {
    expectLawful(gated.status);
    expect(readyIn(gated.status)).toMatchObject({ status: 'False', reason: 'Unauthorized' });
    expect(sideIn(gated.status)).toBe('Stalled');
    for (const none of ['lastRequest', 'nextAttemptTime', 'attempts'])
      expect(gated.status).not.toHaveProperty(none);
    expect(gated.report).toMatchObject({
      outcome: { next: 'await-change' },
      notices: [],
      did: 'circuit-open',
    });
    expect(visit(gated.object, { now: T0 + HOUR, attempt }).report.status).toBeUndefined();
  });

  test('one that was refused itself keeps its words, and comes back at its own time', () => {
    const own = visit(aPipeSettings(), { attempt: attemptOf(anAnswer(401)) });
    const facts = {
      secret: { state: 'present', resourceVersion: '2', type: undefined, changedAt: undefined },
    } as const;
    const { plan, report } = visit(own.object, { facts, now: T0 + SECOND, attempt });
    expect(plan).toMatchObject({ do: 'call', probe: false });
    expect(report.status).toBeUndefined();
    expect(report.outcome).toEqual({
      next: 'recheck',
      at: Date.parse(own.status?.nextAttemptTime ?? ''),
    });
  });

  test('what is Ready stays Ready, whether it is its interval or a user that asks', () => {
    const object = anAppliedPipeSettings({ spec: { reassertInterval: '10m' } });
    expect(visit(object, { now: T0 + 12 * MINUTE, attempt })).toMatchObject({
      plan: { do: 'call' },
      status: object.status,
    });
    expect(visit(asking(object, 'now'), { attempt }).report).toEqual({
      outcome: { next: 'await-change' },
      did: 'circuit-open',
    });
  });

  test('what is Ready for another API does not', () => {
    const { status } = visit(anAppliedPipeSettings(), {
      attempt,
      facts: { baseUrl: 'https://other.test' },
    });
    expect(readyIn(status)).toMatchObject({ status: 'False', reason: 'Unauthorized' });
  });
});

test('a pass without a slot, or called off, says nothing', () => {
  for (const got of ['no-slot', 'called-off'] as const) {
    expect(visit(aPipeSettings(), { attempt: { got } }).report).toMatchObject({ did: got });
    expect(visit(aPipeSettings(), { attempt: { got } }).status).toBeUndefined();
  }
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

describe('for any life of an object', () => {
  const settings = fc.record(
    {
      engine_max_threads: fc.integer({ min: 0, max: 64 }),
      engine_max_insert_threads: fc.integer({ min: 0, max: 16 }),
      object_storage_use_cluster_function: fc.boolean(),
    },
    { requiredKeys: ['engine_max_threads'] },
  );
  const specs = fc.record(
    {
      settings,
      suspend: fc.boolean(),
      mode: fc.constantFrom<'Apply' | 'Plan'>('Apply', 'Plan'),
      reassertInterval: fc.constantFrom('10m', '24h'),
    },
    { requiredKeys: ['settings'] },
  );
  const attempts = fc.oneof(
    fc.constantFrom(
      ...[200, 201, 301, 400, 401, 403, 404, 409, 424, 429, 500, 503].map((code) =>
        attemptOf(anAnswer(code, { error: `e ${code}` })),
      ),
    ),
    fc.constantFrom<Attempt>(
      { got: 'circuit-open' },
      { got: 'no-slot' },
      { got: 'called-off' },
      attemptOf({ answered: false, sent: true, cause: 'no answer within 35s' }),
      attemptOf({ answered: false, sent: false, cause: 'connection refused by api.test:443' }),
      {
        got: 'no-credential',
        problem: { reason: 'SecretNotFound', message: 'There is no Secret "api-key"' },
      },
      {
        got: 'no-credential',
        problem: { reason: 'SecretInvalid', message: 'The Secret "api-key" cannot be used' },
      },
    ),
    fc
      .dictionary(
        fc.constantFrom('engine_max_threads', 'engine_max_insert_threads', 'odd'),
        fc.integer({ min: 0, max: 9 }),
      )
      .map((result) => confirmedWith(result)),
  );
  const steps = fc.record({
    spec: fc.option(fc.oneof(specs, fc.constant('invalid' as const)), { nil: undefined }),
    attempt: fc.option(attempts, { nil: undefined }),
    rival: fc.boolean(),
    requested: fc.boolean(),
    secret: fc.constantFrom('1', '2'),
    waitMs: fc.constantFrom(0, SECOND, MINUTE, HOUR, 7 * HOUR),
  });

  type Step = typeof steps extends fc.Arbitrary<infer One> ? One : never;

  interface Lived extends Visit {
    readonly now: number;
    readonly options: NonNullable<Parameters<typeof visit>[1]>;
  }

  /** The visits of an object to which these things happen one after another. */
  function live(life: readonly Step[]): Lived[] {
    const lived: Lived[] = [];
    for (const { spec, requested, waitMs, secret, rival, attempt } of life) {
      const now = (lived.at(-1)?.now ?? T0) + waitMs;
      let object = lived.at(-1)?.object ?? aPipeSettings();
      if (spec === 'invalid') object = { ...edited(object, {}), spec: { settings: {} } };
      else if (spec) object = { ...edited(object, {}), spec: aPipeSettings({ spec }).spec };
      if (requested) object = asking(object, `${now}`);
      const state = {
        state: 'present',
        resourceVersion: secret,
        type: undefined,
        changedAt: undefined,
      } as const;
      const options = {
        now,
        facts: { secret: state, ...(rival && held) },
        ...(attempt && { attempt }),
      };
      lived.push({ ...visit(object, options), now, options });
    }
    return lived;
  }

  test('every status is one that the API server takes as it is', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 12 }), (life) => {
        const lived = live(life);
        expect(lived).toHaveLength(life.length);
        for (const { status } of lived.filter((visited) => visited.status)) expectLawful(status);
      }),
      { numRuns: 400 },
    );
  });

  test('a pass without a call repeats itself without a write and without an event', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 12 }), (life) => {
        for (const { object, status, options } of live(life).filter(
          ({ plan }) => plan.do !== 'call',
        )) {
          const repeated = visit(object, options);
          expect(repeated.status).toStrictEqual(status);
          expect(repeated.report.notices ?? []).toEqual([]);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('what an object shows in the end does not depend on the way there', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 8 }), specs, (life, last) => {
        const before = live(life).at(-1);
        const spec = aPipeSettings({ spec: { ...last, suspend: false, mode: 'Apply' } }).spec;
        const object = { ...edited(before?.object ?? aPipeSettings(), {}), spec };
        const { status: _, ...fresh } = object;
        const now = (before?.now ?? T0) + HOUR;
        expect(lasting(visit(object, { now }).status)).toStrictEqual(
          lasting(visit(fresh, { now }).status),
        );
      }),
      { numRuns: 400 },
    );
  });

  /** Without what is a record of the past. */
  function lasting(status: PipeSettingsStatus | undefined): unknown {
    const {
      history: _history,
      drift: _drift,
      lastHandledReconcileAt: _handled,
      conditions,
      ...rest
    } = status ?? {};
    return {
      ...rest,
      conditions: conditions?.map(({ lastTransitionTime: _time, ...condition }) => condition),
    };
  }

  test('a good object is good again after anything bad, without a trace of it', () => {
    fc.assert(
      fc.property(attempts, (bad) => {
        const good = anAppliedPipeSettings();
        const worse = visit(edited(good, { settings: { engine_max_threads: 9 } }), {
          attempt: bad,
        }).object;
        const back = visit(edited(worse, { settings: { engine_max_threads: 8 } }), {
          now: T0 + HOUR,
        });
        expect(readyIn(back.status)).toMatchObject({ status: 'True', reason: 'Applied' });
        expect(Object.keys(lasting(back.status) as object).toSorted()).toEqual(
          Object.keys(lasting(good.status) as object).toSorted(),
        );
      }),
    );
  });
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
