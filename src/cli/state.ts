import * as common from '../kinds/shared/common-status.ts';
import { isFailure } from '../kinds/shared/failures.ts';
import type { KubeObject } from '../kube/resource.ts';
import { FAILURES } from '../waits.ts';
import { type Acting, OPERATOR, WHO_ACTS } from './who-acts.ts';

/** In the order in which tables show them: what needs a person first. */
export const STATES = [
  'Stalled',
  'Not ready',
  'Deleting',
  'Waiting',
  'Planned',
  'Suspended',
  'Ready',
] as const;
type State = (typeof STATES)[number];

/** How an object is doing. */
export interface ObjectState {
  readonly state: State;
  readonly reason: string;
  readonly ready: boolean;
  /** What happened, and what to do. */
  readonly message: string;
  /** Who has to act so that it becomes ready, and what to do. */
  readonly who: string;
  readonly todo: string;
  /**
   * What has to happen before anything is sent for it. `operator`: its turn has come, or the
   * operator is not there. `change`: nothing is left to do until somebody changes something.
   */
  readonly next: { readonly time: string } | 'operator' | 'person' | 'change';
}

export function stateOf(object: KubeObject): ObjectState {
  const status: common.CommonStatus = object.status ?? {};
  const ready = common.currentReady(object);
  const stalled = status.conditions?.find(({ type }) => type === 'Stalled');
  const isStalled =
    stalled?.status === 'True' && stalled.observedGeneration === common.generationOf(object);
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const reason = ready?.reason ?? (isDeleted ? 'Deleting' : 'Pending');
  const isReady = ready?.status === 'True' && !isDeleted;
  return {
    state: isStalled ? 'Stalled' : isDeleted ? 'Deleting' : stateFor(reason, isReady),
    reason,
    ready: isReady,
    message: ready?.message.trim() ?? unheard(object, status),
    ...actingOn(reason, isReady, isStalled),
    next: ready ? nextOf(object, { reason, isReady, isStalled }) : 'operator',
  };
}

function nextOf(
  object: KubeObject,
  is: { readonly reason: string; readonly isReady: boolean; readonly isStalled: boolean },
): ObjectState['next'] {
  const { nextAttemptTime: time }: common.CommonStatus = object.status ?? {};
  if (time !== undefined) return { time };
  if (is.isStalled) return 'person';
  const isAtRest = is.isReady || is.reason === 'Suspended' || is.reason === 'Planned';
  return isAtRest && !common.isRequested(object) ? 'change' : 'operator';
}

function stateFor(reason: string, isReady: boolean): State {
  if (reason === 'Suspended' || reason === 'Planned') return reason;
  if (reason === 'Pending') return 'Waiting';
  return isReady ? 'Ready' : 'Not ready';
}

/** The operator has not acted on this generation. */
function unheard(object: KubeObject, status: common.CommonStatus): string {
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp !== undefined)
    return `Being deleted since ${deletionTimestamp}; waits for the finalizers: ${finalizers.join(', ')}`;
  const before = common.readyOf(status);
  if ((status.observedGeneration ?? -1) < 0) return before?.message.trim() ?? 'Not tried yet';
  const said = before
    ? `. It said of generation ${before.observedGeneration}: ${before.message}`
    : '';
  return `The operator has not acted on generation ${common.generationOf(object)} yet${said}`;
}

function actingOn(reason: string, isReady: boolean, isStalled: boolean) {
  const rows: Readonly<Record<string, Acting>> = WHO_ACTS;
  const { acts, todo } = rows[Object.hasOwn(rows, reason) ? reason : 'Pending'] ?? WHO_ACTS.Pending;
  const people = acts.filter((actor) => actor !== OPERATOR);
  // Where a person must act in the end, the operator goes on by itself first.
  const isEarly = !isReady && isFailure(reason) && FAILURES[reason].side === 'Stalled';
  const early = isEarly ? [OPERATOR, ...people] : acts;
  const who = isStalled && people.length > 0 ? people : early;
  return { who: who.join('; else '), todo: todo.replaceAll('`', '') };
}
