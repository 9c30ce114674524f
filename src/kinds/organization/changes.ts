import type { Success } from '../../api/reply/verdict.ts';
import { cutText } from '../../controller/conditions.ts';
import { timestamp } from '../shared/canonical.ts';
import { generationOf } from '../shared/common-status.ts';
import type { Tuple } from './endpoints/endpoints.ts';
import { fieldOf, placeOf } from './endpoints/wording.ts';
import { LIMITS } from './limits.ts';
import type { Organization, OrganizationStatus } from './resource.ts';

/** One field of the organization that became another; absent: it was not there. */
export interface FieldChange {
  readonly field: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export function nameChange(from: string | undefined, to: string | undefined): FieldChange {
  return cut({ field: 'name', from, to }, LIMITS.value);
}

/** Endpoints that came, and endpoints that went. */
export function endpointChanges(
  added: readonly Tuple[],
  removed: readonly Tuple[],
): readonly FieldChange[] {
  return [
    ...added.map((one) => ({ field: fieldOf(one), from: undefined, to: placeOf(one) })),
    ...removed.map((one) => ({ field: fieldOf(one), from: placeOf(one), to: undefined })),
  ].map((change) => cut(change, LIMITS.value));
}

/** `name A → B, added psc-1, removed psc-2`. */
export function described(changes: readonly FieldChange[]): string {
  const parts = changes.map(({ field, from, to }) => {
    if (to === undefined) return `removed ${field}`;
    if (field !== 'name') return `added ${field}`;
    return `name ${from === undefined ? '' : `${from} `}→ ${to}`;
  });
  return parts.join(', ');
}

/** `status.drift` with what was found now, newest last. */
export function withDrift(
  before: OrganizationStatus['drift'] = [],
  found: readonly FieldChange[],
  now: number,
): OrganizationStatus['drift'] {
  const all = [...before, ...found.map((one) => ({ ...one, time: timestamp(now) }))];
  return all.length > 0 ? all.slice(-LIMITS.drift) : undefined;
}

/** `status.history` holds so many. */
const HISTORY = 10;

/** `status.history` with what a reply has confirmed, newest last. */
export function withHistory(
  before: OrganizationStatus['history'],
  changes: readonly FieldChange[],
  reply: { readonly object: Organization; readonly verdict: Success; readonly now: number },
): OrganizationStatus['history'] {
  if (changes.length === 0) return before;
  const entry = {
    time: timestamp(reply.now),
    generation: generationOf(reply.object),
    requestId: reply.verdict.requestId,
    changes: changes.slice(0, LIMITS.historyChanges).map((one) => cut(one, LIMITS.historyValue)),
  };
  return [...(before ?? []), entry].slice(-HISTORY);
}

function cut({ field, from, to }: FieldChange, most: number): FieldChange {
  return { field, from: from && cutText(from, most), to: to && cutText(to, most) };
}
