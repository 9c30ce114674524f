import type { KubeObject } from '../../kube/resource.ts';
import { AT_WORK_AFTER_TIMEOUT_MS } from '../../waits.ts';
import { canonicalJson } from '../status/canonical.ts';
import type { CommonStatus } from '../status/common-status.ts';

/**
 * What one object keeps the others of its target waiting for, and until when at most, by the
 * monotonic clock.
 */
interface Lock {
  /** A call of this process is under way, or no status tells of its answer yet. */
  readonly call?: number | undefined;
  /** A write may still be at work whose answer did not come. */
  readonly unknown?: number | undefined;
  /** Its status says what is about to be sent. */
  readonly intent?: number | undefined;
}

export interface LocksOptions {
  readonly monotonic: () => number;
  /** `--api-timeout`. */
  readonly apiTimeoutMs: number;
  /** Somebody else may call for this target again. */
  readonly onFree: (target: string, uid: string) => void;
}

/**
 * Who has to be waited for before another object calls for the same target. An object holds the
 * others back also when it is gone. What another process sent counts from when this one first saw
 * it.
 */
export class Locks {
  readonly #options: LocksOptions;
  /** How long after it was sent a write may be at work at the API. */
  readonly atWorkMs: number;
  /**
   * By target, then uid. The targets stand in the order in which their last lock ends, because all
   * last equally long.
   */
  readonly #targets = new Map<string, Map<string, Lock>>();

  constructor(options: LocksOptions) {
    this.#options = options;
    this.atWorkMs = options.apiTimeoutMs + AT_WORK_AFTER_TIMEOUT_MS;
  }

  /** The first byte of a call for this object is about to leave. */
  begin(target: string, uid: string): void {
    this.#put(target, uid, { ...this.#of(target, uid), call: this.#settledAt() });
  }

  /**
   * The call is over and its status written, or its object gone. `isTold`: what the status says now
   * is of this call.
   */
  end(
    target: string,
    uid: string,
    how: { readonly isUnknown: boolean; readonly isTold: boolean },
  ): void {
    const { call = 0, unknown: seen = 0, ...lock } = this.#of(target, uid);
    const own = how.isUnknown ? call : 0;
    this.#put(target, uid, {
      ...lock,
      unknown: how.isUnknown && how.isTold ? own : Math.max(own, seen),
    });
  }

  /** Another version of an object; `before`: the one it replaces. */
  see(target: string, now: KubeObject, before: KubeObject | undefined): void {
    const { uid } = now.metadata;
    const lock = this.#of(target, uid);
    const intent = intentOf(now);
    if (intent !== intentOf(before)) {
      this.#put(target, uid, {
        ...lock,
        intent: intent === undefined ? undefined : this.#settledAt(),
      });
    }
    const unknown = unknownOf(now);
    if (unknown === undefined || unknown === unknownOf(before)) return;
    // Our own counts from when it was sent: `end` puts that right.
    this.#put(target, uid, { ...this.#of(target, uid), unknown: this.#settledAt() });
  }

  /** For how many milliseconds this object must not call; undefined: it may. */
  remainingMs(target: string, uid: string): number | undefined {
    const now = this.#options.monotonic();
    const others = [...(this.#targets.get(target) ?? [])].filter(([other]) => other !== uid);
    const until = Math.max(now, ...others.map(([, lock]) => endOf(lock)));
    return until > now ? Math.ceil(until - now) : undefined;
  }

  #settledAt(): number {
    return this.#options.monotonic() + this.atWorkMs;
  }

  /** What still stands of a lock. */
  #of(target: string, uid: string): Lock {
    const now = this.#options.monotonic();
    const { call, unknown, intent } = this.#targets.get(target)?.get(uid) ?? {};
    const standing = (until: number | undefined): number | undefined =>
      until !== undefined && until > now ? until : undefined;
    return { call: standing(call), unknown: standing(unknown), intent: standing(intent) };
  }

  #put(target: string, uid: string, lock: Lock): void {
    const now = this.#options.monotonic();
    for (const [old, locks] of this.#targets) {
      if ([...locks.values()].some((one) => endOf(one) > now)) break;
      this.#targets.delete(old);
    }
    const before = this.#targets.get(target) ?? new Map<string, Lock>();
    const isFree = endOf(lock) <= now;
    const locks = new Map(before);
    if (isFree) locks.delete(uid);
    else locks.set(uid, lock);
    this.#targets.delete(target);
    if (locks.size > 0) this.#targets.set(target, locks);
    if (isFree && before.has(uid)) this.#options.onFree(target, uid);
  }
}

function endOf({ call = 0, unknown = 0, intent = 0 }: Lock): number {
  return Math.max(call, unknown, intent);
}

/** Identifies a request of unknown outcome. */
function unknownOf(object: KubeObject | undefined): string | undefined {
  const { lastRequest } = (object?.status as CommonStatus | undefined) ?? {};
  return lastRequest?.outcome === 'Unknown' ? canonicalJson(lastRequest) : undefined;
}

/** Identifies what is about to be sent. */
function intentOf(object: KubeObject | undefined): string | undefined {
  const { pendingChange } =
    (object?.status as { readonly pendingChange?: object } | undefined) ?? {};
  return pendingChange && canonicalJson(pendingChange);
}
