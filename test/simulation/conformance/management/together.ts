import { expect, it } from 'vitest';
import { ORGANIZATION, ORGANIZATION_PATH } from '../../../simulator/caller.ts';
import {
  ORGANIZATION_CHOICES,
  type OrganizationBehaviour,
  strangers,
} from '../../../simulator/organization-types.ts';
import type { Ask, ManagementUnderTest } from './under-test.ts';

const CHOICES = Object.entries(ORGANIZATION_CHOICES).flatMap(([name, values]) =>
  values.slice(1).map((value): Partial<OrganizationBehaviour> => ({ [name]: value })),
);
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const REFUSING = /bad-request|gone|refused|forbidden/;

/** A change of all there is to change, of which nothing need be refused. */
function change(organization: Partial<OrganizationBehaviour>): Ask {
  const [, mine] = strangers(2);
  const privateEndpoints = { add: [{ ...mine, id: 'new' }], remove: [mine] };
  return {
    method: 'PATCH',
    path: ORGANIZATION_PATH,
    body: { name: 'n', privateEndpoints },
    once: { organization },
  };
}

/**
 * Any two switches of an organization at once: an answer that is whole, and the same from both; so
 * is what is stored.
 */
export function togetherCases(
  openBoth: () => Promise<[ManagementUnderTest, ManagementUnderTest]>,
): void {
  it.each(CHOICES)('%j goes with every other switch', async (one) => {
    const both = await openBoth();
    for (const other of CHOICES) {
      const organization = { ...other, ...one, refusedIds: ['x'] };
      const [first, second] = [
        await outcome(both[0], organization),
        await outcome(both[1], organization),
      ];
      expect(first, JSON.stringify(organization)).toEqual(second);
    }
  });
}

async function outcome(api: ManagementUnderTest, organization: Partial<OrganizationBehaviour>) {
  api.setOrganization(ORGANIZATION, {
    remove: api.organization(ORGANIZATION)?.privateEndpoints.map(({ id }) => id) ?? [],
  });
  api.setOrganization(ORGANIZATION, { name: 'before', add: strangers(2) });
  const { status, text, body } = await api.send(change(organization));
  const said = JSON.stringify(organization);
  expect(body, said).toHaveProperty(status === 200 ? 'result' : 'error');
  expect(status === 200 || REFUSING.test(said), `${status} to ${said}`).toBe(true);
  return { status, text: comparable(text, organization), stored: api.organization(ORGANIZATION) };
}

/** Without the ids that are new each time and, where there is no order, without one. */
function comparable(text: string, { list }: Partial<OrganizationBehaviour>): string {
  const known = text.replaceAll(UUID, 'uuid');
  return list === 'shuffled' ? [...known].toSorted().join('') : known;
}
