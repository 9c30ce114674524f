import type { Verdict } from '../../api/reply/verdict.ts';
import { type Condition, conditionsFor, type Summary } from '../../controller/conditions.ts';
import type { Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { LastRequest } from '../schema/status-fields.ts';
import { timestamp } from './canonical.ts';
import { type FailureReason, sameCause } from './failures.ts';

/** Every reason that `Ready` can have. */
export type ReadyReason =
  | 'Pending'
  | 'Applied'
  | 'Fetched'
  | 'Planned'
  | 'Suspended'
  | FailureReason;

/** What a kind says of an object. */
export interface KindSummary extends Summary {
  readonly reason: ReadyReason;
}

/** The one annotation users set: a one-shot request to try now. */
export const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';
/** maxLength of `status.lastHandledReconcileAt`. */
const LONGEST_REQUEST = 256;

/** The fields of `status` that every kind has. */
export interface CommonStatus {
  readonly observedGeneration?: number | undefined;
  readonly conditions?: readonly Condition[] | undefined;
  readonly lastRequest?: LastRequest | undefined;
  readonly attempts?: number | undefined;
  readonly nextAttemptTime?: string | undefined;
  readonly lastHandledReconcileAt?: string | undefined;
}

/**
 * What a reconcile has to say in the common fields; what is absent here is absent in the status,
 * but for `lastRequest`.
 */
export interface Say {
  readonly summary: KindSummary;
  readonly now: number;
  readonly lastRequest?: LastRequest | undefined;
  readonly attempts?: number | undefined;
  /** Epoch ms, a whole second. */
  readonly nextAttempt?: number | undefined;
  /** The one-shot request was acted on, or answered by the state that the object is in. */
  readonly acknowledge: boolean;
}

/** The value of the one-shot annotation, in the form in which it is compared and stored. */
export function requestedAt(object: KubeObject): string | undefined {
  const value = object.metadata.annotations?.[REQUESTED_AT];
  return value === undefined ? undefined : [...value].slice(0, LONGEST_REQUEST).join('');
}

/** Whether the user asks by that annotation for something that no attempt has been made of yet. */
export function isRequested(object: KubeObject): boolean {
  const requested = requestedAt(object);
  const { lastHandledReconcileAt }: CommonStatus = object.status ?? {};
  return requested !== undefined && requested !== lastHandledReconcileAt;
}

export function generationOf(object: KubeObject): number {
  return object.metadata.generation ?? 0;
}

/** `Ready`, where it speaks of the present generation. */
export function currentReady(
  object: KubeObject,
  status: CommonStatus | undefined,
): Condition | undefined {
  const ready = readyOf(status);
  return ready?.observedGeneration === generationOf(object) ? ready : undefined;
}

/** The reason that this generation failed for last, for the event when it works again. */
export function failureBefore(object: KubeObject): string | undefined {
  const ready = currentReady(object, object.status ?? {});
  // A plan is no failure.
  return ready?.status === 'False' && ready.reason !== 'Planned' ? ready.reason : undefined;
}

/** Ready for the generation that it has now. */
export function isReady(object: KubeObject): boolean {
  return currentReady(object, object.status ?? {})?.status === 'True';
}

export function readyOf(status: CommonStatus | undefined): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === 'Ready');
}

/**
 * The status of an object that has waited long for its call, and goes on waiting; undefined where
 * it is Ready, and stays so. The failures so far and an open request stay counted.
 */
export function longWaitStatus(object: KubeObject, ahead: number, now: number): object | undefined {
  if (isReady(object)) return undefined;
  const previous = object.status as CommonStatus | undefined;
  const line = ahead === 1 ? '1 call is before it' : `${ahead} calls are before it`;
  const message = `Waits for a call with its API key; ${line}. The operator goes on by itself; how fast depends on --api-rate, and on pauses that the API asks for`;
  const common = commonStatus(object, previous, {
    summary: { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending', message },
    now,
    attempts: previous?.attempts,
    acknowledge: false,
  });
  return statusWith<CommonStatus>(previous, common);
}

export function commonStatus(
  object: KubeObject,
  previous: CommonStatus | undefined,
  say: Say,
): CommonStatus {
  const generation = generationOf(object);
  return {
    observedGeneration: generation,
    conditions: conditionsFor(say.summary, {
      generation,
      previous: previous?.conditions ?? [],
      now: timestamp(say.now),
    }),
    lastRequest: say.lastRequest ?? previous?.lastRequest,
    attempts: say.attempts,
    nextAttemptTime: say.nextAttempt === undefined ? undefined : timestamp(say.nextAttempt),
    lastHandledReconcileAt:
      (say.acknowledge ? requestedAt(object) : undefined) ?? previous?.lastHandledReconcileAt,
  };
}

/** The common fields, and when to come back. What was asked for is answered by it. */
export function saying(
  object: KubeObject,
  say: Omit<Say, 'acknowledge'>,
): { readonly status: CommonStatus; readonly next: Result['next'] } {
  const { nextAttempt } = say;
  const status = commonStatus(object, object.status ?? {}, { ...say, acknowledge: true });
  return { status, next: nextAttempt === undefined ? 'on-change' : { at: nextAttempt } };
}

/**
 * Failures in a row of one kind of cause for one generation; an edit starts anew. A wait in between
 * that the status has shown does not.
 */
export function countAttempts(
  object: KubeObject,
  previous: CommonStatus | undefined,
  reason: FailureReason,
): number {
  const before = currentReady(object, previous)?.reason;
  const goesOn = before === 'Pending' || (before !== undefined && sameCause(before, reason));
  return goesOn ? (previous?.attempts ?? 0) + 1 : 1;
}

export function lastRequestOf(operation: string, verdict: Verdict, now: number): LastRequest {
  const { requestId, httpStatus, outcome } = verdict;
  const message = verdict.ok ? undefined : verdict.message;
  return { operation, requestId, httpStatus, outcome, time: timestamp(now), message };
}

/** A text of others as the beginning of a sentence of ours. */
export function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, '');
}

/** Ends a sentence about a call with the id to quote. */
export function quoting(requestId: string | undefined): string {
  return requestId === undefined ? '' : ` (request ${requestId})`;
}

/** A status with these fields in place of its own; a plan is only for who is in Plan. */
export function statusWith<Status extends object>(
  status: Status | undefined,
  fields: Partial<NoInfer<Status>>,
): Status {
  return { ...status, plan: undefined, ...fields } as object as Status;
}
