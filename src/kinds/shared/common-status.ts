import type { Verdict } from '../../api/reply/verdict.ts';
import { type Condition, conditionsFor, cutText } from '../../controller/conditions.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { LastRequest } from '../schema/status-fields.ts';
import { timestamp } from './canonical.ts';
import { type FailureReason, sameCause } from './failures.ts';
import type { KindSummary } from './reasons.ts';

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
  const { lastHandledReconcileAt } = (object.status ?? {}) as CommonStatus;
  return requested !== undefined && requested !== lastHandledReconcileAt;
}

/**
 * The part of the metadata that a reconcile uses; the annotation is cut, all others are dropped.
 */
export function usedAnnotations(object: KubeObject): Readonly<Record<string, string>> | undefined {
  const value = requestedAt(object);
  return value === undefined ? undefined : { [REQUESTED_AT]: value };
}

export function generationOf(object: KubeObject): number {
  return object.metadata.generation ?? 0;
}

/** `Ready`, where it speaks of the present generation. */
export function currentReady(
  object: KubeObject,
  status: CommonStatus | undefined,
): Condition | undefined {
  return readyOf(status)?.observedGeneration === generationOf(object) ? readyOf(status) : undefined;
}

/**
 * The reason that this generation failed for last, for the event when it works again. A plan is no
 * failure.
 */
export function failureBefore(object: KubeObject): string | undefined {
  const ready = currentReady(object, object.status as CommonStatus | undefined);
  return ready?.status === 'False' && ready.reason !== 'Planned' ? ready.reason : undefined;
}

/** Ready for the generation that it has now. */
export function isReady(object: KubeObject): boolean {
  return currentReady(object, object.status as CommonStatus | undefined)?.status === 'True';
}

export function readyOf(status: CommonStatus | undefined): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === 'Ready');
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
  return withoutUndefined({
    operation,
    requestId: verdict.requestId,
    httpStatus: verdict.httpStatus,
    outcome: verdict.outcome,
    time: timestamp(now),
    message: verdict.ok ? undefined : cutText(verdict.message, 1024),
  });
}

/** A text of others as the beginning of a sentence of ours. */
export function withoutStop(text: string): string {
  return text.replace(/[.\s]+$/, '');
}

/** Ends a sentence about a call with the id to quote. */
export function quoting(requestId: string | undefined): string {
  return requestId === undefined ? '' : ` (request ${requestId})`;
}

/**
 * As it is stored: the API server drops nothing that is undefined, because JSON has no such thing.
 */
export function withoutUndefined<T extends object>(value: T): T {
  const fields = value as Readonly<Record<string, unknown>>;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as T;
}

/** A status with these fields in place of its own; a plan is only for who is in Plan. */
export function statusWith<Status extends object>(
  status: Status | undefined,
  fields: Partial<NoInfer<Status>>,
): Status {
  return withoutUndefined<object>({ ...status, plan: undefined, ...fields }) as Status;
}
