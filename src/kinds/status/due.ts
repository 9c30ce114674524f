import { spread } from '../../backoff.ts';
import type { Lane } from '../../controller/queue.ts';
import { parseDuration } from '../../duration.ts';
import { compareVersions, type KubeObject } from '../../kube/resource.ts';
import type { SecretState } from '../../kube/secrets/secret-state.ts';
import { wholeSecond } from './canonical.ts';
import { type CommonStatus, currentReady, isRequested } from './common-status.ts';
import { isFailure, longestWait, nextWait } from './failures.ts';
import type { SecretFacts } from './tried-secret.ts';

/**
 * Whether an attempt is to be made now, and if not, when to look again: the last part of a plan.
 */
export type Due =
  /**
   * `probe`: it may try a credential that the API has refused: its own time has come, or the user
   * asks.
   */
  | { readonly do: 'call'; readonly lane: Lane; readonly probe: boolean }
  | { readonly do: 'nothing'; readonly at?: number }
  /**
   * The time on record lies further off than its class allows, because a clock jumped; `at` is
   * where it belongs.
   */
  | { readonly do: 'reschedule'; readonly at: number };

/** What is known about an object's key besides its status. */
export interface CallFacts extends SecretFacts {
  /** The limiter holds a slot for the object; absent: no. */
  readonly hasSlot?: boolean;
}

interface Asked {
  /** What the API last confirmed is what is declared. */
  readonly confirmed: boolean;
  /** Absent: nothing is sent again for its own sake. */
  readonly reassertMs?: number | undefined;
  readonly now: number;
}

interface TriedStatus extends CommonStatus {
  readonly applied?: { readonly time: string } | undefined;
}

const NOW: Due = { do: 'call', lane: 'scheduled', probe: false };
const PROBE: Due = { do: 'call', lane: 'scheduled', probe: true };
const FOR_USER: Due = { do: 'call', lane: 'user', probe: false };

/**
 * The rule of when something is sent. Everything that could be a reason not to (suspend, conflict,
 * Plan) comes before.
 */
export function whenDue(object: KubeObject, facts: CallFacts, asked: Asked): Due {
  const { now } = asked;
  const status: TriedStatus = object.status ?? {};
  const ready = currentReady(object, status);
  if (!ready) return FOR_USER;
  if (isRequested(object)) return { do: 'call', lane: 'user', probe: true };
  if (ready.reason === 'Applied' || ready.reason === 'Fetched')
    return asked.confirmed ? nextAssertion(object, status, asked) : NOW;
  if (
    !isFailure(ready.reason) ||
    ready.reason === 'TargetConflict' ||
    ready.reason === 'SpecInvalid'
  )
    return NOW;
  if (status.nextAttemptTime === undefined) return NOW;
  const at = Date.parse(status.nextAttemptTime);
  if (at <= now) return PROBE;
  // A slot before the time on record means that the circuit breaker has closed: the key has worked
  // for another object.
  if (ready.reason === 'Unauthorized' && facts.hasSlot) return NOW;
  if (secretChanged(object, facts)) return NOW;
  if (at <= wholeSecond(now + longestWait(ready.reason))) return { do: 'nothing', at };
  const wait = nextWait(ready.reason, status.attempts ?? 1, object.metadata.uid);
  return { do: 'reschedule', at: now + wait };
}

/** `spec.reassertInterval` in milliseconds; undefined: never. */
export function reassertMsOf({
  reassertInterval,
}: {
  readonly reassertInterval?: string | undefined;
}): number | undefined {
  return reassertInterval === undefined ? undefined : parseDuration(reassertInterval);
}

/**
 * When the declared state is sent again to undo changes made elsewhere; spread so that objects made
 * together part.
 */
function assertionTime(appliedMs: number, reassertMs: number, uid: string): number {
  return appliedMs + reassertMs + spread(uid, reassertMs / 10);
}

/** When what was confirmed at this time is sent again, by the spec; a whole second. */
export function nextAssertionAt(
  { metadata }: KubeObject,
  spec: Parameters<typeof reassertMsOf>[0],
  appliedMs: number,
): number | undefined {
  const reassertMs = reassertMsOf(spec);
  return reassertMs === undefined
    ? undefined
    : wholeSecond(assertionTime(appliedMs, reassertMs, metadata.uid));
}

function nextAssertion(
  { metadata: { uid } }: KubeObject,
  { applied, nextAttemptTime }: TriedStatus,
  { reassertMs, now }: Asked,
): Due {
  if (reassertMs === undefined || !applied) return { do: 'nothing' };
  const at =
    nextAttemptTime === undefined
      ? assertionTime(Date.parse(applied.time), reassertMs, uid)
      : Date.parse(nextAttemptTime);
  if (at <= now) return PROBE;
  const latest = assertionTime(now, reassertMs, uid);
  return at > wholeSecond(latest) ? { do: 'reschedule', at: latest } : { do: 'nothing', at };
}

/**
 * Whether the Secret has become another one since the attempt that failed for want of a good key.
 */
export function secretChanged(object: KubeObject, { secret, triedSecret }: SecretFacts): boolean {
  const status: CommonStatus = object.status ?? {};
  const ready = currentReady(object, status);
  if (!ready || secret.state === 'unknown') return false;
  switch (ready.reason) {
    case 'SecretNotFound':
      return secret.state !== 'absent';
    case 'SecretForbidden':
      return secret.state !== 'forbidden';
    case 'SecretInvalid':
    case 'Unauthorized':
    case 'Forbidden': {
      const triedAt = Math.max(
        Date.parse(ready.lastTransitionTime),
        Date.parse(status.lastRequest?.time ?? '') || 0,
      );
      return secret.state !== 'present' || isNewSecret(secret, { triedSecret, triedAt });
    }
    default:
      return false;
  }
}

/**
 * Whether there is a newer version of the Secret than the one that was tried. Where this process
 * has tried none, or the watch shows an older one than was tried (it is behind, or the cluster was
 * restored): whether it was written after the last attempt.
 */
export function isNewSecret(
  secret: SecretState,
  { triedSecret, triedAt }: { readonly triedSecret: string | undefined; readonly triedAt: number },
): boolean {
  if (secret.state !== 'present') return false;
  const age = compareVersions(secret.resourceVersion, triedSecret ?? '');
  if (triedSecret !== undefined && age >= 0) return age > 0;
  return secret.changedAt !== undefined && secret.changedAt > triedAt;
}
