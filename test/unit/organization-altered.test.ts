import { describe, expect, test } from 'vitest';
import { decisionOf } from '../../src/kinds/organization/attempt/next-step.ts';
import { progress } from '../../src/kinds/organization/attempt/progress.ts';
import { type Work, workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { endAttempt } from '../../src/kinds/organization/readiness/attempt-end.ts';
import type {
  DeclaredEndpoint,
  OrganizationStatus,
} from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { e, entry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

/** What the API keeps in region R-1 is declared in r1. */
const kept = { ...e('a'), region: 'R-1' };
const told = { field: 'privateEndpoints[a].region', declared: 'r1', reported: 'R-1' };
const before: OrganizationStatus = { privateEndpoints: [entry('a', kept)], differences: [told] };

/** A look that shows these, at an object that lists those. */
function looked(
  privateEndpoints: readonly DeclaredEndpoint[],
  list: readonly unknown[],
  status = before,
) {
  const object = anOrganization({
    spec: { maxPrivateEndpointRemovals: 0, privateEndpoints },
    status,
  });
  const spec = parsedSpec(object);
  const work = workOf(object, factsOf(object), {
    spec,
    goal: goalOf(spec),
    now: T0,
  });
  const verdict = {
    ok: true,
    httpStatus: 200,
    outcome: 'Succeeded',
    result: { privateEndpoints: list },
  } as const;
  const call = { step: 'look', by: 'list', body: '{}' } as const;
  const { session } = progress({ object, work, call, verdict, secretVersion: '1', now: T0 });
  const next: Work = { ...work, session };
  const said: OrganizationStatus | undefined = endAttempt(object, next, T0, 'look').status;
  return {
    draft: session.draft,
    decision: decisionOf(next),
    message: said?.conditions?.[0]?.message,
  };
}

describe('what the API keeps in another region than declared', () => {
  test.each(['R1', 'r1'])('is wanted in whatever letters it is listed: %s', (region) => {
    const { decision, draft } = looked([{ ...e('a'), region }], [kept]);
    expect(decision).toMatchObject({ add: [], remove: [], conflicts: [] });
    expect(decision.blocked).toBeUndefined();
    expect(draft.differences).toEqual([{ ...told, declared: region }]);
  });

  test('is not wanted where another region is listed', () => {
    expect(looked([{ ...e('a'), region: 'r2' }], [kept]).decision.blocked).toMatchObject([kept]);
  });

  test('is told to have another description than declared, as any other is', () => {
    const { draft, message } = looked(
      [{ ...e('a'), description: 'new' }],
      [{ ...kept, description: 'old' }],
    );
    const field = 'privateEndpoints[a].description';
    expect(draft.differences).toEqual([told, { field, declared: 'new', reported: 'old' }]);
    expect(message).toContain('The API has another description for a');
  });

  test.each([undefined, 'same'])(
    'and the declared description, %s, differs in no more',
    (description) => {
      const declared = { ...e('a'), ...(description && { description }) };
      const { draft, message } = looked([declared], [{ ...kept, description: 'same' }]);
      expect(draft.differences).toEqual([told]);
      expect(message).toContain('with other fields than declared');
      expect(message).not.toContain('description');
    },
  );

  test('is not said to be another one than declared where it is listed as it is kept', () => {
    expect(looked([kept], [kept]).message).toBe('The API has 1 private endpoint');
  });
});
