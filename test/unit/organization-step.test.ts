import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/kinds/organization/act.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import type { Facts } from '../../src/kinds/organization/load.ts';
import { identityOf, type Memo, type MemoReport, Memos } from '../../src/kinds/organization/memo.ts';
import { type Plan, plan } from '../../src/kinds/organization/plan.ts';
import { report } from '../../src/kinds/organization/report.ts';
import type {
  Organization,
  OrganizationSpec,
  OrganizationStatus,
  PendingChange,
} from '../../src/kinds/organization/resource.ts';
import { settledAt } from '../../src/kinds/organization/step.ts';
import { BASE_URL, SECOND, T0 } from '../support/objects.ts';
import { API_TIMEOUT, anOrganization, CLEANUP_DEADLINE, organizationLoop } from '../support/organization-model.ts';
import { endpoints, ledger, spec, tuple } from '../support/organization-model-arbitraries.ts';
import { holds, keyOf } from '../support/organization-model-laws.ts';

const e = (id: string) => ({ id, cloudProvider: 'gcp', region: 'r1' });
const two = { privateEndpoints: [e('a'), e('b')] };

function factsFor(object: Organization, facts: Partial<Facts> = {}): Facts {
  const { uid, namespace, name } = object.metadata;
  return {
    holder: { uid, namespace, name },
    inherited: [],
    awaited: [],
    unclaimed: [],
    memo: {},
    secret: { state: 'present', resourceVersion: '1', type: undefined, changedAt: undefined },
    triedSecret: '1',
    baseUrl: BASE_URL,
    apiTimeoutMs: API_TIMEOUT,
    cleanupDeadlineMs: CLEANUP_DEADLINE,
    ...facts,
  };
}
const statusIn = ({ status }: MemoReport): OrganizationStatus => ({ ...status });
const stepOf = (planned: Plan): string => (planned.do === 'step' ? planned.step : planned.do);

/** An object with an intent on record that this process has not sent, as a loop leaves it. */
function withIntent(): { readonly object: Organization; readonly memo: Memo; readonly pending: PendingChange } {
  const loop = organizationLoop({ object: anOrganization(two) });
  loop.pass();
  const object = loop.object();
  const pending = object.status?.pendingChange;
  if (!pending) throw new Error('The first read leaves an intent');
  return { object, pending, memo: { unsent: { change: identityOf(pending), generation: 1 } } };
}

describe('an intent', () => {
  const { object, memo, pending } = withIntent();
  const time = Date.parse(pending.time);

  test('is sent by the process that wrote it, as it stands on record', () => {
    const planned = plan(object, factsFor(object, { memo }), time);
    expect(planned).toMatchObject({ do: 'step', step: 'send', pending });
  });

  test('is never sent by a process that did not write it: it asks first', () => {
    for (const lost of [{}, { unsent: { change: 'another', generation: 1 } }]) {
      expect(stepOf(plan(object, factsFor(object, { memo: lost }), time))).toBe('read');
    }
  });

  test('is written anew where it has waited, with a time that says how long it may be at work', () => {
    expect(stepOf(plan(object, factsFor(object, { memo }), time + 5 * SECOND))).toBe('send');
    const late = time + 5 * SECOND + 1;
    const planned = plan(object, factsFor(object, { memo }), late);
    if (planned.do !== 'step' || planned.step !== 'intend') throw new Error(`Planned ${stepOf(planned)}`);
    expect(planned.pending).toMatchObject({ add: pending.add, remove: pending.remove });
    expect(Date.parse(planned.pending.time)).toBeGreaterThanOrEqual(late);
    expect(Date.parse(planned.pending.time)).toBeLessThan(late + SECOND);
  });

  test('is written anew where the clock was put back since', () => {
    expect(stepOf(plan(object, factsFor(object, { memo }), time - SECOND + 1))).toBe('send');
    expect(stepOf(plan(object, factsFor(object, { memo }), time - 3_600 * SECOND))).toBe('intend');
  });

  test('of another generation is not sent', () => {
    const edited = { ...object, metadata: { ...object.metadata, generation: 2 } };
    expect(stepOf(plan(edited, factsFor(edited, { memo }), time))).not.toBe('send');
  });

  test('is settled only after the whole time of a call', () => {
    expect(settledAt(pending, API_TIMEOUT)).toBeGreaterThanOrEqual(time + API_TIMEOUT);
    expect(settledAt(pending, API_TIMEOUT)).toBeGreaterThanOrEqual(time + API_TIMEOUT + 5 * SECOND);
  });

  test('that is blocked from a slot is not on record', () => {
    const fresh = organizationLoop({ object: anOrganization(two) });
    fresh.run();
    fresh.edit({ privateEndpoints: [e('a'), e('c')] });
    const planned = fresh.peek();
    expect(stepOf(planned)).toBe('intend');
    for (const got of ['no-slot', 'gated'] as const) {
      const said = report(fresh.object(), planned, { got }, T0);
      expect(statusIn(said).pendingChange).toBeUndefined();
      expect(said.memo?.unsent).toBeUndefined();
    }
  });
});

