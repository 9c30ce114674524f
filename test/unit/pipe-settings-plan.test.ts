import { describe, expect, test } from 'vitest';
import type { RequestOutcome } from '../../src/api/reply/verdict.ts';
import { type HeldFacts, openHeldKind } from '../../src/kinds/engine/open-kind.ts';
import { status } from '../../src/kinds/pipe-settings/definition.ts';
import type { Facts, Plan } from '../../src/kinds/pipe-settings/plan.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  pipeSettingsType,
  targetOf,
} from '../../src/kinds/pipe-settings/resource.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aKindContext } from '../support/kind-context.ts';
import {
  anAnswer,
  anAppliedPipeSettings,
  aPipeSettings,
  asking,
  attemptOf,
  BASE_URL,
  edited,
  HOUR,
  heldByAnother,
  MINUTE,
  planned,
  readyIn,
  standingAmong,
  T0,
  visit,
} from '../support/objects.ts';

const elsewhere = heldByAnother();

describe('a put', () => {
  test('is planned for an object that nobody has visited, with the complete declared set and nothing else', () => {
    const settings = { engine_parallel_view_processing: false, engine_max_threads: 0 };
    expect(planned(aPipeSettings({ spec: { settings } }))).toMatchObject({
      do: 'call',
      lane: 'user',
      probe: false,
      request: {
        method: 'PUT',
        path: '/v1/organizations/org/services/service/pipes/pipe/settings',
        body: '{"engine_max_threads":0,"engine_parallel_view_processing":false}',
        keys: ['engine_max_threads', 'engine_parallel_view_processing'],
      },
    });
  });

  test('is planned for every new generation, also one that declares the same', () => {
    expect(planned(edited(anAppliedPipeSettings(), {}))).toMatchObject({
      do: 'call',
      lane: 'user',
    });
  });

  test('is planned again after suspend and after Plan', () => {
    for (const detour of [{ suspend: true }, { mode: 'Plan' }] as const) {
      const there = visit(edited(anAppliedPipeSettings(), detour)).object;
      expect(planned(there).do).not.toBe('call');
      expect(planned(edited(there, { suspend: false, mode: 'Apply' }))).toMatchObject({
        do: 'call',
      });
    }
  });

  test('is planned when the API has another address now', () => {
    const object = anAppliedPipeSettings();
    expect(planned(object)).toEqual({ do: 'nothing' });
    expect(planned(object, { baseUrl: 'https://other.example.test' })).toMatchObject({
      do: 'call',
    });
  });

  test('is planned after a re-assert interval, not before', () => {
    const object = anAppliedPipeSettings({ spec: { reassertInterval: '10m' } });
    const at = Date.parse(object.status?.nextAttemptTime ?? '');
    expect(at - T0).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(at - T0).toBeLessThanOrEqual(11 * MINUTE + 1000);
    expect(planned(object, {}, at - 1)).toEqual({ do: 'nothing', at });
    expect(planned(object, {}, at)).toMatchObject({ do: 'call', lane: 'scheduled' });
  });

  test('is planned for a loser once the winner is gone', () => {
    const loser = visit(aPipeSettings(), { facts: elsewhere }).object;
    expect(planned(loser, elsewhere).do).toBe('yield');
    expect(planned(loser)).toMatchObject({ do: 'call' });
  });

  test('of a gated object is asked for without probing, whenever it is visited', () => {
    const gated = visit(aPipeSettings(), { attempt: { got: 'circuit-open' } }).object;
    expect(readyIn(gated.status).reason).toBe('Unauthorized');
    expect(planned(gated)).toMatchObject({ do: 'call', probe: false });
  });
});

describe('while a write of another object may be at work', () => {
  const waiting = (object: PipeSettings) => ({
    standing: standingAmong(object, [], { unsettledMs: MINUTE }),
  });

  test('an object says that it waits, and one whose key was refused goes on to say that', () => {
    const fresh = aPipeSettings();
    expect(planned(fresh, waiting(fresh))).toMatchObject({ do: 'yield', to: { why: 'unsettled' } });
    const gated = visit(fresh, { attempt: { got: 'circuit-open' } }).object;
    expect(planned(gated, waiting(gated))).toEqual({ do: 'nothing', at: T0 + MINUTE });
  });

  test('what is confirmed stays so, also where it is to be sent once more', () => {
    const confirmed = anAppliedPipeSettings();
    expect(planned(confirmed, { ...waiting(confirmed), hasUnrecordedWrite: true })).toEqual({
      do: 'nothing',
      at: T0 + MINUTE,
    });
    const newer = edited(confirmed, { settings: { engine_max_threads: 7 } });
    expect(planned(newer, waiting(newer))).toMatchObject({ do: 'yield' });
  });
});

