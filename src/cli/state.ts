import { FINALIZER } from '../kinds/organization/resource.ts';
import {
  type CommonStatus,
  currentReady,
  generationOf,
  isRequested,
  readyOf,
} from '../kinds/status/common-status.ts';
import { isFailure } from '../kinds/status/failures.ts';
import { REASONS, type ReasonRow } from '../kinds/status/reasons.ts';
import type { KubeObject } from '../kube/resource.ts';
import { FAILURES } from '../waits.ts';

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

/** How an object is doing. */
export interface ObjectState {
  readonly state: (typeof STATES)[number];
  readonly reason: string;
  readonly ready: boolean;
  /** What happened, and what to do. */
  readonly message: string;
  /** Who has to act so that it becomes ready. */
  readonly who: string;
  readonly todo: string;
  readonly next: Next;
}

/** What has to happen before anything is sent for the object. */
export type Next =
  | { readonly type: 'time'; readonly time: string }
  /** Its turn has come, or the operator is not there. */
  | { readonly type: 'operator' }
  | { readonly type: 'person' }
  /** Nothing is left to do until somebody changes something. */
  | { readonly type: 'change' }
  /** Finalizers of others keep it while it is being deleted. */
  | { readonly type: 'finalizers'; readonly names: readonly string[] };

export function stateOf(object: KubeObject): ObjectState {
  const status: CommonStatus = object.status ?? {};
  const ready = currentReady(object, status);
  const isStalled = (status.conditions ?? []).some(
    (one) =>
      one.type === 'Stalled' &&
      one.status === 'True' &&
      one.observedGeneration === generationOf(object),
  );
  const { deletionTimestamp, finalizers = [] } = object.metadata;
  if (deletionTimestamp !== undefined && !finalizers.includes(FINALIZER)) return kept(finalizers);
  const reason = ready?.reason ?? 'Pending';
  const isReady = ready?.status === 'True' && deletionTimestamp === undefined;
  const state =
    deletionTimestamp !== undefined && !isStalled
      ? 'Deleting'
      : namedState(reason, { isReady, isStalled });
  return {
    state,
    reason,
    ready: isReady,
    message: ready?.message.trim() ?? unheard(object, status),
    ...actingOn(reason, { isReady, isStalled }),
    next: nextOf(object, status, { isReady, isStalled, isCurrent: ready !== undefined }),
  };
}

/** The operator has nothing left to do for it. */
function kept(finalizers: readonly string[]): ObjectState {
  const names = finalizers.join(', ');
  return {
    state: 'Deleting',
    reason: 'Deleting',
    ready: false,
    message: names === '' ? 'Being deleted' : `It is gone when its finalizers are off: ${names}`,
    who: names === '' ? 'nobody' : `whoever has set ${names}`,
    todo: names === '' ? 'Nothing.' : 'Find the program that set it; Pipewright is done with it.',
    next: { type: 'finalizers', names: finalizers },
  };
}

interface Seen {
  readonly isReady: boolean;
  readonly isStalled: boolean;
}

function namedState(reason: string, { isReady, isStalled }: Seen): ObjectState['state'] {
  if (isStalled) return 'Stalled';
  if (reason === 'Suspended' || reason === 'Planned') return reason;
  if (reason === 'Pending') return 'Waiting';
  return isReady ? 'Ready' : 'Not ready';
}

/** The operator has not acted on this generation. */
function unheard(object: KubeObject, status: CommonStatus): string {
  const before = readyOf(status);
  if ((status.observedGeneration ?? -1) < 0) return before?.message.trim() ?? 'Not tried yet';
  const said = before
    ? `. It said of generation ${before.observedGeneration}: ${before.message}`
    : '';
  return `The operator has not acted on generation ${generationOf(object)} yet${said}`;
}

function nextOf(
  object: KubeObject,
  { nextAttemptTime }: CommonStatus,
  { isReady, isStalled, isCurrent }: Seen & { readonly isCurrent: boolean },
): Next {
  if (!isCurrent) return { type: 'operator' };
  if (nextAttemptTime !== undefined) return { type: 'time', time: nextAttemptTime };
  if (isStalled) return { type: 'person' };
  const reason = readyOf(object.status as CommonStatus)?.reason ?? '';
  const isAtRest = isReady || reason === 'Suspended' || reason === 'Planned';
  return { type: isAtRest && !isRequested(object) ? 'change' : 'operator' };
}

/** By the table of reasons, which is written for Markdown. */
function actingOn(reason: string, { isReady, isStalled }: Seen): { who: string; todo: string } {
  const row: ReasonRow | undefined = Object.hasOwn(REASONS, reason)
    ? REASONS[reason as keyof typeof REASONS]
    : undefined;
  if (!row)
    return { who: 'nobody is known', todo: 'Update the plugin: it does not know this reason.' };
  const todo = row.todo.replaceAll('`', '');
  const people = row.acts.filter((actor) => actor !== BY_ITSELF);
  if (isStalled && people.length > 0) return { who: people.join('; else '), todo };
  // Where a person must act in the end, the operator goes on by itself first.
  const isEarly = !isReady && isFailure(reason) && FAILURES[reason].side === 'Stalled';
  const all = isEarly ? [BY_ITSELF, ...people] : row.acts;
  return { who: all.join('; else '), todo };
}

const BY_ITSELF = 'the operator, by itself';
