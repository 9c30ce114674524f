import type { ApiRequest, Credential, Objection, Reply } from '../../api/http/client.ts';
import type { CallWish, Permit, RateLimiter } from '../../api/limiter/contract.ts';
import { type Failure, judge, type Success } from '../../api/reply/verdict.ts';
import { queueKey } from '../../controller/controller.ts';
import type { Recorded } from '../../controller/kind.ts';
import type { Store } from '../../kube/cache/store.ts';
import { isSameDeclaration, type KubeObject, keyOf } from '../../kube/resource.ts';
import type { TriedSecret } from '../status/tried-secret.ts';
import type { Locks } from '../target/locks.ts';
import type { Unrecorded } from '../target/unrecorded.ts';
import type { KindContext } from './context.ts';
import type {
  CredentialProblem,
  CredentialRead,
  ReadCredential,
  SecretRef,
} from './credentials.ts';
import { maskFor, maskTexts } from './masked.ts';

/** What came of wanting to make one call. */
export type Attempt =
  | { readonly got: 'no-credential'; readonly problem: CredentialProblem }
  /** No slot now: the limiter wakes the key when there is one. */
  | { readonly got: 'no-slot' }
  /** The API refused the credential before, and nobody calls with it until a probe works. */
  | { readonly got: 'circuit-open' }
  /**
   * The call was called off before a byte of it left; where its object has changed, that change
   * brings the next visit.
   */
  | { readonly got: 'called-off' }
  /** HTTP 200 with a result. `secretVersion`: the Secret that the call was made with. */
  | { readonly got: 'success'; readonly verdict: Success; readonly secretVersion: string }
  /** `pausedMs`: how long the credential is paused for everybody, counted from the reply. */
  | { readonly got: 'failure'; readonly verdict: Failure; readonly pausedMs?: number };

/**
 * What this process alone knows about objects, by store key; what survives a restart is in their
 * status.
 */
export interface Memory {
  /** Calls that have been started and of which no status tells yet. */
  readonly openCalls: Map<string, OpenCall>;
  /** What was tried since this process leads. */
  readonly triedSecret: Map<string, TriedSecret>;
  readonly unrecorded: Unrecorded;
}

interface OpenCall {
  readonly target: string;
  readonly uid: string;
  /** It was a write, and nobody can tell what it did. */
  readonly isUnknown: boolean;
}

export interface Attempting {
  readonly limiter: RateLimiter;
  readonly readCredential: ReadCredential;
  readonly memory: Memory;
  readonly locks: Locks;
  readonly monotonic: () => number;
  /** The key under which the limiter knows an object; it serves all kinds. */
  readonly limiterKey: (storeKey: string) => string;
  /**
   * Whether nobody has changed, suspended, deleted or replaced an object since it was read, nor
   * come to hold its target.
   */
  readonly stillWanted: (object: KubeObject) => boolean;
}

/** What a kind keeps for its attempts, and the housekeeping that goes with it. */
export interface KindAttempts extends Attempting {
  /** The limiter holds a slot for the object with this store key. */
  readonly hasSlot: (storeKey: string) => boolean;
  readonly recorded: (storeKey: string, how: Recorded) => void;
  readonly release: (storeKey: string, isOpen: boolean) => void;
  readonly forget: (storeKey: string) => void;
  readonly takeOver: () => void;
}

export function attemptsOf(
  kind: string,
  { limiter, readCredential, clock }: KindContext,
  {
    store,
    locks,
    unrecorded,
  }: {
    readonly store: Pick<Store<KubeObject>, 'get'>;
    readonly locks: Locks;
    readonly unrecorded: Unrecorded;
  },
): KindAttempts {
  const limiterKey = (key: string): string => queueKey(kind, key);
  const memory: Memory = { openCalls: new Map(), triedSecret: new Map(), unrecorded };
  const endCall = (key: string, isTold = false): void => {
    const call = memory.openCalls.get(key);
    if (!call) return;
    memory.openCalls.delete(key);
    locks.end(call.target, call.uid, { ...call, isTold });
  };
  return {
    limiter,
    readCredential,
    memory,
    locks,
    monotonic: () => clock.monotonic(),
    limiterKey,
    stillWanted: (object) => isSameWish(object, store.get(keyOf(object))),
    hasSlot: (key) => limiter.hasSlot(limiterKey(key)),
    recorded(key, how) {
      const isUnknown = memory.openCalls.get(key)?.isUnknown ?? false;
      // Those who are woken because it was lost find the target free.
      endCall(key, how === 'written');
      if (how === 'lost') memory.unrecorded.lost(key);
      else memory.unrecorded.told(key, isUnknown || how === 'same');
    },
    release(key, isOpen) {
      limiter.release(limiterKey(key));
      if (!isOpen) endCall(key);
    },
    forget(key) {
      limiter.forget(limiterKey(key));
      memory.triedSecret.delete(key);
      memory.unrecorded.lost(key);
    },
    takeOver() {
      // What the last attempt on record was made with is known only to the process that made it.
      memory.triedSecret.clear();
      memory.unrecorded.takeOver();
    },
  };
}

