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
  { name, list }: OrganizationReply,
): Pick<OrganizationStatus, 'differences' | 'notReported'> {
  if (goal.isCleanup) return { differences: undefined, notReported: undefined };
  const isOther = name !== undefined && goal.name !== undefined && name !== goal.name;
  const differences = [
    ...(isOther ? [difference('name', goal.name, name)] : []),
    ...otherwiseDescribed(goal, list).map(({ endpoint, declared, reported }) =>
      difference(fieldOf(endpoint, '.description'), declared, reported),
    ),
  ].slice(0, LIMITS.differences);
  const notReported = [
    ...(goal.name !== undefined && name === undefined ? ['name'] : []),
    ...(goal.endpoints && !list ? ['privateEndpoints'] : []),
  ];
  return {
    differences: differences.length > 0 ? differences : undefined,
    notReported: notReported.length > 0 ? notReported : undefined,
  };
}

/** Endpoints whose description is declared otherwise than reported; the API cannot change one. */
function otherwiseDescribed(
  { endpoints = [] }: Goal,
  entries: readonly Reported[] = [],
): { readonly endpoint: Tuple; readonly declared: string; readonly reported: string }[] {
  const list = new Listing(entries);
  return endpoints.flatMap((endpoint) => {
    const { description: declared } = endpoint;
    const found = list.find(endpoint);
    const reported = found?.description ?? '';
    const isOther = found && declared !== undefined && declared !== reported;
    return isOther ? { endpoint, declared, reported } : [];
  });
}

function difference(field: string, declared: string, reported: string) {
  const [short, other] = [declared, reported].map((text) => cutText(text, LIMITS.value));
  return { field, declared: short ?? '', reported: other ?? '' };
}
