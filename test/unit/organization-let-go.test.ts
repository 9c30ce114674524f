import { describe, expect, test } from 'vitest';
import { act } from '../../src/kinds/organization/act.ts';
import { Notebook } from '../../src/kinds/organization/attempt/notebook.ts';
import { leftNotices } from '../../src/kinds/organization/cleanup.ts';
import { load } from '../../src/kinds/organization/load.ts';
import type { Plan } from '../../src/kinds/organization/plan.ts';
import { report } from '../../src/kinds/organization/report.ts';
import {
  FINALIZER,
  type Organization,
  type OrganizationStatus,
} from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { aClaim, anOrganization, factsOf, planned } from '../support/organization-objects.ts';

const MINUTE = 60_000;

/** Deleted at T0; its deadline is ten minutes later. */
function deleted(
  status: OrganizationStatus = {},
  spec: Parameters<typeof anOrganization>[0] = {},
): Organization {
  return anOrganization({
    ids: ['a'],
    ...spec,
    spec: { deletionPolicy: 'RemovePrivateEndpoints', ...spec.spec },
    status,
    metadata: { generation: 2, deletionTimestamp: at(0), finalizers: [FINALIZER] },
  });
}

function failed(reason: string, observedGeneration = 2): OrganizationStatus {
  const condition = {
    type: 'Ready',
    status: 'False',
    message: 'm',
    lastTransitionTime: at(0),
  } as const;
  return { conditions: [{ ...condition, reason, observedGeneration }] };
}

const ours = { privateEndpoints: [entry('a')] };
const release = (more: object = {}) => ({
  do: 'release' as const,
  abandoned: [],
  keptForOthers: [],
  ...more,
});

test('an object whose endpoints go with it has its finalizer before anything is sent', () => {
  const spec = { deletionPolicy: 'RemovePrivateEndpoints' } as const;
  expect(planned(anOrganization({ ids: ['a'], spec }))).toEqual({ do: 'hold' });
  const held = anOrganization({ ids: ['a'], spec, metadata: { finalizers: [FINALIZER] } });
  expect(planned(held).do).toBe('step');
});

