import type { KubeObject } from '../kube/resource.ts';
import type { Notice } from '../runtime/kind.ts';
import { type Outcome, recheckAt } from '../runtime/outcome.ts';
import { wholeSecond } from './canonical.ts';
import { type CommonStatus, commonStatus, readyOf } from './common-status.ts';
import { CONFLICT_GRACE_MS, nextWait } from './failures.ts';
import type { Holder } from './target.ts';

/** The common half of a report on an object whose target another one holds. */
export interface ConflictReport {
  readonly status: CommonStatus;
  readonly outcome: Outcome;
  readonly notices: readonly Notice[];
}

/**
 * The first minutes of a conflict are taken for a rename in Git; after that one of the two objects is too many.
 * `what`: what both stand for, as in "The pipe".
 */
export function reportConflict(options: {
  readonly object: KubeObject;
  readonly previous: CommonStatus | undefined;
  readonly what: string;
  readonly kind: string;
  readonly holder: Holder;
  readonly now: number;
}): ConflictReport {
  const { object, previous, what, kind, holder, now } = options;
  const name = holder.namespace === object.metadata.namespace ? holder.name : `${holder.namespace}/${holder.name}`;
  const message = `${what} is held by ${kind} "${name}"; nothing is sent for this object. Delete one of the two: this one takes over when the other is gone`;
  const visited = readyOf(previous)?.reason === 'TargetConflict';
  const due = visited && previous?.nextAttemptTime !== undefined ? Date.parse(previous.nextAttemptTime) : undefined;
  const stalled = visited && (isStalled(previous) || (due !== undefined && due <= now));
  const wait = stalled ? nextWait('TargetConflict', 1, object.metadata.uid) : CONFLICT_GRACE_MS;
  const nextAttempt = due !== undefined && due > now && due <= now + wait ? due : wholeSecond(now + wait);
  const progress = stalled ? 'Stalled' : 'Reconciling';
  const status = commonStatus(object, previous, {
    summary: { ready: 'False', progress, reason: 'TargetConflict', message },
    now,
    nextAttempt,
    acknowledge: true,
  });
  const notices: Notice[] =
    stalled && !isStalled(previous) ? [{ type: 'Warning', reason: 'TargetConflict', note: message }] : [];
  return { status, outcome: recheckAt(nextAttempt), notices };
}

function isStalled(status: CommonStatus | undefined): boolean {
  return status?.conditions?.some(({ type }) => type === 'Stalled') ?? false;
}
