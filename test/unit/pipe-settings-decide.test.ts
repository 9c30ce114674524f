import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/controller/kind.ts';
import { pipeSettings } from '../../src/kinds/pipe-settings/index.ts';
import type { PipeSettings } from '../../src/kinds/pipe-settings/resource.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aKindContext } from '../support/kind-context.ts';
import {
  anAnswer,
  aPipeSettings,
  asking,
  edited,
  HOUR,
  MINUTE,
  readyIn,
  sideIn,
  T0,
} from '../support/objects.ts';
import { anApplied, answerOf, type Facts, visit } from '../support/pipe-settings-visits.ts';
import { expectLawful } from '../support/status-law.ts';

const other = (wanted: Parameters<typeof anApplied>[0] = {}) =>
  anApplied({ name: 'other', uid: 'uid-0', created: '2026-03-01T10:00:00Z', ...wanted });
const refused = () => visit(aPipeSettings(), { answer: answerOf(anAnswer(400)) }).object;

describe('the declared settings are sent', () => {
  test.for<[string, PipeSettings, Partial<Facts>, number]>([
    ['of an object that nobody has visited', aPipeSettings(), {}, T0],
    ['of an edit', edited(anApplied(), { settings: { engine_max_threads: 9 } }), {}, T0],
    ['of an edit that changes no setting, once more', edited(anApplied(), {}), {}, T0],
    ['on request', asking(anApplied(), 'now'), {}, T0],
    ['to another API', anApplied(), { baseUrl: 'https://other.test' }, T0],
    ['when their time of re-assertion has come', reasserted(), {}, T0 + 12 * HOUR],
    ['when a rival was confirmed later', anApplied(), { others: [other({})].map(later) }, T0],
    ['at the next attempt after a failure', refused(), {}, T0 + 13 * MINUTE],
    [
      'at once with a changed Secret, whatever had failed',
      refused(),
      { triedSecret: '0' },
      T0 + MINUTE,
    ],
    [
      'after a start, where a Secret may be what was wrong',
      refused(),
      { triedSecret: undefined },
      T0,
    ],
  ])('%s', ([, object, facts, now]) => {
    // A rival that was confirmed later is younger: the owner is the older one.
    const own = facts.others
      ? { ...object, metadata: { ...object.metadata, creationTimestamp: '2026-01-01T00:00:00Z' } }
      : object;
    expect(visit(own, { now, facts }).decision).toBe('act');
  });
});

describe('nothing is sent', () => {
  test.for<[string, PipeSettings, Partial<Facts>, object]>([
    ['of what was confirmed', anApplied(), {}, { next: 'on-change' }],
    [
      'of what was confirmed, whatever the Secret is',
      anApplied(),
      { triedSecret: '0' },
      { next: 'on-change' },
    ],
    ['before its time, after a failure', refused(), {}, { next: { at: expect.any(Number) } }],
  ])('%s', ([, object, facts, result]) => {
    const visited = visit(object, { facts });
    expect(visited.decision).toBe('done');
    expect(visited.result).toMatchObject(result);
    expect(visited.result.status).toBeUndefined();
  });

  test.for<[string, PipeSettings, Partial<Facts>, object]>([
    [
      'of a spec that cannot be read',
      aPipeSettings({ rawSpec: {} }),
      {},
      { reason: 'SpecInvalid', status: 'False' },
    ],
    [
      'while suspended',
      aPipeSettings({ spec: { suspend: true } }),
      {},
      { reason: 'Suspended', status: 'False' },
    ],
    [
      'while suspended, and Ready where the declared is the confirmed',
      edited(anApplied(), { suspend: true }),
      {},
      { reason: 'Suspended', status: 'True' },
    ],
    [
      'while suspended, and not Ready where a rival was confirmed since',
      edited(anApplied(), { suspend: true }),
      { others: [later(other())] },
      { reason: 'Suspended', status: 'False' },
    ],
    [
      'for the pipe of another object',
      aPipeSettings(),
      { others: [other()] },
      { reason: 'TargetConflict', status: 'False', message: expect.stringContaining('"other"') },
    ],
    [
      'for the pipe of an object that cannot be seen',
      aPipeSettings(),
      { others: [other({ namespace: 'far' })] },
      {
        reason: 'TargetConflict',
        message: expect.stringContaining('owned by an object in another namespace'),
      },
    ],
    [
      'in Plan',
      aPipeSettings({ spec: { mode: 'Plan' } }),
      {},
      { reason: 'Planned', status: 'False', message: expect.stringContaining('1 change planned') },
    ],
    [
      'in Plan, which is Ready where it is empty',
      edited(anApplied(), { mode: 'Plan' }),
      {},
      { reason: 'Planned', status: 'True' },
    ],
    [
      'in Plan, which is not Ready where a rival was confirmed since',
      older(edited(anApplied(), { mode: 'Plan' })),
      { others: [later(other())] },
      { reason: 'Planned', status: 'False' },
    ],
    ['with --plan-only', anApplied(), { planOnly: true }, { reason: 'Planned', status: 'True' }],
  ])('%s', ([, object, facts, ready]) => {
    const visited = visit(object, { facts });
    expect(visited.decision).toBe('done');
    expect(readyIn(visited.status)).toMatchObject(ready);
    expectLawful(visited.status);
  });
});

