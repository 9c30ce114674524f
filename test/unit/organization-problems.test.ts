import { expect, test } from 'vitest';
import { decisionOf } from '../../src/kinds/organization/attempt/next-step.ts';
import { type Work, workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { endAttempt } from '../../src/kinds/organization/readiness/attempt-end.ts';
import { type Obstacle, obstaclesOf } from '../../src/kinds/organization/readiness/readiness.ts';
import type { Organization, OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { entry, listing, refusedEntry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

function workFor(object: Organization, facts = factsOf(object)): Work {
  const spec = parsedSpec(object);
  return workOf(object, facts, { spec, goal: goalOf(spec), now: T0 });
}

/** Where a look has shown one endpoint, `a`, or no list at all. */
function problems(object: Organization, list?: ReturnType<typeof listing>): readonly Obstacle[] {
  const found = workFor(object);
  const fresh = { responseHash: '', secretVersion: '', at: 0, ...(list && { list }) };
  const work = { ...found, session: { ...found.session, fresh } };
  return obstaclesOf({ work, decision: decisionOf(work), now: T0 });
}

test('what was refused is one as long as the spec has a list of endpoints, and no longer', () => {
  const unremoved = entry('a', { lastError: { httpStatus: 400, message: 'in use' } });
  const status = { privateEndpoints: [unremoved, refusedEntry('b')] };
  const listed = problems(anOrganization({ ids: ['b'], status }), listing('a'));
  expect(listed.map(({ reason }) => reason)).toEqual(['Rejected']);
  expect(listed[0]?.message).toContain('Refused: a, b.');
  const unlisted = anOrganization({ spec: { name: 'Acme' }, status });
  expect(problems(unlisted, listing('a'))).toEqual([]);
  expect(problems(unlisted), 'without a list in the reply').toEqual([]);
});

test('that all else was applied is said only where it is', () => {
  const status = { privateEndpoints: [entry('a'), entry('b'), refusedEntry('c')] };
  const refusalOf = (ids: readonly string[]): string | undefined => {
    const object = anOrganization({ ids, spec: { maxPrivateEndpointRemovals: 1 }, status });
    return problems(object, listing('a', 'b')).find(({ reason }) => reason === 'Rejected')?.message;
  };
  expect(refusalOf(['a', 'b', 'c'])).toContain('All other changes were applied.');
  expect(refusalOf(['c']), 'too much would be removed').not.toContain('All other changes');
});

test('of what a request without an answer was to add, only what no list has shown is said to be unknown', () => {
  const saidOf = (...states: ('Present' | 'Unconfirmed')[]): string | undefined => {
    const privateEndpoints = states.map((state, index) =>
      entry(['a', 'b'][index] ?? '', { state }),
    );
    const pendingChange = { time: new Date(T0).toISOString(), add: privateEndpoints, remove: [] };
    const status = { privateEndpoints, pendingChange };
    return problems(anOrganization({ ids: ['a', 'b'], status }), listing('a'))[0]?.message;
  };
  expect(saidOf('Present', 'Unconfirmed')).toContain('not known whether adding b took effect');
  expect(saidOf('Present')).toContain('The list shows a by now, but the API may still be working');
});

test('an unknown list is asked for ever less often, also where too much would be removed', () => {
  let object = anOrganization({
    ids: [],
    spec: { maxPrivateEndpointRemovals: 0 },
    status: { privateEndpoints: [entry('a')] },
  });
  const waits = [0, 1, 2, 3, 4].map(() => {
    const fresh = { responseHash: '', secretVersion: '', at: 0 };
    const facts = factsOf(object, { monotonic: 3_600_000 });
    const work = workFor(object, {
      ...facts,
      notes: { ...facts.notes, looks: { ...facts.notes.looks, unlistedSince: 0 } },
    });
    const { status } = endAttempt(
      object,
      { ...work, session: { ...work.session, fresh } },
      T0,
      'look',
    );
    const said: OrganizationStatus = status ?? {};
    expect(said.conditions?.[0]?.reason).toBe('RemovalBlocked');
    object = { ...object, status: said };
    return (Date.parse(said.nextAttemptTime ?? '') - T0) / 1_000;
  });
  expect(waits.slice(0, 3)).toEqual([10, 60, 300]);
  for (const wait of waits.slice(3))
    expect(wait, 'the hour of RemovalBlocked').toBeGreaterThan(2_800);
});
