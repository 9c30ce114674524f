import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../src/kinds/engine/api-call.ts';
import type { PipeSettingsStatus } from '../../src/kinds/pipe-settings/resource.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  asking,
  attemptOf,
  confirmedWith,
  edited,
  HOUR,
  heldByAnother,
  MINUTE,
  readyIn,
  SECOND,
  T0,
  type Visit,
  visit,
} from '../support/objects.ts';
import { expectLawful } from '../support/status-law.ts';

const held = heldByAnother();

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
