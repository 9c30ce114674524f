import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/kinds/organization/resource.ts';
import { at, e, entry } from '../support/organization-entries.ts';
import { anOrganization, planned } from '../support/organization-objects.ts';

/** The bodies that are shown as what would be sent, for this ledger and the list of the last reply. */
function shown(ids: readonly string[], ledger: LedgerEntry, list: readonly string[]): string[] {
  const reported = list.map((id) => e(id));
  const organization = { id: 'o', privateEndpoints: reported, privateEndpointsTotal: reported.length };
  const object = anOrganization({
    ids,
    spec: { mode: 'Plan' },
    status: { organization, privateEndpoints: [{ ...ledger, nextAttemptTime: at(60_000) }] },
  });
  const plan = planned(object);
  if (plan.do !== 'preview') throw new Error(`${plan.do} is planned`);
  return plan.preview.requests.map(({ body }) => body);
}

test('what was sent and not seen yet would be looked for, not be sent once more', () => {
  expect(shown(['a'], entry('a', { state: 'Unconfirmed' }), []), 'an add').toHaveLength(1);
  expect(shown([], entry('a', { state: 'Removing' }), ['a']), 'a removal').toHaveLength(1);
});
