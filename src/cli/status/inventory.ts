import type { InventoryEntry, OrganizationStatus } from '../../kinds/organization/resource.ts';
import { ENDPOINT_STATES, ORIGINS } from '../../kinds/organization/status.ts';
import { counted, until } from '../words.ts';

/** What is known of each private endpoint of this object, and what is in flight. */
export function inventoryLines(
  { privateEndpoints = [], pendingChange, organization }: OrganizationStatus,
  now: number,
): readonly string[] {
  const total = organization?.privateEndpointsTotal;
  const pending = pendingChange
    ? [
        `In flight since ${pendingChange.time}: ${idsOf('add', pendingChange.add)}${idsOf('remove', pendingChange.remove)}the next response shows what came of it.`,
      ]
    : [];
  return [
    ...(total === undefined
      ? []
      : [`The API last listed ${counted(total, 'private endpoint')}, see status.organization.`]),
    ...privateEndpoints.flatMap((entry) => entryLines(entry, now)),
    ...pending,
  ];
}

function entryLines(
  { id, cloudProvider, region, state, origin, lastError, nextAttemptTime }: InventoryEntry,
  now: number,
): readonly string[] {
  const whose = origin === undefined ? '' : `; ${origin}: ${ORIGINS[origin]}`;
  const when = nextAttemptTime === undefined ? '' : `; again ${until(nextAttemptTime, now)}`;
  return [
    `${id} (${cloudProvider}/${region}) ${state}: ${ENDPOINT_STATES[state]}${whose}${when}.`,
    ...(lastError
      ? [
          `  refused with HTTP ${lastError.httpStatus ?? '?'}, request ${lastError.requestId ?? '?'}: ${lastError.message ?? ''}`,
        ]
      : []),
  ];
}

function idsOf(word: string, tuples: readonly { readonly id: string }[]): string {
  return tuples.length === 0 ? '' : `${word} ${tuples.map(({ id }) => id).join(', ')}; `;
}
