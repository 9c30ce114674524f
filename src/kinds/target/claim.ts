import type { KubeObject } from '../../kube/resource.ts';
import { currentReady, generationOf } from '../status/common-status.ts';
import { isNewSecret, secretChanged } from '../status/due.ts';
import type { SecretFacts } from '../status/tried-secret.ts';
import { isIdle, isOfFirstVersion, isProven, type ProvableStatus } from './proof.ts';
import type { Calls, Claim } from './target.ts';

/** What is known about one of several objects for one target besides itself. */
export interface ClaimFacts extends SecretFacts {
  readonly apiHash: string;
  /** Its stored spec can be read, and the operator does more than plan. */
  readonly mayAct: boolean;
}

const REFUSALS = new Set([401, 403, 404, 410]);

export function claimOf(object: KubeObject, facts: ClaimFacts): Claim {
  const { uid, namespace, name, deletionTimestamp } = object.metadata;
  const status = object.status as ProvableStatus | undefined;
  return {
    uid,
    namespace,
    name,
    proven: isProven(status, facts.apiHash),
    firstVersion: isOfFirstVersion(status),
    able:
      facts.mayAct &&
      !isIdle(object) &&
      deletionTimestamp === undefined &&
      hasSecret(object, facts),
    refused: isRefused(object, facts),
    answered: status?.lastRequest?.httpStatus !== undefined,
    ...callsOf(object),
  };
}

export function callsOf({ metadata, status }: KubeObject): Calls {
  const { applied, proof, lastRequest } = (status ?? {}) as ProvableStatus;
  return {
    created: metadata.creationTimestamp,
    appliedAt: timeOf(applied),
    provenAt: timeOf(proof),
    unknownAt: lastRequest?.outcome === 'Unknown' ? timeOf(lastRequest) : undefined,
    calledAt: timeOf(lastRequest),
  };
}

/** Not known to be without a usable Secret. */
function hasSecret(object: KubeObject, facts: ClaimFacts): boolean {
  const { state } = facts.secret;
  if (state === 'absent' || state === 'forbidden') return false;
  const isMissing = currentReady(object, object.status ?? {})?.reason.startsWith('Secret');
  return !isMissing || secretChanged(object, facts);
}

/**
 * By the last request, which outlasts a conflict that `Ready` shows; or because its key was refused
 * for another object.
 */
function isRefused(object: KubeObject, facts: ClaimFacts): boolean {
  const status: ProvableStatus = object.status ?? {};
  if (currentReady(object, status)?.reason === 'Unauthorized') return !secretChanged(object, facts);
  const { lastRequest, observedGeneration } = status;
  if (!REFUSALS.has(lastRequest?.httpStatus ?? 0) || observedGeneration !== generationOf(object))
    return false;
  const { secret, triedSecret } = facts;
  return !isNewSecret(secret, { triedSecret, triedAt: Date.parse(lastRequest?.time ?? '') });
}

function timeOf(record: { readonly time: string } | undefined): number | undefined {
  return record && Date.parse(record.time);
}
