import { expect, test } from 'vitest';
import { takeFailure } from '../../src/kinds/organization/attempt/failure.ts';
import { decisionOf } from '../../src/kinds/organization/attempt/next-step.ts';
import { workOf } from '../../src/kinds/organization/attempt/session.ts';
import { Listing } from '../../src/kinds/organization/endpoints/endpoints.ts';
import { cleanupGoal } from '../../src/kinds/organization/goal.ts';
import { obstaclesOf } from '../../src/kinds/organization/readiness/readiness.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

const SECOND = 1_000;
const MISSED = entry('a', { state: 'Missing', nextAttemptTime: at(60 * SECOND) });

/**
 * A look is refused so long after T0, while an object without a name is being deleted; what it sent
 * last is over.
 */
function refusedLook(now: number, status: OrganizationStatus): OrganizationStatus {
  const object = anOrganization({ ids: ['a', 'b'], status });
  const spec = parsedSpec(object);
  const facts = factsOf(object);
  const over = { ...facts, monotonic: facts.notes.atWork.settlesAt };
  const work = workOf(object, over, {
    spec,
    goal: cleanupGoal(spec, []),
    now: T0 + now,
  });
  const verdict = {
    ok: false,
    failure: 'Rejected',
    outcome: 'Rejected',
    httpStatus: 422,
    message: 'no',
  } as const;
  const call = { step: 'look', by: 'list', body: '{}' } as const;
  return takeFailure(object, { work, call }, verdict, T0 + now).work.session.draft;
}

test.each([30, 60, 600])(
  '%s s after a look has missed it, a refused look is no second one',
  (seconds) => {
    const lost = { time: at(-60 * SECOND), add: [], remove: [e('a'), e('b')] };
    const status = { privateEndpoints: [MISSED, entry('b')], pendingChange: lost };
    const draft = refusedLook(seconds * SECOND, status);
    expect(draft?.privateEndpoints).toContainEqual(MISSED);
    expect(draft?.pendingChange).toEqual({ ...lost, remove: [e('a')] });
  },
);

test('what waits for a look that is refused each time is not looked at again at once', () => {
  const now = T0 + 600 * SECOND;
  const object = anOrganization({ ids: ['a'], status: { privateEndpoints: [MISSED] } });
  const spec = parsedSpec(object);
  const facts = factsOf(object);
  const work = workOf(
    object,
    { ...facts, monotonic: facts.notes.atWork.settlesAt },
    { spec, goal: cleanupGoal(spec, []), now },
  );
  const seen = {
    ...work,
    session: {
      ...work.session,
      fresh: { list: new Listing([]), responseHash: '', secretVersion: '', at: 0 },
    },
  };
  const [problem] = obstaclesOf({ work: seen, decision: decisionOf(seen), now });
  expect(problem).toMatchObject({ reason: 'NotConfirmed' });
  expect(problem?.at ?? Number.POSITIVE_INFINITY).toBeGreaterThan(now);
});
