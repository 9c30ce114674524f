import { spread } from '../../backoff.ts';
import type { Condition } from '../../controller/conditions.ts';
import type { Lane } from '../../controller/queue.ts';
import { compareVersions } from '../../kube/resource.ts';
import type { SecretState } from '../../kube/secrets/secret-state.ts';
import { wholeSecond } from './canonical.ts';
import { isFailure, longestWait, nextWait } from './failures.ts';

/** Whether an object's declared state is to be sent, and if not, when to look again. */
export type Due =
  /**
   * `probe`: it may try a credential that the API has refused: its own time has come, or the user
   * asks.
   */
  | { readonly due: true; readonly lane: Lane; readonly probe: boolean }
  | { readonly due: false; readonly at?: number }
  /**
   * The time on record lies further off than its class allows, because a clock jumped; `at` is
   * where it belongs.
   */
  | { readonly due: 'reschedule'; readonly at: number };

/** The part of a status that says what was tried and when to try again. */
export interface TriedStatus {
  readonly observedGeneration?: number | undefined;
  readonly conditions?: readonly Condition[] | undefined;
  readonly attempts?: number | undefined;
  readonly nextAttemptTime?: string | undefined;
  readonly lastHandledReconcileAt?: string | undefined;
  readonly lastRequest?: { readonly time: string } | undefined;
  readonly applied?: { readonly time: string } | undefined;
}

export interface DueQuestion {
  readonly generation: number;
  readonly uid: string;
  readonly status: TriedStatus | undefined;
  /** The value of the one-shot annotation, cut; undefined where there is none. */
  readonly requested: string | undefined;
  /** What the API last confirmed is what is declared. */
  readonly confirmed: boolean;
  readonly reassertMs: number | undefined;
  readonly secret: SecretState;
  /** The Secret's version that the last attempt in this process used. */
  readonly triedSecret: string | undefined;
  /** The limiter holds a slot for the object; absent: no. */
  readonly hasSlot?: boolean | undefined;
  readonly now: number;
}

const NOW: Due = { due: true, lane: 'scheduled', probe: false };
const PROBE: Due = { due: true, lane: 'scheduled', probe: true };
const FOR_USER: Due = { due: true, lane: 'user', probe: false };

/**
 * The rule of when something is sent. Everything that could be a reason not to (suspend, conflict,
 * Plan) comes before.
 */
export function whenDue(question: DueQuestion): Due {
  const { status, now } = question;
  const ready = status?.conditions?.find((condition) => condition.type === 'Ready');
  if (!ready || ready.observedGeneration !== question.generation) return FOR_USER;
  if (question.requested !== undefined && question.requested !== status?.lastHandledReconcileAt) {
    return { due: true, lane: 'user', probe: true };
  }
  if (ready.reason === 'Applied') return question.confirmed ? nextAssertion(question) : NOW;
  if (
    !isFailure(ready.reason) ||
    ready.reason === 'TargetConflict' ||
    ready.reason === 'SpecInvalid'
  )
    return NOW;
  if (status?.nextAttemptTime === undefined) return NOW;
  const at = Date.parse(status.nextAttemptTime);
  if (at <= now) return PROBE;
  // Nobody gets a slot before its time but those who wait for a key to work: it has worked for
  // another object.
  if (ready.reason === 'Unauthorized' && question.hasSlot) return NOW;
  if (secretChanged(ready, question)) return NOW;
  if (at <= wholeSecond(now + longestWait(ready.reason))) return { due: false, at };
  return {
    due: 'reschedule',
    at: now + nextWait(ready.reason, status.attempts ?? 1, question.uid),
  };
}

/**
 * When the declared state is sent again to undo changes made elsewhere; spread so that objects made
 * together part.
 */
export function assertionTime(appliedMs: number, reassertMs: number, uid: string): number {
  return appliedMs + reassertMs + spread(uid, reassertMs / 10);
}

function nextAssertion({ status, reassertMs, uid, now }: DueQuestion): Due {
  if (reassertMs === undefined || !status?.applied) return { due: false };
  const planned = status.nextAttemptTime;
  const at =
    planned === undefined
      ? assertionTime(Date.parse(status.applied.time), reassertMs, uid)
      : Date.parse(planned);
  if (at <= now) return PROBE;
  const latest = assertionTime(now, reassertMs, uid);
  return at > wholeSecond(latest) ? { due: 'reschedule', at: latest } : { due: false, at };
}

/**
 * Whether the Secret has become another one since the attempt that failed for want of a good key.
 */
export function secretChanged(
  ready: Condition,
  { secret, triedSecret, status }: Pick<DueQuestion, 'secret' | 'triedSecret' | 'status'>,
): boolean {
  if (secret.state === 'unknown') return false;
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
        Date.parse(status?.lastRequest?.time ?? '') || 0,
      );
      return secret.state !== 'present' || isNewSecret(secret, { triedSecret, triedAt });
    }
    default:
      return false;
  }
}

/**
 * Whether there is a newer version of the Secret than the one that was tried. In another process,
 * and where the watch is behind what was read or the cluster was restored, one that was written
 * since.
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
