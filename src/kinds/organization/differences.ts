import { cutText } from '../../controller/conditions.ts';
import { Listing, type Reported, type Tuple } from './endpoints/endpoints.ts';
import type { OrganizationReply } from './endpoints/reply.ts';
import { fieldOf } from './endpoints/wording.ts';
import type { Goal } from './goal.ts';
import { LIMITS } from './limits.ts';
import type { OrganizationStatus } from './resource.ts';

/** Declared values that the reply has otherwise, and those that it does not have. */
export function compared(
  goal: Goal,
  reply: OrganizationReply,
): Pick<OrganizationStatus, 'differences' | 'notReported'> {
  if (goal.isCleanup) return { differences: undefined, notReported: undefined };
  const { name } = goal;
  const isOther = name !== undefined && reply.name !== undefined && reply.name !== name;
  const differences = [
    ...(isOther ? [difference('name', name, reply.name)] : []),
    ...otherwiseDescribed(goal, reply.list).map(({ endpoint, declared, reported }) =>
      difference(fieldOf(endpoint, '.description'), declared, reported),
    ),
  ].slice(0, LIMITS.differences);
  const notReported = [
    ...(name !== undefined && reply.name === undefined ? ['name'] : []),
    ...(goal.endpoints && !reply.list ? ['privateEndpoints'] : []),
  ];
  return {
    differences: differences.length > 0 ? differences : undefined,
    notReported: notReported.length > 0 ? notReported : undefined,
  };
}

/** Endpoints whose description is declared otherwise than reported; the API cannot change one. */
export function otherwiseDescribed(
  { endpoints = [] }: Goal,
  list: readonly Reported[] | undefined,
): { readonly endpoint: Tuple; readonly declared: string; readonly reported: string }[] {
  if (!list) return [];
  const listing = new Listing(list);
  return endpoints.flatMap((endpoint) => {
    const { description: declared } = endpoint;
    const found = listing.find(endpoint);
    const reported = found?.description ?? '';
    return found && declared !== undefined && declared !== reported
      ? [{ endpoint, declared, reported }]
      : [];
  });
}

function difference(field: string, declared: string, reported: string | undefined) {
  const cut = (text: string): string => cutText(text, LIMITS.value);
  return { field, declared: cut(declared), reported: cut(reported ?? '') };
}