test('a deleted object that a finalizer of others holds makes no call', async () => {
  const call = () => Promise.reject(new Error('it made a call'));
  const kind = pipeSettings.create(aKindContext(new FakeClock(), { call }));
  const deleted = aPipeSettings({ deleting: true, generation: 2 });
  const context = { now: () => T0 } as Context;
  expect(await kind.reconcile(deleted, context)).toEqual({ next: 'on-change', did: 'nothing' });
});

test('a plan keeps its time while it stays the same, and shows the body to the letter', () => {
  const object = aPipeSettings({ spec: { mode: 'Plan', additionalSettings: { new_one: 'x' } } });
  const first = visit(object);
  expect(first.status?.plan).toMatchObject({
    time: '2026-03-01T12:00:00Z',
    basis: 'Unknown',
    requests: [{ method: 'PUT', body: '{"engine_max_threads":8,"new_one":"x"}' }],
    changes: [
      { field: 'engine_max_threads', to: 8 },
      { field: 'new_one', to: 'x' },
    ],
  });
  expect(visit(first.object, { now: T0 + MINUTE }).status).toEqual(first.status);
  expect(visit(edited(first.object, { mode: 'Apply' })).status).not.toHaveProperty('plan');
});

test('a conflict is Reconciling for five minutes and then Stalled, with an event; deleting the other frees the pipe', () => {
  const facts = { others: [other()] };
  const first = visit(aPipeSettings(), { facts });
  expect([sideIn(first.status), first.result.events]).toEqual(['Reconciling', []]);
  expect(first.result.next).toEqual({ at: T0 + 5 * MINUTE });
  const between = visit(first.object, { facts, now: T0 + MINUTE });
  expect(between.status).toEqual(first.status);
  const second = visit(first.object, { facts, now: T0 + 5 * MINUTE });
  expect([sideIn(second.status), second.result.next]).toEqual(['Stalled', 'on-change']);
  expect(second.result.events).toMatchObject([{ reason: 'TargetConflict' }]);
  const third = visit(second.object, { facts, now: T0 + HOUR });
  expect([third.status, third.result.events]).toEqual([second.status, []]);
  expect(visit(third.object, { now: T0 + HOUR }).decision).toBe('act');
});

function reasserted(): PipeSettings {
  return anApplied({ spec: { reassertInterval: '10h' } });
}

/** As if it had been confirmed a second after the usual. */
function later(object: PipeSettings): PipeSettings {
  const { status } = object;
  if (!status?.applied) throw new Error('it was never confirmed');
  const applied = { ...status.applied, time: '2026-03-01T12:00:01Z' };
  return { ...object, status: { ...status, applied } };
}

function older(object: PipeSettings): PipeSettings {
  return { ...object, metadata: { ...object.metadata, creationTimestamp: '2026-01-01T00:00:00Z' } };
}
