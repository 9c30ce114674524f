import { expect, test } from 'vitest';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { decisionOf } from '../../src/kinds/organization/next-step.ts';
import { type Problem, problemsOf } from '../../src/kinds/organization/problems.ts';
import { type Organization, parseSpec } from '../../src/kinds/organization/resource.ts';
import { workOf } from '../../src/kinds/organization/work.ts';
import { T0 } from '../support/objects.ts';
import { entry, listing, refusedEntry } from '../support/organization-entries.ts';
import { anOrganization, factsOf } from '../support/organization-objects.ts';

/** Where a look has shown one endpoint, `a`, or no list at all. */
function problems(object: Organization, list?: ReturnType<typeof listing>): readonly Problem[] {
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(parsed.message);
  const found = workOf(object, factsOf(object), { spec: parsed.spec, goal: goalOf(parsed.spec), now: T0 });
  const fresh = { responseHash: '', secretVersion: '', at: 0, ...(list && { list }) };
  const work = { ...found, session: { ...found.session, fresh } };
  return problemsOf({ work, decision: decisionOf(work), now: T0 });
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
