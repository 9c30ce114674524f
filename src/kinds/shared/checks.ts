import type { Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { CONFLICT_GRACE_MS } from '../../waits.ts';
import { wholeSecond } from './canonical.ts';
import { type CommonStatus, commonStatus, readyOf, statusWith } from './common-status.ts';
import type { Due } from './due.ts';
import { type FailureReport, reportSpecInvalid, resultOf } from './failure-report.ts';
import type { KindSummary } from './reasons.ts';
import type { Ownership } from './target.ts';

/**
 * Why an object is not acted on now, as the whole result; undefined: go on. A kind asks them in
 * this order: deleted, spec, suspended, owner, Plan, due.
 */
export type Refusal = Result | undefined;

/** Make sure the object is not being deleted: its spec is nobody's wish any more. */
export function refuseDeleted({ metadata }: KubeObject): Refusal {
  return metadata.deletionTimestamp === undefined
    ? undefined
    : { next: 'on-change', did: 'nothing' };
}

/** Make sure the stored spec can be read: an older schema may have let it in. */
export function refuseSpec(object: KubeObject, problem: string, now: number): Result {
  const previous = object.status as CommonStatus | undefined;
  const report = reportSpecInvalid({ object, previous, problem, now });
  return resultOf(object, report, 'refuse-spec');
}

/** Make sure the object is not suspended. `ready`: what it stands for is there; `says`: of that. */
export function refuseSuspended(
  object: KubeObject,
  { ready, says, now }: { readonly ready: boolean; readonly says: string; readonly now: number },
): Result {
  const message = `Suspended: no call is made while spec.suspend is true. ${says}`;
  const summary = { ready: ready ? 'True' : 'False', reason: 'Suspended', message } as const;
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
  { ownership, contested, now }: { ownership: Ownership; contested: Contested; now: number },
): Refusal {
  if (ownership.type === 'owner') return undefined;
  const previous = object.status as CommonStatus | undefined;
  const message = conflictMessage(ownership, contested);
  const isShown = readyOf(previous)?.reason === 'TargetConflict';
  const { nextAttemptTime } = previous ?? {};
  const shownUntil = nextAttemptTime === undefined ? 0 : Date.parse(nextAttemptTime);
  const latest = wholeSecond(now + CONFLICT_GRACE_MS);
  const until = isShown ? Math.min(shownUntil, latest) : latest;
  const isStalled = until <= now;
  const progress = isStalled ? 'Stalled' : 'Reconciling';
  const status = commonStatus(object, previous, {
    summary: { ready: 'False', progress, reason: 'TargetConflict', message },
    now,
    nextAttempt: isStalled ? undefined : until,
    acknowledge: true,
  });
  const isNew = !previous?.conditions?.some(({ type }) => type === 'Stalled') || !isShown;
  const report: FailureReport = {
    status,
    next: isStalled ? 'on-change' : { at: until },
    events:
      isStalled && isNew ? [{ type: 'Warning', reason: 'TargetConflict', note: message }] : [],
  };
  return resultOf(object, report, 'wait-for-owner');
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

/** Make sure something is to be sent, and its time has come. */
export function notDue({ at }: Extract<Due, { type: 'later' }>): Result {
  return { next: at === undefined ? 'on-change' : { at }, did: 'nothing' };
}

/** A state that asks for no call, whatever the time. */
export function showing(
  object: KubeObject,
  summary: KindSummary,
  now: number,
  did: string,
  fields: object = {},
): Result {
  const previous = object.status as CommonStatus | undefined;
  const common = commonStatus(object, previous, { summary, now, acknowledge: true });
  return { status: statusWith<object>(previous, { ...common, ...fields }), next: 'on-change', did };
}
