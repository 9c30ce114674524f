import { commonStatus, statusWith } from '../shared/common-status.ts';
import { counted } from './endpoints/wording.ts';
import { type Goal, isListedIn, isOurs } from './goal.ts';
import type { InventoryEntry, Organization, OrganizationStatus } from './resource.ts';

/** The status in the midst of an attempt: what is being sent, and how far it is. */
export function inProgress(
  object: Organization,
  draft: OrganizationStatus,
  goal: Goal,
  now: number,
): OrganizationStatus {
  const { pendingChange, privateEndpoints = [], lastRequest } = draft;
  const { add = [], remove = [] } = pendingChange ?? {};
  const counts = goal.isCleanup ? isOurs : (one: InventoryEntry) => isListedIn(goal, one);
  const there = privateEndpoints.filter((one) => one.state === 'Present' && counts(one)).length;
  const far = goal.isCleanup ? `${there} left` : `${there} of ${counted(goal.listed.size)} there`;
  const doing = pendingChange
    ? `Sending ${counted(add.length)} to add, ${remove.length} to remove`
    : 'In progress';
  const message = `${goal.isCleanup ? 'Being deleted. ' : ''}${doing} (${far})`;
  const summary = {
    ready: 'Unknown',
    progress: 'Reconciling',
    reason: 'Pending',
    message,
  } as const;
  const { status: previous } = object;
  const said = { summary, now, attempts: previous?.attempts, acknowledge: true };
  return statusWith(draft, { ...commonStatus(object, previous, said), lastRequest });
}
