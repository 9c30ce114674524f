import { expect, test } from 'vitest';
import { cleanupGoal } from '../../src/kinds/organization/goal.ts';
import { otherWayToLook } from '../../src/kinds/organization/other-look.ts';
import { type OrganizationStatus, parseSpec } from '../../src/kinds/organization/resource.ts';
import { workOf } from '../../src/kinds/organization/work.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { anOrganization, factsOf } from '../support/organization-objects.ts';

const SECOND = 1_000;
const MISSED = entry('a', { state: 'Missing', nextAttemptTime: at(60 * SECOND) });

/** A look is refused so long after T0, while an object without a name is being deleted; what it sent last is over. */
function refusedLook(now: number, status: OrganizationStatus): OrganizationStatus | undefined {
  const object = anOrganization({ ids: ['a', 'b'], status });
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(parsed.message);
  const facts = factsOf(object);
  const over = { ...facts, monotonic: facts.notes.settlesAt };
  const work = workOf(object, over, { spec: parsed.spec, goal: cleanupGoal(parsed.spec, []), now: T0 + now });
  const verdict = { ok: false, failure: 'Rejected', outcome: 'Rejected', httpStatus: 422, message: 'no' } as const;
  const report = otherWayToLook(object, work, { got: 'failure', verdict }, T0 + now);
  return report.status ?? report.notes?.session?.draft;
}

test('what a look has missed stays so where the next one is refused: what comes in its place later is not ours', () => {
  const lost = { time: at(-60 * SECOND), add: [], remove: [e('a'), e('b')] };
  const draft = refusedLook(30 * SECOND, { privateEndpoints: [MISSED, entry('b')], pendingChange: lost });
  expect(draft?.privateEndpoints).toEqual([MISSED, entry('b')]);
  expect(draft?.pendingChange).toEqual(lost);
});

test('what a look has missed a minute ago is gone where the next one is refused: nobody can look again', () => {
  const lost = { time: at(-60 * SECOND), add: [], remove: [e('a')] };
  const draft = refusedLook(60 * SECOND, { privateEndpoints: [MISSED], pendingChange: lost });
  expect(draft?.privateEndpoints).toEqual([]);
  expect(draft?.pendingChange).toBeUndefined();
});