describe('the one-shot request', () => {
  const answered = visit(asking(anAppliedPipeSettings(), 'now')).object;

  test('sends a Ready object again, once', () => {
    expect(planned(asking(anAppliedPipeSettings(), 'now'))).toMatchObject({
      do: 'call',
      lane: 'user',
      probe: true,
    });
    expect(answered.status?.lastHandledReconcileAt).toBe('now');
    expect(planned(answered)).toEqual({ do: 'nothing' });
    expect(planned(asking(answered, 'again'))).toMatchObject({ do: 'call' });
  });

  test('is compared and stored by its first 256 characters, whole ones', () => {
    const long = '🙂'.repeat(256);
    const seen = visit(asking(anAppliedPipeSettings(), `${long}tail`)).object;
    expect(seen.status?.lastHandledReconcileAt).toBe(long);
    expect(planned(seen)).toEqual({ do: 'nothing' });
    expect(planned(asking(seen, `${long}another tail`))).toEqual({ do: 'nothing' });
    expect(planned(asking(seen, `${'🙂'.repeat(255)}x`))).toMatchObject({ do: 'call' });
  });

  test('is acknowledged by an attempt that failed, which goes on by its own back-off', () => {
    const failed = visit(asking(anAppliedPipeSettings(), 'now'), {
      attempt: attemptOf(anAnswer(500)),
    }).object;
    expect(failed.status?.lastHandledReconcileAt).toBe('now');
    const at = Date.parse(failed.status?.nextAttemptTime ?? '');
    expect(planned(failed)).toEqual({ do: 'nothing', at });
    expect(planned(failed, {}, at)).toMatchObject({ do: 'call' });
  });

  test.for(['no-slot', 'called-off'] as const)(
    'stays owed where there was no attempt: %s',
    (got) => {
      expect(
        planned(visit(asking(anAppliedPipeSettings(), 'now'), { attempt: { got } }).object).do,
      ).toBe('call');
    },
  );

  test('stays owed behind a closed gate', () => {
    const gated = visit(asking(aPipeSettings(), 'now'), {
      attempt: { got: 'circuit-open' },
    }).object;
    expect(gated.status).not.toHaveProperty('lastHandledReconcileAt');
    expect(planned(gated)).toMatchObject({ do: 'call', probe: true });
  });

  test.for<[string, Partial<PipeSettingsSpec>, Partial<Facts>]>([
    ['suspend', { suspend: true }, {}],
    ['Plan', { mode: 'Plan' }, {}],
    ['conflict', {}, elsewhere],
  ])('never overrides %s, which acknowledges it without a call', ([, spec, facts]) => {
    const { plan: made, status } = visit(aPipeSettings({ spec, requested: 'now' }), { facts });
    expect(made.do).not.toBe('call');
    expect(status?.lastHandledReconcileAt).toBe('now');
  });
});

describe('precedence', () => {
  const invalid = { rawSpec: { suspend: true, mode: 'Plan' } };
  test.for<[string, PipeSettings, Partial<Facts>, Plan['do']]>([
    ['deletion before all', aPipeSettings({ ...invalid, deleting: true }), elsewhere, 'nothing'],
    ['an invalid spec before suspend', aPipeSettings(invalid), elsewhere, 'refuse-spec'],
    [
      'suspend before conflict',
      aPipeSettings({ spec: { suspend: true, mode: 'Plan' } }),
      elsewhere,
      'suspend',
    ],
    ['conflict before Plan', aPipeSettings({ spec: { mode: 'Plan' } }), elsewhere, 'yield'],
    ['Plan before time', aPipeSettings({ spec: { mode: 'Plan' } }), {}, 'preview'],
    [
      '--plan-only before mode Apply',
      aPipeSettings({ spec: { mode: 'Apply' } }),
      { planOnly: true },
      'preview',
    ],
    [
      'suspend before --plan-only',
      aPipeSettings({ spec: { suspend: true } }),
      { planOnly: true },
      'suspend',
    ],
    [
      'mode Apply is the same as none',
      aPipeSettings({ spec: { mode: 'Apply', suspend: false } }),
      {},
      'call',
    ],
  ])('%s', ([, object, facts, what]) => {
    expect(planned(object, facts).do).toBe(what);
  });
});

test('deletion makes no call, not even for what is owed', () => {
  const object = anAppliedPipeSettings({ spec: { reassertInterval: '10m' } });
  const deleting = {
    ...edited(object, {}),
    metadata: { ...object.metadata, generation: 2, deletionTimestamp: 't' },
  };
  expect(planned(asking(deleting, 'now'), {}, T0 + 24 * HOUR)).toEqual({ do: 'nothing' });
});

describe('the facts about an object', () => {
  /** As its kind has them, where it stands among these. */
  function factsAmong(object: PipeSettings, objects: readonly PipeSettings[]): HeldFacts {
    const context = aKindContext(new FakeClock(), { answer: async () => anAnswer(200) });
    const secrets = { ...context.secrets, state: () => ({ state: 'absent' }) as const };
    const { basics, factsOf } = openHeldKind<PipeSettings>(
      pipeSettingsType,
      { ...context, secrets },
      { status, targetOf, isValid: () => true },
    );
    basics.store.sink().replace([...objects], '1', false);
    return factsOf(object);
  }

  test('says who else is for the pipe, whether or not the object is among them', () => {
    const [one, two] = [aPipeSettings(), aPipeSettings({ name: 'other', uid: 'uid-2' })];
    for (const rivals of [[one, two], [two]]) {
      const { own, others } = factsAmong(one, rivals).standing;
      expect([own.uid, others.map(({ uid }) => uid)]).toEqual(['uid-1', ['uid-2']]);
    }
  });

  test.for<[RequestOutcome, number | undefined]>([
    ['Unknown', T0],
    ['Rejected', undefined],
  ])(
    'says when another one has sent what nobody knows the outcome of: %s',
    ([outcome, unknownAt]) => {
      const time = new Date(T0).toISOString();
      const status = { lastRequest: { operation: 'UpdatePipeSettings', outcome, time } } as const;
      const rival = aPipeSettings({ uid: 'uid-2', status });
      const [other] = factsAmong(aPipeSettings(), [rival]).standing.others;
      expect(other?.unknownAt).toBe(unknownAt);
    },
  );

  test('says what is known of the Secret, and nothing where the spec names none', () => {
    const facts = factsAmong(aPipeSettings(), []);
    expect(facts).toMatchObject({
      secret: { state: 'absent' },
      triedSecret: undefined,
      baseUrl: BASE_URL,
    });
    expect(factsAmong(aPipeSettings({ rawSpec: {} }), []).secret).toEqual({ state: 'unknown' });
  });
});
