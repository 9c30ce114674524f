import { isDeepStrictEqual } from 'node:util';
import type { Report } from '../../controller/kind.ts';
import { type Outcome, recheckAt } from '../../controller/outcome.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { PROOF_OUTLASTS_MS } from '../../waits.ts';
import type { Proof } from '../schema/status-fields.ts';
import { digestOf, timestamp } from '../status/canonical.ts';
import { type CommonStatus, readyOf, withoutUndefined } from '../status/common-status.ts';
import { type FailureReason, isFailure } from '../status/failures.ts';

/** The part of a status that says whether the API has taken the object's own key for its target. */
export interface ProvableStatus extends CommonStatus {
  readonly proof?: Proof | undefined;
  readonly applied?: { readonly time: string } | undefined;
}

/**
 * What a failure says of the object's own key for its target. `useless`: somebody has to mend
 * something, which an API that is away does not say. `works`: only an answer to a usable key brings
 * it, so whatever was of no use before has been mended.
 */
const KEY: Readonly<Record<FailureReason, 'useless' | 'works' | 'unknown'>> = {
  Rejected: 'works',
  Unauthorized: 'useless',
  Forbidden: 'useless',
  NotFound: 'useless',
  Conflict: 'works',
  DependencyNotReady: 'works',
  RateLimited: 'unknown',
  Unavailable: 'unknown',
  OutcomeUnknown: 'unknown',
  UnexpectedResponse: 'unknown',
  NotConfirmed: 'unknown',
  SecretNotFound: 'useless',
  SecretInvalid: 'useless',
  SecretForbidden: 'useless',
  SpecInvalid: 'useless',
  TargetConflict: 'unknown',
  EndpointConflict: 'unknown',
  RemovalBlocked: 'unknown',
};

/** Undefined for a reason that is no failure. */
function keyAfter(status: ProvableStatus): 'useless' | 'works' | 'unknown' | undefined {
  const reason = readyOf(status)?.reason ?? '';
  return isFailure(reason) ? KEY[reason] : undefined;
}

/** `status.proof.apiHash`: identifies the API by its normalised base address. */
export function apiHashOf(baseUrl: string): string {
  return digestOf(baseUrl);
}

/** What an answer of 200 with a result to the object's own call proves. */
export function provenAt(now: number, apiHash: string): Proof {
  return { time: timestamp(now), apiHash };
}

/**
 * Whether the API at this address has taken the object's own key for its target, and that has not
 * come to its end.
 */
export function isProven(status: ProvableStatus | undefined, apiHash: string): boolean {
  return status?.proof?.apiHash === apiHash;
}

/**
 * Whether the status says that this very key has worked at this API: the same version of the
 * Secret, and the same choice in it, which is part of the spec. Who forges it gains the pace of a
 * key that works.
 */
export function hasWorked(
  { metadata, status }: KubeObject,
  { secretVersion, apiHash }: { readonly secretVersion: string; readonly apiHash: string },
): boolean {
  const { applied } = (status ?? {}) as {
    readonly applied?: { readonly generation?: unknown; readonly secretResourceVersion?: unknown };
  };
  return (
    isProven(status as ProvableStatus | undefined, apiHash) &&
    applied?.secretResourceVersion === secretVersion &&
    applied.generation === metadata.generation
  );
}

/**
 * The last word on a report of a kind whose targets are held by proof: notes since when the object
 * has been of no use, takes its proof away when that is too long, and sees to it that somebody
 * looks then.
 */
export function keepProof(report: Report, object: KubeObject, now: number): Report {
  const status = (report.status ?? object.status) as ProvableStatus | undefined;
  if (!status?.proof) return report;
  const key = keyAfter(status);
  const isUnusable = key === 'useless' && !isIdle(object);
  const before = key === 'works' ? undefined : status.proof.unusableSince;
  const since = isUnusable ? (pastOf(before, now) ?? timestamp(now)) : undefined;
  const end = since === undefined ? undefined : Date.parse(since) + PROOF_OUTLASTS_MS;
  const { time, apiHash } = status.proof;
  const noted = withoutUndefined({
    time,
    apiHash,
    unusableSince: isIdle(object) ? undefined : (since ?? before),
  });
  const proof = end !== undefined && end <= now ? undefined : noted;
  return {
    ...report,
    ...(!isDeepStrictEqual(proof, status.proof) && {
      status: withoutUndefined({ ...status, proof }),
    }),
    outcome: proof && end !== undefined ? sooner(report.outcome, end) : report.outcome,
  };
}

/**
 * A time on record that lies in the future was written by another clock, perhaps a second ago: it
 * counts from now. Taken for long past, it would end the proof, and with it the record of a call
 * that may still be at work.
 */
function pastOf(since: string | undefined, now: number): string | undefined {
  return Date.parse(since ?? '') <= now ? since : undefined;
}

/**
 * Suspended and planned objects hold on purpose, whatever becomes of the key, and also where the
 * rest of the spec is not valid.
 */
export function isIdle({ spec }: KubeObject): boolean {
  const { suspend, mode } = (spec ?? {}) as { readonly suspend?: unknown; readonly mode?: unknown };
  return suspend === true || mode === 'Plan';
}

function sooner(outcome: Outcome, at: number): Outcome {
  if (outcome.next === 'await-change') return recheckAt(at);
  return outcome.next === 'recheck' && outcome.at > at ? recheckAt(at) : outcome;
}
