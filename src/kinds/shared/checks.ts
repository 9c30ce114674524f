import type { Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { CONFLICT_GRACE_MS } from '../../waits.ts';
import { wholeSecond } from './canonical.ts';
import {
  type CommonStatus,
  type KindSummary,
  readyOf,
  saying,
  statusWith,
} from './common-status.ts';
import { reportSpecInvalid, resultOf } from './failure-report.ts';
import type { Ownership } from './target.ts';

/** Make sure the stored spec can be read: an older schema may have let it in. */
export function refuseSpec(object: KubeObject, problem: string, now: number): Result {
  const previous: CommonStatus = object.status ?? {};
  return resultOf(object, reportSpecInvalid({ object, previous, problem, now }), 'refuse-spec');
}

/** Make sure it is not suspended. `isHeld`: what it stands for is there; `says`: of that. */
export function refuseSuspended(
  object: KubeObject,
  { isHeld, says, now }: { readonly isHeld: boolean; readonly says: string; readonly now: number },
): Result {
  const message = `Suspended: no call is made while spec.suspend is true. ${says}`;
  const summary = { ready: isHeld ? 'True' : 'False', reason: 'Suspended', message } as const;
  return showing(object, summary, now, 'suspend');
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

/**
 * Make sure no other object owns the target. The first minutes of a conflict are taken for a rename
 * in Git; after that one of the two objects is too many.
 */
export function refuseOthers(
  object: KubeObject,
  ownership: Extract<Ownership, { type: 'waits' }>,
  { contested, now }: { readonly contested: Contested; readonly now: number },
): Result {
  const { nextAttemptTime, ...previous }: CommonStatus = object.status ?? {};
  const latest = wholeSecond(now + CONFLICT_GRACE_MS);
  const isShown = readyOf(previous)?.reason === 'TargetConflict';
  // When the minutes are over, it has no time of its own any more.
  const shownUntil = Date.parse(nextAttemptTime ?? '') || 0;
  const until = isShown ? Math.min(shownUntil, latest) : latest;
  const isOver = until <= now;
  const message = conflictMessage(ownership, contested);
  const reason = 'TargetConflict';
  const summary = {
    ready: 'False',
    progress: isOver ? 'Stalled' : 'Reconciling',
    reason,
    message,
  } as const;
  const said = saying(object, { summary, now, nextAttempt: isOver ? undefined : until });
  const isNew = isOver && nextAttemptTime !== undefined;
  const events = isNew ? [{ type: 'Warning', reason, note: message } as const] : [];
  return resultOf(object, { ...said, events }, 'wait-for-owner');
}

function conflictMessage(
  { owner, verified }: Extract<Ownership, { type: 'waits' }>,
  { kind, what, find, beforeDeletion }: Contested,
): string {
  const warning = beforeDeletion === undefined ? '' : `. ${beforeDeletion}`;
  const whose = owner ? `${kind} "${owner.name}"` : 'an object in another namespace';
  if (!verified)
    return `${whose} is for ${what} too and is older, so it is tried first, and nothing is sent for this object. Delete one of the two${warning}`;
  const search = owner
    ? ''
    : `. To find the other object, with the right to list all namespaces: ${find}`;
  return `${capital(what)} is owned by ${whose}, so nothing is sent for this object. Delete one of the two; deleting that one frees ${what}, and this one takes over${warning}${search}`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A state that asks for no call, whatever the time. */
export function showing(
  object: KubeObject,
  summary: KindSummary,
  now: number,
  did: string,
  fields: object = {},
): Result {
  const { status, next } = saying(object, { summary, now });
  return { status: statusWith<object>(object.status ?? {}, { ...status, ...fields }), next, did };
}