/** Suspend and mode are part of the spec. */
function isSameWish(object: KubeObject, now: KubeObject | undefined): boolean {
  return now?.metadata.uid === object.metadata.uid && isSameDeclaration(object, now);
}

/** What came of wanting a slot without a call yet. */
export type Reservation =
  | Extract<Attempt, { got: 'no-credential' | 'no-slot' | 'circuit-open' }>
  | { readonly got: 'slot' };

export interface SlotWish extends Pick<CallWish, 'target' | 'lane' | 'probe' | 'goesOn'> {
  readonly object: KubeObject;
  readonly ref: SecretRef;
}

export interface Wish extends SlotWish {
  /** Whether the call changes something: decides what a lost answer means. */
  readonly write: boolean;
  /** What the call is about, for messages: a pipe, an organization. */
  readonly of: string;
  /**
   * Whether a success shows what was sent; where it does not, what it did may be yet to come.
   * Absent: each one does.
   */
  readonly isShown?: (result: Success['result']) => boolean;
  readonly send: (
    credential: Credential,
    begin: NonNullable<ApiRequest['begin']>,
  ) => Promise<Reply>;
}

type CredentialFor = Extract<CredentialRead, { ok: true }>;

/**
 * Makes sure that a call can follow at once, for a pass that must write something down before its
 * call.
 */
export async function reserve(wish: SlotWish, using: Attempting): Promise<Reservation> {
  const read = await credentialFor(wish, using);
  if ('got' in read) return read;
  const answer = using.limiter.reserve(callWish(wish, read, using));
  if ('wait' in answer) return { got: 'no-slot' };
  return { got: 'circuitOpen' in answer ? 'circuit-open' : 'slot' };
}

async function credentialFor(
  { object, ref }: SlotWish,
  using: Attempting,
): Promise<CredentialFor | Extract<Attempt, { got: 'no-credential' }>> {
  const read = await using.readCredential(object.metadata.namespace, ref);
  if (read.ok) return read;
  const { name } = ref;
  const { resourceVersion } = read;
  if (resourceVersion !== undefined)
    using.memory.triedSecret.set(keyOf(object), { name, resourceVersion });
  return { got: 'no-credential', problem: read.problem };
}

function callWish(
  { object, target, lane, probe = false, goesOn = false }: SlotWish,
  { credential }: CredentialFor,
  using: Attempting,
): CallWish {
  return {
    credential: credential.id,
    key: using.limiterKey(keyOf(object)),
    target,
    lane,
    probe,
    goesOn,
  };
}

/** Reads the credential, asks for a slot, makes at most one call, and never waits for a slot. */
export async function attempt(wish: Wish, using: Attempting): Promise<Attempt> {
  const key = keyOf(wish.object);
  const read = await credentialFor(wish, using);
  if ('got' in read) return read;
  const answer = using.limiter.tryStart(callWish(wish, read, using));
  if ('wait' in answer) return { got: 'no-slot' };
  if ('circuitOpen' in answer) return { got: 'circuit-open' };
  const call: OpenCall = {
    target: wish.target,
    uid: wish.object.metadata.uid,
    isUnknown: wish.write,
  };
  const { start } = answer;
  const begin = (): Objection | undefined => {
    if (!using.stillWanted(wish.object)) return 'not-wanted';
    if (using.locks.remainingMs(call.target, call.uid) !== undefined || !start.begin())
      return 'not-permitted';
    const before = using.memory.openCalls.get(key);
    // No status tells of that one in between, and this one's answer says nothing of it.
    if (before?.isUnknown) using.locks.end(before.target, before.uid, { ...before, isTold: false });
    using.memory.openCalls.set(key, call);
    using.memory.unrecorded.begins({
      key,
      target: call.target,
      uid: call.uid,
      isWrite: wish.write,
    });
    using.locks.begin(call.target, call.uid);
    return undefined;
  };
  const { reply, pausedUntil } = await spend(start, () => wish.send(read.credential, begin));
  if (!reply.answered && reply.aborted) return { got: 'called-off' };
  using.memory.triedSecret.set(key, { name: wish.ref.name, resourceVersion: read.resourceVersion });
  const verdict = judge(reply, { write: wish.write, of: wish.of });
  const isTold = verdict.ok
    ? wish.isShown?.(verdict.result) !== false
    : verdict.outcome !== 'Unknown';
  using.memory.openCalls.set(key, { ...call, isUnknown: wish.write && !isTold });
  if (verdict.ok) {
    const result = maskTexts(
      verdict.result,
      maskFor(wish.object, (text) => read.credential.mask(text)),
    );
    return { got: 'success', verdict: { ...verdict, result }, secretVersion: read.resourceVersion };
  }
  using.memory.unrecorded.failed(key);
  return {
    got: 'failure',
    verdict,
    ...(pausedUntil !== undefined && { pausedMs: pausedUntil - using.monotonic() }),
  };
}

/** Gives the permit back whatever happens to the call. */
async function spend(
  permit: Permit,
  call: () => Promise<Reply>,
): Promise<{ readonly reply: Reply; readonly pausedUntil?: number }> {
  try {
    const reply = await call();
    return { reply, ...permit.finish(reply) };
  } catch (error) {
    permit.finish();
    throw error;
  }
}
