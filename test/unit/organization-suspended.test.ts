import { expect, test } from 'vitest';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import type { Facts } from '../../src/kinds/organization/load.ts';
import { addressOf } from '../../src/kinds/organization/remote.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at } from '../support/organization-entries.ts';
import {
  aClaim,
  anOrganization,
  factsOf,
  parsedSpec,
  planned,
} from '../support/organization-objects.ts';

/** Applied at T0, and suspended when the API had last answered so long after that. */
function suspended(
  ms: number,
  more: OrganizationStatus = {},
  facts: Partial<Facts> = {},
  now = T0,
) {
  const object = anOrganization({ ids: ['a'], spec: { name: 'Acme', suspend: true } });
  const spec = parsedSpec(object);
  const { organizationId } = spec;
  const { hash } = addressOf(factsOf(object).baseUrl, organizationId, goalOf(spec));
  const applied = {
    time: at(0),
    generation: 1,
    requestHash: hash,
    responseHash: '',
    secretResourceVersion: '1',
    keys: [],
  };
  const lastRequest = {
    operation: 'UpdateOrganization',
    httpStatus: 200,
    outcome: 'Succeeded',
    time: at(ms),
  } as const;
  const { proof } = anOrganization({ status: {} }).status ?? {};
  return planned(
    { ...object, status: { ...(proof && { proof }), applied, lastRequest, ...more } },
    facts,
    now,
  );
}

function isConfirmed(plan: ReturnType<typeof planned>): boolean {
  if (plan.do !== 'suspend') throw new Error(`${plan.do} is planned`);
  return plan.summary.ready === 'True';
}

test('what is suspended is confirmed where the last answer has confirmed it', () => {
  expect(isConfirmed(suspended(0))).toBe(true);
});

test('what is suspended is not confirmed where the last answer showed another name, or none of what is declared', () => {
  const differences = [{ field: 'name', declared: 'Acme', reported: 'Theirs' }];
  expect(isConfirmed(suspended(60_000, { differences }))).toBe(false);
  expect(isConfirmed(suspended(60_000)), 'with its id in another place').toBe(false);
});

test('what is suspended is not confirmed where another object has been confirmed since, or a write stands in no status', () => {
  const facts = factsOf(anOrganization());
  const own = aClaim({ appliedAt: T0 });
  const others = (appliedAt: number) => [
    aClaim({ uid: 'uid-0', created: at(-7_200_000), appliedAt }),
  ];
  const plans = [
    suspended(
      0,
      {},
      { standing: { ...facts.standing, own, others: others(T0 - 600_000) } },
      T0 + 600_000,
    ),
    suspended(
      0,
      {},
      { standing: { ...facts.standing, own, others: others(T0 + 60_000) } },
      T0 + 600_000,
    ),
    suspended(0, {}, { hasUnrecordedWrite: true }),
  ];
  expect(plans.map(isConfirmed)).toEqual([true, false, false]);
});