describe('a deleted object', () => {
  test('with nothing of its own is let go without a call', () => {
    const found = { privateEndpoints: [entry('a', { origin: 'Found' })] };
    expect(planned(deleted(), {})).toEqual(release());
    expect(planned(deleted(found), {})).toEqual(release());
  });

  test.each([
    ['Missing', { state: 'Missing' }],
    ['Unconfirmed', { state: 'Unconfirmed' }],
    ['Removing', { state: 'Removing' }],
    ['adopted', { origin: 'Adopted' }],
  ] as const)('is not let go while one of its own is %s', (state, more) => {
    const spec = { spec: { adoptPrivateEndpoints: state === 'adopted' } };
    expect(planned(deleted({ privateEndpoints: [entry('a', more)] }, spec)).do).toBe('step');
  });

  test('with what it may have sent is not let go', () => {
    const pendingChange = { time: at(0), add: [e('a')], remove: [] };
    expect(planned(deleted({ pendingChange })).do).toBe('step');
    expect(
      planned(deleted({ pendingChange }), {
        know: { unsent: [{ pending: pendingChange, at: 0 }] },
      }),
    ).toEqual(release());
  });

  test('a change of adoptPrivateEndpoints that came with the deletion is applied first', () => {
    const adopted = { privateEndpoints: [entry('a', { origin: 'Adopted' })] };
    expect(planned(deleted(adopted)), 'taken back').toEqual(release());
    const found = { privateEndpoints: [entry('a', { origin: 'Found' })] };
    expect(planned(deleted(found, { spec: { adoptPrivateEndpoints: true } })).do, 'set').toBe(
      'step',
    );
  });

  test('of which the key was refused for another object is not let go before a call of its own has failed', () => {
    const shown = { ...ours, ...failed('Unauthorized') };
    const due = { ...shown, nextAttemptTime: at(600_000) };
    expect(planned(deleted(ours)), 'at once').toMatchObject({ do: 'step', probe: true });
    expect(planned(deleted(due), {}, T0 + 600_000)).toMatchObject({ do: 'step', probe: true });
    expect(planned(deleted({ ...due, attempts: 1 }), {}, T0 + 600_000)).toMatchObject({
      because: 'deadline',
    });
  });

  test.each([
    ['shown already', failed('Unauthorized')],
    ['yet to be shown', failed('Unauthorized', 1)],
  ])(
    'waits past its deadline for the key to be tried, and is not looked at every second until then: %s',
    (_, status) => {
      const object = deleted({ ...ours, ...status });
      const now = T0 + 10 * MINUTE + 250;
      const plan = planned(object, {}, now);
      if (plan.do !== 'step' || plan.step.step !== 'look') throw new Error('no look is planned');
      const { work, step } = plan;
      const came = { got: 'circuit-open' } as const;
      const { outcome } = report(object, { do: 'call', work, step, came }, now);
      expect(outcome).toEqual({ next: 'await-change' });
    },
  );

  test('leaves what another object lists, and names it', () => {
    expect(planned(deleted(ours), { listedByOthers: [e('A')] })).toEqual(
      release({ keptForOthers: [e('a')] }),
    );
    const pendingChange = { time: at(0), add: [e('b')], remove: [] };
    const sent = planned(deleted({ pendingChange }), { listedByOthers: [e('b')] });
    expect(sent, 'what it may have sent').toEqual(release({ keptForOthers: [e('b')] }));
  });

  test('is told what others list: of another namespace only who is proven, and nobody who goes too', () => {
    const rival = (id: string, more: Parameters<typeof anOrganization>[0]): Organization =>
      anOrganization({ ids: [id], ...more, metadata: { uid: `uid-${id}`, ...more?.metadata } });
    const elsewhere = { namespace: 'elsewhere' };
    const object = deleted(ours);
    const { listedByOthers } = load(object, {
      factsOf: () => factsOf(object),
      rivals: () => [
        object,
        rival('near', {}),
        rival('going', { metadata: { deletionTimestamp: at(0) } }),
        rival('stranger', { metadata: elsewhere }),
        rival('proven', { metadata: elsewhere, status: {} }),
      ],
      notebook: new Notebook(95_000),
      cleanupDeadlineMs: 600_000,
      monotonic: () => 0,
    });
    expect(listedByOthers.map(({ id }) => id)).toEqual(['near', 'proven']);
  });

  test('that somebody else’s object stands before makes no call, and names its entries', () => {
    const other = aClaim({ uid: 'uid-0', name: 'older', created: at(-9_999_000) });
    const standing = { ...factsOf(deleted()).standing, others: [other] };
    const entries = [entry('a'), entry('b', { origin: 'Found' })];
    const abandoned = ['a', 'b'].map((id) => e(id));
    expect(planned(deleted({ privateEndpoints: entries }), { standing })).toEqual(
      release({ abandoned, because: 'held' }),
    );
  });

  test('is not let go, nor called for, before its deadline while the holder may be in a namespace that is not listed yet', () => {
    const standing = { ...factsOf(deleted()).standing, waits: true, unlisted: true };
    expect(planned(deleted(ours), { standing })).toEqual({ do: 'nothing', at: T0 + 10 * MINUTE });
    const left = release({ abandoned: [e('a')], because: 'deadline' });
    expect(planned(deleted(ours), { standing }, T0 + 10 * MINUTE)).toEqual(left);
    expect(
      planned(deleted(ours), { standing: { ...standing, unlisted: false } }).do,
      'listed',
    ).toBe('step');
    const found = { privateEndpoints: [entry('a', { origin: 'Found' })] };
    expect(planned(deleted(found), { standing }), 'nothing of its own').toEqual(release());
  });

  test('names what is both in its ledger and on its way once, in whatever letters', () => {
    const pendingChange = { time: at(0), add: [e('a')], remove: [] };
    const status = { privateEndpoints: [entry('A')], pendingChange };
    const other = aClaim({ uid: 'uid-0', name: 'older', created: at(-9_999_000) });
    const standing = { ...factsOf(deleted()).standing, others: [other] };
    const abandoned = [e('A')];
    expect(planned(deleted(status), { standing })).toEqual(release({ abandoned, because: 'held' }));
    const atDeadline = planned(deleted({ ...status, ...failed('Rejected') }), {}, T0 + 10 * MINUTE);
    expect(atDeadline).toEqual(release({ abandoned, because: 'deadline' }));
  });

  test('under Retain is let go without a word', () => {
    expect(planned(deleted(ours, { spec: { deletionPolicy: 'Retain' } }))).toEqual(release());
  });

  test('goes at its deadline with the names of what is left, but not before one attempt has failed since', () => {
    const after = 10 * MINUTE;
    const left = release({ abandoned: [e('a')], because: 'deadline' });
    expect(planned(deleted({ ...ours, ...failed('Rejected') }), {}, T0 + after)).toEqual(left);
    expect(
      planned(deleted({ ...ours, ...failed('Rejected') }), {}, T0 + after - 1_000).do,
    ).not.toBe('release');
    expect(
      planned(deleted({ ...ours, ...failed('Rejected', 1) }), {}, T0 + after).do,
      'before the deletion',
    ).toBe('step');
    expect(planned(deleted(ours), {}, T0 + after).do, 'none yet').toBe('step');
  });

  test('goes with the names where the API does not know the organization any more', () => {
    const left = release({ abandoned: [e('a')], because: 'gone' });
    expect(
      planned(deleted({ ...ours, ...failed('NotFound') }), {
        know: { deletion: { isGone: true } },
      }),
    ).toEqual(left);
    expect(
      planned(deleted({ ...ours, ...failed('NotFound') }), {
        know: { deletion: { notFoundSince: 0 } },
      }).do,
    ).not.toBe('release');
  });

  test('that was let go is let go once, however late the store hears of its end', () => {
    const plan = release();
    const { finalizerRemoved, outcome } = report(deleted(), { ...plan, isWritten: true }, T0);
    expect([finalizerRemoved, outcome]).toMatchObject([true, { next: 'await-change' }]);
    const hears = (finalizerRemovedUntil: number) =>
      planned(deleted(), { know: { deletion: { finalizerRemovedUntil } } });
    const { monotonic } = factsOf(deleted());
    expect(hears(monotonic + 10)).toEqual({ do: 'nothing', at: T0 + 10 });
    // It stands there again, as after a restored backup.
    expect(hears(monotonic)).toEqual(release());
    const again = report(deleted(), { ...plan, isWritten: false }, T0);
    expect([again.finalizerRemoved, again.outcome]).toMatchObject([
      undefined,
      { next: 'back-off' },
    ]);
  });

  test.each([
    ['held', /another object holds the organization/],
    ['gone', /the organization was not found/],
    ['deadline', /--cleanup-deadline/],
  ] as const)('that leaves something (%s) says why and what, in a warning', (because, says) => {
    const plan = {
      do: 'release',
      abandoned: [e('a'), e('b')],
      keptForOthers: [e('c')],
      because,
    } as const;
    expect(report(deleted(), { ...plan, isWritten: true }, T0)).toMatchObject({
      did: 'abandon',
      counts: { abandoned: 2 },
    });
    const [keptForOthers, abandoned] = leftNotices(plan);
    expect(keptForOthers).toMatchObject({
      type: 'Normal',
      reason: 'EndpointLeft',
      note: expect.stringContaining('c (gcp/r1)'),
    });
    expect(abandoned).toMatchObject({
      type: 'Warning',
      reason: 'CleanupAbandoned',
      note: expect.stringMatching(says),
    });
    expect(abandoned?.note).toContain('a (gcp/r1), b (gcp/r1)');
  });

  test('says what it leaves before its finalizer goes: an answer that gets lost may leave nobody to say it', async () => {
    const plan: Plan = {
      do: 'release',
      abandoned: [e('a')],
      keptForOthers: [],
      because: 'deadline',
    };
    const happened: string[] = [];
    const using = {
      notebook: new Notebook(95_000),
      monotonic: () => 0,
      emit: (_object: unknown, { reason }: { readonly reason: string }) =>
        void happened.push(reason),
      onAbandoned: (_object: unknown, left: readonly string[]) =>
        void happened.push(`logged ${left.join()}`),
      writeFinalizers: async () => {
        happened.push('the finalizer');
        throw new Error('the answer is lost');
      },
    } as unknown as Parameters<typeof act>[2];
    await expect(act(deleted(), plan, using)).rejects.toThrow('the answer is lost');
    const once = ['CleanupAbandoned', 'logged a (gcp/r1)', 'the finalizer'];
    expect(happened).toEqual(once);
    // The write was refused, since somebody else was quicker, and the next visit comes to the same.
    await expect(act(deleted(), plan, using)).rejects.toThrow('the answer is lost');
    expect(happened, 'said once').toEqual([...once, 'the finalizer']);
    await expect(act(deleted(), { ...plan, abandoned: [e('b')] }, using)).rejects.toThrow(
      'the answer is lost',
    );
    expect(happened.slice(4), 'something else').toEqual([
      'CleanupAbandoned',
      'logged b (gcp/r1)',
      'the finalizer',
    ]);
  });
});
