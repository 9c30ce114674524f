import type { Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { CONFLICT_GRACE_MS } from '../../waits.ts';
import { timestamp, wholeSecond } from './canonical.ts';
import {
  type CommonStatus,
  type KindSummary,
  readyOf,
  saying,
  statusWith,
} from './common-status.ts';
import { reportFailure, resultOf } from './failure-report.ts';
import type { Preview } from './preview.ts';
import type { Ownership } from './target.ts';

/** Make sure the stored spec can be read: an older schema may have let it in. */
export function refuseSpec(object: KubeObject, problem: string, now: number): Result {
  const message = `The stored spec is not valid: ${problem}. Correct it; nothing is sent until then`;
  const { status, events } = reportFailure({ object, reason: 'SpecInvalid', message, now });
  const unscheduled = { ...status, attempts: undefined, nextAttemptTime: undefined };
  return resultOf(object, { status: unscheduled, next: 'on-change', events }, 'refuse-spec');
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
  /** 'pipe', 'organization'. */
  readonly what: string;
  /** The command that finds the others, for those who may see them. */
  readonly find: string;
  /** What to know before one of them is deleted. */
  readonly beforeDeletion: string;
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
  const progress = isOver ? 'Stalled' : 'Reconciling';
  const summary = { ready: 'False', progress, reason, message } as const;
  const said = saying(object, { summary, now, nextAttempt: isOver ? undefined : until });
  const isNew = isOver && nextAttemptTime !== undefined;
  const events = isNew ? [{ type: 'Warning', reason, note: message } as const] : [];
  return resultOf(object, { ...said, events }, 'wait-for-owner');
}

function conflictMessage(
  { owner, verified }: Extract<Ownership, { type: 'waits' }>,
  { kind, what, find, beforeDeletion }: Contested,
): string {
  const whose = owner ? `${kind} "${owner.name}"` : 'an object in another namespace';
  if (!verified)
    return `${whose} is for the ${what} too and is older, so it is tried first, and nothing is sent for this object. Delete one of the two objects. ${beforeDeletion}`;
  const search = owner
    ? ''
    : `. To find the other object, with the right to list all namespaces: ${find}`;
  return `The ${what} is owned by ${whose}, so nothing is sent for this object. Delete one of the two objects; once the owner is deleted, this object can own the ${what}. ${beforeDeletion}${search}`;
}

/** What `Plan` mode, or `--plan-only`, shows. */
export interface Plan {
  readonly preview: Preview;
  /** `status.applied.requestHash` once it is confirmed. */
  readonly hash: string;
  readonly isEmpty: boolean;
  /** Ends the message: how it comes to be sent. */
  readonly how: string;
  readonly now: number;
}

const COMPARED = {
  LastResponse: 'compared with the last response',
  Unknown: 'the state at the API is not known yet',
} as const;

/**
 * Ready only where nothing is left to apply. Nothing else waits for a plan, or gives up over it: it
 * neither goes on by itself nor fails.
 */
export function showPlan(object: KubeObject, plan: Plan): Result {
  const { preview, hash, isEmpty, how, now } = plan;
  const { basis, requests, changes, says } = preview;
  const notSent = says.charAt(0).toLowerCase() + says.slice(1);
  const message = `${headline(changes.length, isEmpty)}; not sent: ${notSent}; ${COMPARED[basis]}. See status.plan; ${how}`;
  const summary = { ready: isEmpty ? 'True' : 'False', reason: 'Planned', message } as const;
  const { plan: before, ...shown }: { plan?: { hash: string; time: string } } = object.status ?? {};
  // The time stays while what it is about stays.
  const isSame = before?.hash === hash && readyOf(shown)?.message === message;
  const time = isSame ? before.time : timestamp(now);
  const shows = { time, basis, hash, requests, changes };
  return showing(object, summary, now, 'plan', { plan: shows });
}

function headline(changes: number, isEmpty: boolean): string {
  if (isEmpty) return 'No changes';
  if (changes === 0) return 'No changes planned, but the declared state is not confirmed';
  return changes === 1 ? '1 change planned' : `${changes} changes planned`;
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
