import { expect, test } from 'vitest';
import { workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { reportStep } from '../../src/kinds/organization/readiness/report-step.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

/** What is said where too much would be removed while an add is open. */
function said(byNameUntil: number) {
  const object = anOrganization({
    ids: [],
    spec: { name: 'Acme', maxPrivateEndpointRemovals: 0 },
    status: {
      privateEndpoints: [entry('a'), entry('b', { state: 'Unconfirmed' })],
      pendingChange: { time: at(0), add: [e('b')], remove: [] },
    },
  });
  const spec = parsedSpec(object);
  const facts = factsOf(object);
  const notes = { ...facts.notes, looks: { ...facts.notes.looks, byNameUntil } };
  const work = workOf(object, { ...facts, notes }, { spec, goal: goalOf(spec), now: T0 });
  const { status, outcome } = reportStep(object, { do: 'end', work }, T0);
  const { conditions = [], nextAttemptTime }: OrganizationStatus = status ?? {};
  return { ready: conditions[0], next: nextAttemptTime, outcome };
}

test('where no look may leave under RemovalBlocked, none is promised, for an open change either', () => {
  const { ready, next, outcome } = said(1);
  expect(ready).toMatchObject({
    reason: 'RemovalBlocked',
    message: expect.not.stringContaining('Also'),
  });
  expect(next).toBeUndefined();
  expect(outcome).toEqual({ next: 'await-change' });
});

test('where a look shows the list by itself, the open change is followed by looks', () => {
  const { ready, next } = said(0);
  expect(ready).toMatchObject({
    reason: 'OutcomeUnknown',
    message: expect.stringContaining('Also: Nothing is sent'),
  });
  expect(next).toBe(at(0));
});
