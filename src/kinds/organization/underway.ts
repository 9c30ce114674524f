import { commonStatus, currentReady, requestedAt, withoutUndefined } from '../common-status.ts';
import type { Organization, OrganizationStatus, PendingChange } from './resource.ts';
import { fitted } from './size.ts';
import { counted } from './wording.ts';

/** Failures that a next step of the same attempt does not end: they stay in sight until its result is there. */
const STANDING = new Set([
  'NotConfirmed',
  'OutcomeUnknown',
  'Rejected',
  'Conflict',
  'EndpointConflict',
  'RemovalBlocked',
]);

/** The status between two steps: what stood there, or that it is not decided yet. The next step follows at once. */
export function underway(
  object: Organization,
  status: OrganizationStatus,
  {
    now,
    acknowledge,
    intent,
  }: { readonly now: number; readonly acknowledge: boolean; readonly intent?: PendingChange },
): OrganizationStatus {
  const before = currentReady(object, object.status);
  if (before?.status === 'False' && STANDING.has(before.reason)) {
    const handled = (acknowledge ? requestedAt(object) : undefined) ?? status.lastHandledReconcileAt;
    return fitted(withoutUndefined({ ...status, nextAttemptTime: undefined, lastHandledReconcileAt: handled }));
  }
  const message = intent === undefined ? 'The API is being asked; the next request follows at once' : intended(intent);
  const summary = { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending', message } as const;
  const common = commonStatus(object, object.status, { summary, now, acknowledge, lastRequest: status.lastRequest });
  return fitted(withoutUndefined({ ...status, ...common }));
}

function intended({ name, add, remove }: PendingChange): string {
  const parts = [
    ...(name === undefined ? [] : ['the name']),
    ...(add.length === 0 ? [] : [`${counted(add.length)} to add`]),
    ...(remove.length === 0 ? [] : [`${counted(remove.length)} to remove`]),
  ];
  return `On record and sent next: ${parts.join(', ')}`;
}

/** The previous status with other fields, and without a plan: this is not Plan mode. */
export function merged(object: Organization, more: Partial<OrganizationStatus>): OrganizationStatus {
  return fitted(withoutUndefined({ ...object.status, plan: undefined, ...more }));
}
