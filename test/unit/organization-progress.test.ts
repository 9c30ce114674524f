import { describe, expect, test } from 'vitest';
import { decisionOf } from '../../src/kinds/organization/attempt/next-step.ts';
import { progress, type Replied } from '../../src/kinds/organization/attempt/progress.ts';
import { type Session, type Work, workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { obstaclesOf } from '../../src/kinds/organization/readiness/readiness.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

const MINUTE = 60_000;

/**
 * A look that is answered without a list, a minute after another such answer, at an object that
 * lists nothing and has this status.
 */
function secondBareLook(status: OrganizationStatus): Session {
  const object = anOrganization({ ids: [], status });
  const spec = parsedSpec(object);
  const facts = factsOf(object, { monotonic: 10 * MINUTE });
  const work = workOf(
    object,
    {
      ...facts,
      notes: { ...facts.notes, looks: { ...facts.notes.looks, unlistedSince: 9 * MINUTE } },
    },
    { spec, goal: goalOf(spec), now: T0 },
  );
  return progress({
    object,
    work,
    call: { step: 'look', by: 'list', body: '{}' },
    verdict: { ok: true, httpStatus: 200, outcome: 'Succeeded', result: {} },
    secretVersion: '1',
    now: T0,
  }).session;
}

describe('a list that is left out twice', () => {
  const listed = { organization: { privateEndpoints: [e('a')], privateEndpointsTotal: 1 } };
  const removing = {
    ...listed,
    privateEndpoints: [entry('a', { state: 'Missing' })],
    pendingChange: { time: at(-10 * MINUTE), add: [], remove: [e('a')] },
  };

  test('is unknown after one with entries that nobody has removed', () => {
    expect(secondBareLook(listed).fresh?.list).toBeUndefined();
  });

  test('counts as empty after one of what is being removed, also when the intent is gone from the record', () => {
    const { fresh, draft } = secondBareLook(removing);
    expect(fresh?.isAssumed).toBe(true);
    expect(draft.organization).toEqual({ privateEndpoints: [], privateEndpointsTotal: 0 });
    const later = secondBareLook({
      ...draft,
      privateEndpoints: undefined,
      pendingChange: undefined,
    });
    expect(later.fresh?.isAssumed).toBe(true);
  });

  test('counts as empty also where what is being removed stood in the list twice', () => {
    const twice = { privateEndpoints: [e('a'), e('a')], privateEndpointsTotal: 2 };
    expect(secondBareLook({ ...removing, organization: twice }).fresh?.isAssumed).toBe(true);
    const cut = { privateEndpoints: [e('a')], privateEndpointsTotal: 2 };
    expect(secondBareLook({ ...removing, organization: cut }).fresh?.list).toBeUndefined();
  });
});

describe('an intent that is over', () => {
  const look = { step: 'look', by: 'list', body: '{}' } as const;
  const over = { settlesAt: 9 * MINUTE, entriesSettleAt: new Map() };
  const lost = { time: at(-2 * MINUTE), add: [e('added')], remove: [e('kept'), e('missed')] };

  const first = (status: OrganizationStatus) => {
    const object = anOrganization({ ids: ['added'], status });
    const spec = parsedSpec(object);
    const facts = factsOf(object, { monotonic: 10 * MINUTE });
    const notes = { ...facts.notes, atWork: { ...facts.notes.atWork, ...over } };
    const about = { spec, goal: goalOf(spec), now: T0 };
    return { object, work: workOf(object, { ...facts, notes }, about) };
  };
  const looked = (
    { object, work }: ReturnType<typeof first>,
    result: Readonly<Record<string, unknown>>,
  ) => {
    const verdict = { ok: true, httpStatus: 200, outcome: 'Succeeded', result } as const;
    const asked = { object, work, call: look, verdict, secretVersion: '1', now: T0 };
    return { object, work: progress(asked) };
  };
  const counts = ({ work }: ReturnType<typeof first>): Readonly<Record<string, number>> =>
    Object.fromEntries(work.notes.unconfirmedChanges.counts);

  test('counts in each look only for what that look has settled itself', () => {
    const start = first({
      privateEndpoints: [entry('kept', { state: 'Removing' }), entry('missed')],
      pendingChange: lost,
    });
    const once = looked(start, { privateEndpoints: [e('kept')] });
    expect(Object.values(counts(once))).toEqual([1, 1]);
    expect(once.work.session.draft.pendingChange).toEqual({
      ...lost,
      add: [],
      remove: [e('missed')],
    });
    const again = looked(once, { privateEndpoints: [e('kept')] });
    expect(counts(again)).toEqual(counts(once));
    const seen = looked(again, { privateEndpoints: [e('kept'), e('missed')] });
    expect(seen.work.session.draft.pendingChange).toBeUndefined();
  });

  test('stays whole while no list has settled it, and is ours when a list shows it', () => {
    const strangers = { organization: { privateEndpoints: [e('x')], privateEndpointsTotal: 1 } };
    const bare = looked(first({ ...strangers, pendingChange: lost }), {});
    expect(bare.work.session.draft.pendingChange).toEqual(lost);
    const shown = looked(bare, { privateEndpoints: [e('x'), e('added')] });
    expect(shown.work.session.draft.privateEndpoints).toMatchObject([
      { id: 'added', origin: 'Added', state: 'Present' },
    ]);
  });
});

test('a list that was only taken for empty makes nothing ours under other fields than were sent', () => {
  const object = anOrganization({ ids: ['a'] });
  const spec = parsedSpec(object);
  const facts = factsOf(object, { monotonic: 10 * MINUTE });
  const notes = { ...facts.notes, looks: { ...facts.notes.looks, unlistedSince: 9 * MINUTE } };
  const first = workOf(object, { ...facts, notes }, { spec, goal: goalOf(spec), now: T0 });
  const answered = (
    work: Work,
    call: Replied['call'],
    result: Readonly<Record<string, unknown>>,
  ): Session => {
    const verdict = { ok: true, httpStatus: 200, outcome: 'Succeeded', result } as const;
    return progress({ object, work, call, verdict, secretVersion: '1', now: T0 }).session;
  };
  const session = answered(first, { step: 'look', by: 'list', body: '{}' }, {});
  const send: Replied['call'] = {
    step: 'send',
    pending: { time: at(0), add: [e('a')], remove: [] },
    body: '{}',
  };
  const ledgerAfter = (...privateEndpoints: readonly unknown[]) =>
    answered({ ...first, session }, send, { privateEndpoints }).draft.privateEndpoints;
  expect(ledgerAfter({ ...e('a'), region: 'r9' })).toMatchObject([
    { ...e('a'), state: 'Unconfirmed' },
  ]);
  expect(ledgerAfter(e('a'))).toMatchObject([{ ...e('a'), origin: 'Added', state: 'Present' }]);
});

describe('what the look has shown and the answer to the name lacks', () => {
  const other = { ...e('a'), region: 'r9' };
  const object = anOrganization({ ids: ['a'], spec: { name: 'Acme' } });
  const spec = parsedSpec(object);
  const first = workOf(object, factsOf(object), {
    spec,
    goal: goalOf(spec),
    now: T0,
  });
  const answered = (work: Work, call: Replied['call'], list: readonly unknown[]): Work => {
    const result = { name: 'Acme', privateEndpoints: list };
    const verdict = { ok: true, httpStatus: 200, outcome: 'Succeeded', result } as const;
    return {
      ...work,
      session: progress({ object, work, call, verdict, secretVersion: '1', now: T0 }).session,
    };
  };
  const looked = answered(first, { step: 'look', by: 'list', body: '{}' }, [other]);
  const named = answered(looked, { step: 'name', name: 'Acme', body: '{}' }, []);

  test('keeps its id from being added', () => {
    expect(decisionOf(looked).conflicts).toEqual([e('a')]);
    expect(decisionOf(named)).toMatchObject({ add: [], conflicts: [e('a')] });
  });

  test('is not taken for ours where the next answer shows it again', () => {
    const pending = { time: at(0), add: [e('a')], remove: [] };
    const { draft } = answered(named, { step: 'send', pending, body: '{}' }, [other]).session;
    expect(draft.privateEndpoints).toMatchObject([{ ...e('a'), state: 'Unconfirmed' }]);
  });
});

describe('what the API keeps in another region than it was sent', () => {
  const kept = { ...e('a'), region: 'R-1' };
  const told = { field: 'privateEndpoints[a].region', declared: 'r1', reported: 'R-1' };
  const before: OrganizationStatus = { privateEndpoints: [entry('a', kept)], differences: [told] };

  /**
   * The work of an object with this list after a look that shows these, and that of the next one
   * with its status.
   */
  function looked(
    ids: readonly string[] | undefined,
    list: readonly unknown[],
    status: OrganizationStatus,
  ): Work {
    const object = anOrganization({
      spec: {
        name: 'Acme',
        maxPrivateEndpointRemovals: 0,
        privateEndpoints: ids?.map((id) => e(id)),
      },
      status,
    });
    const spec = parsedSpec(object);
    const work = workOf(object, factsOf(object), {
      spec,
      goal: goalOf(spec),
      now: T0,
    });
    const result = { name: 'Acme', privateEndpoints: list };
    const verdict = { ok: true, httpStatus: 200, outcome: 'Succeeded', result } as const;
    const call = { step: 'look', by: 'list', body: '{}' } as const;
    return {
      ...work,
      session: progress({ object, work, call, verdict, secretVersion: '1', now: T0 }).session,
    };
  }

  test.each([[[]], [undefined]])('is known when it is listed again, after %j was', (ids) => {
    const { draft } = looked(ids, [kept], before).session;
    expect(draft.differences).toEqual([told]);
    const again = looked(['a'], [kept], draft);
    expect(again.session.draft.differences).toEqual([told]);
    expect(decisionOf(again)).toMatchObject({ add: [], remove: [], conflicts: [] });
    expect(decisionOf(again).blocked).toBeUndefined();
  });

  const lastError = { httpStatus: 400, message: 'no' };
  const removal = { time: at(0), add: [], remove: [kept], refused: { httpStatus: 400 } };
  test.each<[string, OrganizationStatus]>([
    [
      'on record',
      {
        ...before,
        privateEndpoints: [entry('a', { ...kept, lastError, nextAttemptTime: at(MINUTE) })],
      },
    ],
    ['settled by this look', { ...before, pendingChange: removal }],
  ])('and is listed again after its removal was refused, %s, is refused no more', (_, status) => {
    const again = looked(['a'], [kept], status);
    expect(again.session.draft.privateEndpoints).toEqual([entry('a', kept)]);
    expect(obstaclesOf({ work: again, decision: decisionOf(again), now: T0 })).toEqual([]);
    const unlisted = looked([], [kept], status).session.draft.privateEndpoints;
    expect(unlisted).toMatchObject([{ lastError: { httpStatus: 400 } }]);
  });

  test('is told no more when it is no longer ours', () => {
    const others: OrganizationStatus = {
      ...before,
      privateEndpoints: [entry('a', { ...kept, origin: 'Found' })],
    };
    expect(looked([], [kept], others).session.draft.differences).toBeUndefined();
  });
});

test('a name that its answer does not show may come yet: who declares another one by then looks once more when that is over', () => {
  const given = (name: string, notes: Partial<Work['notes']> = {}): Work => {
    const object = anOrganization({ spec: { name } });
    const spec = parsedSpec(object);
    const facts = factsOf(object);
    const known = { ...facts, notes: { ...facts.notes, ...notes } };
    return workOf(object, known, { spec, goal: goalOf(spec), now: T0 });
  };
  const named = (shown: string): Work['notes'] => {
    const object = anOrganization({ spec: { name: 'After' } });
    const verdict = {
      ok: true,
      httpStatus: 200,
      outcome: 'Succeeded',
      result: { name: shown },
    } as const;
    const call = { step: 'name', name: 'After', body: '{}' } as const;
    const { notes } = progress({
      object,
      work: given('After'),
      call,
      verdict,
      secretVersion: '1',
      now: T0,
    });
    return notes;
  };
  const waits = (name: string, notes: Work['notes']) => {
    const work = given(name, notes);
    return obstaclesOf({ work, decision: decisionOf(work), now: T0 }).filter(
      ({ reason }) => reason === 'OutcomeUnknown',
    );
  };
  expect(waits('Before', named('Before'))).toMatchObject([{ at: T0 + 95_000 }]);
  expect(waits('Before', named('After'))).toEqual([]);
  expect(waits('After', named('Before'))).toEqual([]);
});

test('a name without effect yet does not hide another one that may come: that is waited for too', () => {
  const object = anOrganization({ spec: { name: 'Acme' } });
  const spec = parsedSpec(object);
  const facts = factsOf(object);
  const about = { spec, goal: goalOf(spec), now: T0 };
  const before = { ...facts.notes, lostNames: [{ name: 'Other', settlesAt: 90_000 }] };
  const work = workOf(object, { ...facts, notes: before }, about);
  const answered = (given: Work, shown: string): Work => {
    const verdict = {
      ok: true,
      httpStatus: 200,
      outcome: 'Succeeded',
      result: { name: shown },
    } as const;
    const call = { step: 'name', name: 'Acme', body: '{}' } as const;
    return progress({ object, work: given, call, verdict, secretVersion: '1', now: T0 });
  };
  const problems = (given: Work) =>
    obstaclesOf({ work: given, decision: decisionOf(given), now: T0 });
  const late = answered(work, 'Before');
  expect(problems(late).map(({ reason }) => reason)).toEqual(['NotConfirmed']);
  expect(problems(answered(late, 'Acme'))).toMatchObject([
    { reason: 'OutcomeUnknown', at: T0 + 90_000 },
  ]);
});

test('a clock that jumps while a look is under way that shows no list does not put off the second one by as much', () => {
  const object = anOrganization({ ids: ['a'] });
  const spec = parsedSpec(object);
  const facts = factsOf(object);
  const work = workOf(object, facts, { spec, goal: goalOf(spec), now: T0 });
  const verdict = {
    ok: true,
    httpStatus: 200,
    outcome: 'Succeeded',
    result: { name: 'Acme' },
  } as const;
  const call = { step: 'look', by: 'list', body: '{}' } as const;
  const now = T0 + 3_600_000;
  const { looks } = progress({ object, work, call, verdict, secretVersion: '1', now }).notes;
  const { unlistedSince = 0 } = looks;
  expect(unlistedSince).toBeLessThanOrEqual(facts.monotonic + facts.standing.atWorkMs);
});
