import type { Notice } from '../../controller/kind.ts';
import { type Outcome, recheckAt } from '../../controller/outcome.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { CONFLICT_GRACE_MS, COURTESY_MS } from '../../waits.ts';
import { wholeSecond } from '../status/canonical.ts';
import { type CommonStatus, commonStatus, readyOf } from '../status/common-status.ts';
import { nextWait } from '../status/failures.ts';
import type { Held, Turn } from './target.ts';

/** The common half of a report on an object that may not act for its target, or not now. */
export interface ConflictReport {
  readonly status: CommonStatus;
  readonly outcome: Outcome;
  readonly notices: readonly Notice[];
}

/** What several objects stand for, in the words of their kind. */
export interface Contested {
  readonly kind: string;
  /** As in "the pipe". */
  readonly what: string;
  /** The command that finds the others, for those who may see them. */
  readonly find: string;
  /** What to do before one of them is deleted. */
  readonly beforeDeletion?: string;
}

export interface Conflict {
  readonly object: KubeObject;
  readonly previous: CommonStatus | undefined;
  readonly contested: Contested;
  readonly to: Held | Turn;
  readonly now: number;
}

/** Whether an object waits for another one, or for a namespace that nobody has listed yet. */
export function showsConflict({ status }: KubeObject): boolean {
  return readyOf(status ?? {})?.reason === 'TargetConflict';
}

/**
 * The first minutes of a conflict are taken for a rename in Git; after that one of the two objects
 * is too many.
 */
export function reportConflict(options: Conflict): ConflictReport {
  const { object, previous, to, now } = options;
  const message = conflictMessage(to, options.contested);
  const isShown = readyOf(previous)?.reason === 'TargetConflict';
  const due =
    isShown && previous?.nextAttemptTime !== undefined
      ? Date.parse(previous.nextAttemptTime)
      : undefined;
  const stalled = isShown && (isStalled(previous) || (due !== undefined && due <= now));
  const wait = stalled ? nextWait('TargetConflict', 1, object.metadata.uid) : CONFLICT_GRACE_MS;
  const nextAttempt =
    due !== undefined && due > now && due <= now + wait ? due : wholeSecond(now + wait);
  const progress = stalled ? 'Stalled' : 'Reconciling';
  const status = commonStatus(object, previous, {
    summary: { ready: 'False', progress, reason: 'TargetConflict', message },
    now,
    nextAttempt,
    acknowledge: true,
  });
  const notices: Notice[] =
    stalled && !isStalled(previous)
      ? [{ type: 'Warning', reason: 'TargetConflict', note: message }]
      : [];
  const latest = 'until' in to ? to.until : Number.POSITIVE_INFINITY;
  return { status, outcome: recheckAt(Math.min(nextAttempt, latest)), notices };
}

/** Why an object waits, and what to do. */
function conflictMessage(to: Held | Turn, contested: Contested): string {
  const { kind, what, find, beforeDeletion } = contested;
  const isHeld = to.why === 'held';
  const nothing = `${isHeld ? 'so nothing' : 'Nothing'} is sent for this object`;
  const warning = beforeDeletion ? `. ${beforeDeletion}` : '';
  const takeOver = `Delete one of the two; this one takes over when the other is gone${warning}`;
  switch (to.why) {
    case 'held':
      return to.holder
        ? `${capital(what)} is held by ${kind} "${to.holder.name}", ${nothing}. ${takeOver}`
        : `${capital(what)} is held by an object in another namespace, ${nothing}. ${takeOver}. To find the other object, with the right to list all namespaces: ${find}`;
    case 'turn':
      return `${kind} "${to.holder?.name ?? ''}" is for ${what} too and is older, so it is tried first. ${nothing} until the API has refused the key of that one, or it is gone. Delete one of the two${warning}`;
    case 'unlisted':
      return `The object that holds ${what} may be in a namespace of --namespaces that could not be listed yet. ${nothing} until it is listed. The log names the namespace and the missing right`;
    case 'courtesy':
      return `Another object for ${what} goes first. ${nothing} until that one was tried, for ${COURTESY_MS / 1_000} s at most. To find the other object: ${find}`;
    case 'unsettled':
      return `Another object for ${what} was tried, and the result is not known yet. ${nothing} until it is known, or until that call can no longer be at work: --api-timeout and one minute after it. To find the other object: ${find}`;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function isStalled(status: CommonStatus | undefined): boolean {
  return status?.conditions?.some(({ type }) => type === 'Stalled') ?? false;
}