describe('for any status, spec and memory', () => {
  const pendingChange: fc.Arbitrary<PendingChange> = fc.record({
    time: fc.constantFrom('2026-03-01T11:58:00Z', '2026-03-01T12:00:00Z'),
    add: fc.array(tuple, { maxLength: 3 }),
    remove: fc.array(tuple, { maxLength: 3 }),
  });
  const reported = fc.record({
    privateEndpoints: fc.array(
      fc.oneof(
        { weight: 4, arbitrary: tuple },
        tuple.map(({ id }) => ({ id })),
      ),
      { maxLength: 8 },
    ),
    privateEndpointsTotal: fc.constantFrom(0, 0, 0, 500),
  });
  const reason = fc.constantFrom(
    'Pending',
    'Applied',
    'NotConfirmed',
    'OutcomeUnknown',
    'Rejected',
    'RemovalBlocked',
    'NotFound',
  );
  const status: fc.Arbitrary<OrganizationStatus> = fc
    .record({
      ledger,
      organization: fc.option(reported, { nil: undefined }),
      pending: fc.option(pendingChange, { nil: undefined }),
      reason,
      attempts: fc.nat(5),
      generation: fc.constantFrom(1, 2, 2),
      at: fc.constantFrom(undefined, undefined, '2026-03-01T12:00:05Z'),
    })
    .map(({ ledger: entries, organization, pending, reason: why, attempts, generation, at }) => ({
      observedGeneration: generation,
      conditions: [
        {
          type: 'Ready',
          status: why === 'Applied' ? 'True' : 'False',
          reason: why,
          message: '',
          observedGeneration: generation,
          lastTransitionTime: '2026-03-01T11:00:00Z',
        },
      ],
      attempts,
      ...(at !== undefined && { nextAttemptTime: at }),
      privateEndpoints: [...entries],
      ...(organization && { organization }),
      ...(pending && { pendingChange: pending }),
    }));
  const refusal = { httpStatus: 400, message: 'no' };
  const memo: fc.Arbitrary<Memo> = fc.record(
    { refusal: fc.constant(refusal), readRefused: fc.constant({ ...refusal, until: T0 + SECOND }) },
    { requiredKeys: [] },
  );
  const reply: fc.Arbitrary<Result> = fc.oneof(
    fc
      .record({
        name: fc.constantFrom('Acme', 'Other'),
        privateEndpoints: fc.oneof(fc.constant(null), fc.array(tuple, { maxLength: 8 })),
      })
      .map(
        (result): Result => ({
          got: 'success',
          secretVersion: '1',
          verdict: { ok: true, outcome: 'Succeeded', httpStatus: 200, result },
        }),
      ),
    fc.constantFrom(400, 404, 409, 422, 401, 429).map(
      (httpStatus): Result => ({
        got: 'failure',
        verdict: { ok: false, failure: 'Rejected', outcome: 'Rejected', httpStatus, message: 'no' },
      }),
    ),
    fc.constant<Result>({
      got: 'failure',
      verdict: { ok: false, failure: 'OutcomeUnknown', outcome: 'Unknown', message: 'lost' },
    }),
  );

  /** The laws of what is put on record, given the ledger that goes with it. */
  function checkIntent(
    pending: PendingChange,
    entries: OrganizationStatus['privateEndpoints'],
    declared: Partial<OrganizationSpec>,
  ): void {
    const goal = goalOf(declared as OrganizationSpec);
    const origins = new Map((entries ?? []).map((entry) => [keyOf(entry), entry.origin]));
    const listed = new Set((declared.privateEndpoints ?? []).map(keyOf));
    expect(pending.add.length + pending.remove.length).toBeGreaterThan(0);
    expect(pending.remove.length).toBeLessThanOrEqual(goal.mostRemovals);
    for (const one of pending.remove) {
      expect(goal.adopt ? ['Added', 'Adopted'] : ['Added']).toContain(origins.get(keyOf(one)));
      expect(listed.has(keyOf(one))).toBe(false);
    }
    for (const one of pending.add) expect(listed.has(keyOf(one))).toBe(true);
    expect(pending.add.filter(({ id }) => pending.remove.some((other) => other.id === id))).toEqual([]);
    holds(pending.name === undefined || pending.name === declared.name, 'no other name', pending);
  }

  test('nothing found is removed, nothing is in both lists, and nothing leaves that this process has not put on record', () => {
    const steps = new Map<string, number>();
    fc.assert(
      fc.property(spec, status, memo, fc.boolean(), reply, (declared, before, known, wrote, result) => {
        const object = anOrganization({ ...declared, deletionPolicy: 'Retain' }, { generation: 2, status: before });
        const { pendingChange: pending } = before;
        const mine = wrote && pending ? { unsent: { change: identityOf(pending), generation: 2 } } : {};
        const planned = plan(object, factsFor(object, { memo: { ...known, ...mine } }), T0);
        const step = stepOf(planned);
        steps.set(step, (steps.get(step) ?? 0) + 1);
        if (planned.do !== 'step') return;
        const isSent = planned.step === 'send';
        holds(!isSent || (wrote && planned.pending === pending), 'only what this process wrote is sent', planned);
        // What is only written anew was worked out before.
        if (planned.step === 'intend' && !wrote) checkIntent(planned.pending, planned.ledger, declared);
        const said = report(object, planned, planned.step === 'intend' ? { got: 'slot' } : result, T0);
        const after = statusIn(said);
        const next = after.pendingChange;
        const isNew = next && JSON.stringify(next) !== JSON.stringify(pending) && planned.step !== 'intend';
        if (isNew) {
          checkIntent(next, after.privateEndpoints, declared);
          const { unsent } = said.memo ?? {};
          holds(unsent?.change === identityOf(next) && unsent.generation === 2, 'it is known not to have left', said);
        }
      }),
      { numRuns: 2500, seed: 30 },
    );
    for (const step of ['read', 'intend', 'send', 'nothing']) expect(steps.get(step)).toBeGreaterThan(30);
  });

  test('a new process asks before it changes anything, unless another spec is there and the list is known', () => {
    fc.assert(
      fc.property(endpoints, status, (listed, before) => {
        const object = anOrganization({ privateEndpoints: listed }, { generation: 2, status: before });
        const step = stepOf(plan(object, factsFor(object), T0));
        expect(step).not.toBe('send');
        holds(!before.pendingChange || step !== 'intend', 'what may be on its way is asked for first', step);
      }),
      { numRuns: 1000, seed: 31 },
    );
  });
});

test('the memory of an object that is gone is not that of another one under its name', () => {
  const memos = new Memos();
  memos.set(anOrganization(), { unsent: { change: 'x', generation: 1 } });
  expect(memos.of(anOrganization()).unsent?.change).toBe('x');
  const other = anOrganization();
  expect(memos.of({ ...other, metadata: { ...other.metadata, uid: 'uid-2' } })).toEqual({});
  memos.forget('ingest/uid-1');
  expect(memos.of(anOrganization())).toEqual({});
});
