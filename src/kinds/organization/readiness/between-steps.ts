import {
  commonStatus,
  currentReady,
  requestedAt,
  withoutUndefined,
} from '../../status/common-status.ts';
import { fitted } from '../endpoints/size.ts';
import { counted } from '../endpoints/wording.ts';
import type { Organization, OrganizationStatus } from '../resource.ts';

/**
 * Failures that a next step of the same attempt does not end: they stay in sight, and are counted
 * on, until its result is there. That a look works says nothing of how a change is answered.
 * RemovalBlocked is none of them: it says that nothing is sent, and a next step is there only where
 * it holds no more.
 */
const STANDING = new Set([
  'NotConfirmed',
  'OutcomeUnknown',
  'Rejected',
  'EndpointConflict',
  'Forbidden',
  'NotFound',
  'Conflict',
  'DependencyNotReady',
  'RateLimited',
]);

/**
 * The status between two steps: what stood there, or that it is not decided yet. The next step
 * follows at once.
 */
export function betweenSteps(
  object: Organization,
  status: OrganizationStatus,
  now: number,
): OrganizationStatus {
  const before = currentReady(object, object.status);
  if (before?.status === 'False' && STANDING.has(before.reason)) {
    const handled = requestedAt(object) ?? status.lastHandledReconcileAt;
    return fitted(
      withoutUndefined({ ...status, nextAttemptTime: undefined, lastHandledReconcileAt: handled }),
    );
  }
  const message = messageFor(status);
  const summary = {
    ready: 'Unknown',
    progress: 'Reconciling',
    reason: 'Pending',
    message,
  } as const;
  const common = commonStatus(object, object.status, {
    summary,
    now,
    acknowledge: true,
    lastRequest: status.lastRequest,
  });
  return fitted(withoutUndefined({ ...status, ...common }));
}

function messageFor({ pendingChange }: OrganizationStatus): string {
  if (!pendingChange) return 'The API has been asked; the next request follows at once';
  const { add, remove, refused } = pendingChange;
  const parts = [
    ...(add.length === 0 ? [] : [`add ${counted(add.length)}`]),
    ...(remove.length === 0 ? [] : [`remove ${counted(remove.length)}`]),
  ].join(', ');
  return refused
    ? `Refused by the API: ${parts}; what is there is looked at next`
    : `Ready to send: ${parts}`;
}

/** The previous status with other fields, and without a plan: this is not Plan mode. */
export function merged(
  object: Organization,
  more: Partial<OrganizationStatus>,
): OrganizationStatus {
  return fitted(withoutUndefined({ ...object.status, plan: undefined, ...more }));
}
