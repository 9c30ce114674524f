import { cutText } from '../../controller/conditions.ts';
import { timestamp } from '../shared/canonical.ts';
import { withoutUndefined } from '../shared/common-status.ts';
import type { Tuple } from './endpoints/endpoints.ts';
import { fieldOf, placeOf } from './endpoints/wording.ts';
import { LIMITS } from './limits.ts';
import type { OrganizationStatus } from './resource.ts';

/** One field of the organization that became another; absent: it was not there. */
export interface FieldChange {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

export function nameChange(from: string | undefined, to: string | undefined): FieldChange {
  return change('name', from, to, LIMITS.value);
}

/** Endpoints that came, and endpoints that went. */
export function endpointChanges(
  added: readonly Tuple[],
  removed: readonly Tuple[],
): readonly FieldChange[] {
  return [
    ...added.map((one) => change(fieldOf(one), undefined, placeOf(one), LIMITS.value)),
    ...removed.map((one) => change(fieldOf(one), placeOf(one), undefined, LIMITS.value)),
  ];
}

/** `name A → B, added psc-1, removed psc-2`. */
export function described(changes: readonly FieldChange[]): string {
  return changes
    .map(({ field, from, to }) => {
      if (to === undefined) return `removed ${field}`;
      if (field !== 'name') return `added ${field}`;
      return `name ${from === undefined ? '' : `${from} `}→ ${to}`;
    })
    .join(', ');
}

/** `status.drift` with what was found now, newest last. */
export function withDrift(
  before: OrganizationStatus['drift'],
  found: readonly FieldChange[],
  now: number,
): OrganizationStatus['drift'] {
  if (found.length === 0) return before;
  const time = timestamp(now);
  return [...(before ?? []), ...found.map((one) => ({ ...one, time }))].slice(-LIMITS.drift);
}

/** `status.history` with what a reply has confirmed, newest last. */
export function withHistory(
  before: OrganizationStatus['history'],
  changes: readonly FieldChange[],
  reply: { readonly requestId?: string | undefined; readonly generation: number; readonly now: number },
): OrganizationStatus['history'] {
  if (changes.length === 0) return before;
  const { requestId, generation, now } = reply;
  const short = changes
    .slice(0, LIMITS.historyChanges)
    .map(({ field, from, to }) => change(field, from, to, LIMITS.historyValue));
  const entry = withoutUndefined({ time: timestamp(now), generation, requestId, changes: short });
  return [...(before ?? []), entry].slice(-LIMITS.history);
}

function change(
  field: string,
  from: string | undefined,
  to: string | undefined,
  most: number,
): FieldChange {
  return {
    field,
    ...(from !== undefined && { from: cutText(from, most) }),
    ...(to !== undefined && { to: cutText(to, most) }),
  };
}
