import { isDeepStrictEqual } from 'node:util';
import type { Verdict } from '../../api/verdict.ts';
import { type Condition, conditionsFor, type Summary } from '../../controller/conditions.ts';
import type { Result } from '../../controller/kind.ts';
import type { SecretRef } from '../../kube/key-pair.ts';
import { isSameDeclaration, type KubeObject } from '../../kube/resource.ts';
import type { CommonStatus, LastRequest } from '../schema/status-fields.ts';
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

export type { CommonStatus } from '../schema/status-fields.ts';

/** What a reconcile has to say; what is absent is absent in the status, but for `lastRequest`. */
export interface Say {
  readonly summary: KindSummary;
  readonly now: number;
  readonly lastRequest?: LastRequest | undefined;
  readonly attempts?: number | undefined;
  /** Epoch ms, a whole second. */
  readonly nextAttempt?: number | undefined;
  /** A one-shot request was neither acted on nor answered by the state that the object is in. */
  readonly isRequestOpen?: boolean;
}

/** The Secret an object refers to, whether or not the rest of its spec is valid. */
export function secretRefOf({ spec }: Pick<KubeObject, 'spec'>): SecretRef | undefined {
  const ref = (spec as { credentialsSecretRef?: SecretRef } | undefined)?.credentialsSecretRef;
  return typeof ref?.name === 'string' && ref.name !== '' ? ref : undefined;
}

/** The value of the one-shot annotation, as it is compared and stored; empty, it asks nothing. */
export function requestedAt(object: KubeObject): string | undefined {
  const value = object.metadata.annotations?.[REQUESTED_AT];
  return value ? [...value].slice(0, LONGEST_REQUEST).join('') : undefined;
}

/** Whether the user asks by that annotation for something that no attempt has been made of yet. */
export function isRequested(object: KubeObject): boolean {
  const requested = requestedAt(object);
  const { lastHandledReconcileAt }: CommonStatus = object.status ?? {};
  return requested !== undefined && requested !== lastHandledReconcileAt;
}

/** Whether neither a person nor the API server wants anything else of the object. */
export function isSameWish(now: KubeObject, before: KubeObject): boolean {
  return (
    isSameDeclaration(now, before) &&
    requestedAt(now) === requestedAt(before) &&
    isDeepStrictEqual(now.metadata.finalizers, before.metadata.finalizers)
  );
}

export function generationOf(object: KubeObject): number {
  return object.metadata.generation ?? 0;
}

export function readyOf(status: CommonStatus | undefined): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === 'Ready');
}

/** `Ready`, where it speaks of the present generation. */
export function currentReady(object: KubeObject): Condition | undefined {
  const ready = readyOf(object.status ?? {});
  return ready?.observedGeneration === generationOf(object) ? ready : undefined;
}

/** Ready for the generation that it has now. */
export function isReady(object: KubeObject): boolean {
  return currentReady(object)?.status === 'True';
}

/** The reason that this generation failed for last, for the event when it works again. */
export function failureBefore(object: KubeObject): string | undefined {
  const ready = currentReady(object);
  // A plan is no failure.
  return ready?.status === 'False' && ready.reason !== 'Planned' ? ready.reason : undefined;
}

/** The common fields, and when to come back. */
export function saying(
  object: KubeObject,
  { summary, now, lastRequest, attempts, nextAttempt, isRequestOpen = false }: Say,
): { readonly status: CommonStatus; readonly next: Result['next'] } {
  const { conditions: previous = [], ...before }: CommonStatus = object.status ?? {};
  const generation = generationOf(object);
  const handled = isRequestOpen ? undefined : requestedAt(object);
  const status = {
    observedGeneration: generation,
    conditions: conditionsFor(summary, { generation, previous, now: timestamp(now) }),
    lastRequest: lastRequest ?? before.lastRequest,
    attempts,
    nextAttemptTime: nextAttempt === undefined ? undefined : timestamp(nextAttempt),
    lastHandledReconcileAt: handled ?? before.lastHandledReconcileAt,
  };
  return { status, next: nextAttempt === undefined ? 'on-change' : { at: nextAttempt } };
}

/**
 * The status of an object that has waited long for its call, and goes on waiting; undefined where
 * it is Ready, and stays so. The failures so far and an open request stay counted.
 */
export function longWaitStatus(object: KubeObject, ahead: number, now: number): object | undefined {
  if (isReady(object)) return undefined;
  const before: CommonStatus = object.status ?? {};
  const line = ahead === 1 ? '1 call is before it' : `${ahead} calls are before it`;
  const deleting = 'Being deleted (spec.deletionPolicy: Retain deletes the object at once): waits';
  const waits = object.metadata.deletionTimestamp === undefined ? 'Waits' : deleting;
  const message = `${waits} until the rate limit of its API key allows a call; ${line}. The operator continues by itself; how fast depends on --api-rate and on pauses that the API asks for`;
  const summary = { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending' } as const;
  const say = { summary: { ...summary, message }, now, attempts: before.attempts };
  return statusWith(before, saying(object, { ...say, isRequestOpen: true }).status);
}

/**
 * Failures in a row of one kind of cause for one generation; an edit starts anew. A wait in between
 * that the status has shown does not.
 */
export function countAttempts(object: KubeObject, reason: FailureReason): number {
  const before = currentReady(object)?.reason;
  const { attempts = 0 }: CommonStatus = object.status ?? {};
  return before === 'Pending' || sameCause(before, reason) ? attempts + 1 : 1;
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
