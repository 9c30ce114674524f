import type { Lane } from '../../runtime/queue.ts';
import { generationOf, readyOf, requestedAt } from '../common-status.ts';
import type { Goal } from './goal.ts';
import type { Memo } from './memo.ts';
import { FINALIZER, type LedgerEntry, type Organization, type OrganizationSpec } from './resource.ts';

/** What every step towards a goal is done with. */
export interface Work {
  readonly spec: OrganizationSpec;
  readonly goal: Goal;
  readonly segments: readonly string[];
  /** Identifies the declared state at this API. */
  readonly hash: string;
  readonly memo: Memo;
  readonly apiTimeoutMs: number;
  readonly lane: Lane;
  readonly probe: boolean;
  /** Refused endpoints are tried again now: the spec is another one, or the user asks. */
  readonly retryRefused: boolean;
  /** Epoch ms of the decision; nothing was asked of the API before it. */
  readonly plannedAt: number;
  /** On deletion: when the object is let go whatever happens. */
  readonly deadline?: number;
}

/** Whether the finalizer is on. */
export function isHeld(object: Organization): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) ?? false;
}

/** Whether the user has said something that the status does not speak of yet: another spec, or a request to try now. */
export function isNews(object: Organization): boolean {
  const requested = requestedAt(object);
  if (requested !== undefined && requested !== object.status?.lastHandledReconcileAt) return true;
  return readyOf(object.status)?.observedGeneration !== generationOf(object);
}

/** Whether the same generation was confirmed with another hash: then by another API, whose replies say nothing of this one. */
export function isElsewhere(object: Organization, hash: string): boolean {
  const { applied } = object.status ?? {};
  return applied?.generation === generationOf(object) && applied.requestHash !== hash;
}

/** Whether a pass begins a new attempt: the step before it was the last of its own. */
function isNewAttempt(object: Organization): boolean {
  const ready = readyOf(object.status);
  return isNews(object) || ready?.status === 'True' || object.status?.nextAttemptTime !== undefined;
}

/** What is known about the API's ways holds for one attempt, and what it has refused until the user asks for it again. */
export function memoFor(object: Organization, memo: Memo): Memo {
  if (!isNewAttempt(object)) return memo;
  const { readRefused: _, ...rest } = memo;
  if (!isNews(object)) return rest;
  const { apart: __, ...anew } = rest;
  return anew;
}

/** Whether what the API last confirmed is what is declared now, and nothing is open or was tried in vain since. */
export function isConfirmed(object: Organization, hash: string): boolean {
  const { status } = object;
  if (status?.applied?.requestHash !== hash || status.pendingChange) return false;
  const isOpen = ({ state }: LedgerEntry): boolean => state !== 'Present';
  return status.lastRequest?.outcome === 'Succeeded' && !(status.privateEndpoints ?? []).some(isOpen);
}
