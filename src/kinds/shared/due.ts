import { spread } from '../../backoff.ts';
import type { Priority } from '../../controller/queue.ts';
import { parseDuration } from '../../duration.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { SecretState } from '../../kube/secrets.ts';
import type { WriteStatus } from '../schema/status-fields.ts';
import { wholeSecond } from './canonical.ts';
import { type CommonStatus, currentReady, isRequested } from './common-status.ts';
import { isFailure, longestWait } from './failures.ts';

/** Whether an attempt is to be made now, and if not, when to look again. */
export type Due =
  | { readonly type: 'now'; readonly priority: Priority }
  | { readonly type: 'later'; readonly at?: number | undefined };

/** What is known about an object's key besides its status. */
export interface CallFacts {
  /** The Secret that the object refers to. */
  readonly secret: SecretState;
  /** The version of this Secret that this process last tried for the object. */
  readonly triedSecret: string | undefined;
  /** Its key was refused, and the limiter has not woken it since. */
  readonly isHeld: boolean;
}

interface Asked {
  /** What the API last confirmed is what is declared. */
  readonly confirmed: boolean;
  /** Absent: nothing is sent again for its own sake. */
  readonly reassertInterval?: string | undefined;
  readonly now: number;
}

const NOW: Due = { type: 'now', priority: 'scheduled' };
const ASKED: Due = { type: 'now', priority: 'user' };

/** When something is sent. All that could be a reason not to (suspend, Plan) comes before. */
export function whenDue(object: KubeObject, facts: CallFacts, asked: Asked): Due {
  const { nextAttemptTime }: CommonStatus = object.status ?? {};
  const ready = currentReady(object);
  if (!ready || isRequested(object)) return ASKED;
  if (ready.reason === 'Applied' || ready.reason === 'Fetched')
    return asked.confirmed ? whenReasserted(object, asked) : NOW;
  // What else kept it back before is over: this is asked after all that could.
  if (!isFailure(ready.reason) || ready.reason === 'TargetConflict') return NOW;
  // One that was held back with the refused key of another object asks for its turn.
  if (nextAttemptTime === undefined) return NOW;
  const at = Date.parse(nextAttemptTime);
  // The limiter alone decides who tries a refused key.
  if (at <= asked.now || (ready.reason === 'Unauthorized' && !facts.isHeld)) return NOW;
  if (isSecretNew(ready.reason, facts)) return NOW;
  // A time further off was written by a clock that jumped.
  return { type: 'later', at: Math.min(at, wholeSecond(asked.now + longestWait(ready.reason))) };
}

/** Mended by another Secret: a key of another organization is often answered with 404. */
const OF_SECRET = ['SecretInvalid', 'Unauthorized', 'Rejected', 'Forbidden', 'NotFound'];

/**
 * Whether another Secret may be what mends it, so that it is looked at again and again: it is
 * missing, unusable or refused, or the API answered with 400, 403 or 404.
 */
export function waitsForSecret(object: KubeObject): boolean {
  const ready = currentReady(object);
  const { lastRequest }: CommonStatus = object.status ?? {};
  if (ready?.reason === 'Rejected') return lastRequest?.httpStatus === 400;
  return ['SecretNotFound', 'SecretForbidden', ...OF_SECRET].includes(ready?.reason ?? '');
}

/** Whether the attempt that failed may not fail with the Secret as it is now. */
function isSecretNew(reason: string, { secret, triedSecret }: CallFacts): boolean {
  if (secret.state === 'unknown') return false;
  if (reason === 'SecretNotFound') return secret.state !== 'absent';
  if (reason === 'SecretForbidden') return secret.state !== 'forbidden';
  // That it is gone, or may not be read any more, is said at once.
  if (secret.state !== 'present') return ['Unauthorized', 'SecretInvalid'].includes(reason);
  // A process that has just started does not know with which one it failed.
  return triedSecret === undefined
    ? OF_SECRET.includes(reason)
    : triedSecret !== secret.resourceVersion;
}

/**
 * When what was confirmed at this time is sent again to undo changes made elsewhere, if ever;
 * spread so that objects made together part.
 */
export function reassertedAt(
  { metadata }: KubeObject,
  confirmedMs: number,
  interval: string | undefined,
): number | undefined {
  const intervalMs = parseDuration(interval ?? '');
  if (intervalMs === undefined) return undefined;
  return wholeSecond(confirmedMs + intervalMs + spread(metadata.uid, intervalMs / 10));
}

function whenReasserted(object: KubeObject, { reassertInterval, now }: Asked): Due {
  const { applied }: WriteStatus = object.status ?? {};
  const at = applied && reassertedAt(object, Date.parse(applied.time), reassertInterval);
  if (at === undefined) return { type: 'later' };
  if (at <= now) return NOW;
  // A time further off was written by a clock that jumped.
  return { type: 'later', at: Math.min(at, reassertedAt(object, now, reassertInterval) ?? at) };
}
