import type { ApiClient, ApiRequest, Objection, Reply } from '../../api/http/client.ts';
import type { CallWish, Permit, RateLimiter } from '../../api/limiter/contract.ts';
import { type Failure, judge, type Success, type Verdict } from '../../api/reply/verdict.ts';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { TriedSecret } from '../status/tried-secret.ts';
import type { Locks } from '../target/locks.ts';
import type { Unrecorded } from '../target/unrecorded.ts';
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
   * brings the next reconcile.
   */
  | { readonly got: 'called-off' }
  /** HTTP 200 with a result. `secretVersion`: the Secret that the call was made with. */
  | ({
      readonly got: 'success';
      readonly verdict: Success;
      readonly secretVersion: string;
    } & Times)
  /** `pausedMs`: how long the credential is paused for everybody, counted from the reply. */
  | ({ readonly got: 'failure'; readonly verdict: Failure; readonly pausedMs?: number } & Times);

interface Times {
  /** Monotonic ms at which the first byte of the call left; absent: none did. */
  readonly leftAt?: number;
}

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

/** What calls are made with. */
export interface Calls {
  readonly api: Pick<ApiClient, 'call'>;
  readonly limiter: RateLimiter;
  readonly readCredential: ReadCredential;
  readonly hasWorked: (object: KubeObject, secretVersion: string) => boolean;
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

/** What came of wanting a slot without a call yet. */
export type Reservation =
  | Extract<Attempt, { got: 'no-credential' | 'no-slot' | 'circuit-open' }>
  | { readonly got: 'slot' };

export interface SlotWish extends Pick<CallWish, 'target' | 'lane' | 'probe' | 'goesOn'> {
  readonly object: KubeObject;
  readonly ref: SecretRef;
}

/** One request of a kind; the attempt adds the key. */
export type CallRequest = Pick<ApiRequest, 'operation' | 'method' | 'path' | 'body'>;

export interface Wish extends SlotWish {
  /** Whether the call changes something: decides what a lost answer means. */
  readonly write: boolean;
  /** What the path names, in lower case; ends "… not found" and "The … is being changed". */
  readonly of: string;
  /**
   * Whether a success shows what was sent; where it does not, what it did may be yet to come.
   * Absent: each one does.
   */
  readonly isShown?: (result: Success['result']) => boolean;
  readonly request: CallRequest;
  /** Asked right before the first byte leaves, for what has waited too long by then. */
  readonly isTooLate?: () => boolean;
  /** Told at that moment, in monotonic ms. */
  readonly onLeave?: (leftAt: number) => void;
}

type CredentialFor = Extract<CredentialRead, { ok: true }>;

/** Makes sure that a call can follow at once, for a reconcile that must write something first. */
export async function reserve(wish: SlotWish, using: Calls): Promise<Reservation> {
  const read = await credentialFor(wish, using);
  if ('got' in read) return read;
  const answer = using.limiter.reserve(callWish(wish, read, using));
  if ('wait' in answer) return { got: 'no-slot' };
  return { got: 'circuitOpen' in answer ? 'circuit-open' : 'slot' };
}

async function credentialFor(
  { object, ref }: SlotWish,
  using: Calls,
): Promise<CredentialFor | Extract<Attempt, { got: 'no-credential' }>> {
  const read = await using.readCredential(object.metadata.namespace, ref);
  if (read.ok) return read;
  const { resourceVersion } = read;
  if (resourceVersion !== undefined)
    using.memory.triedSecret.set(keyOf(object), { name: ref.name, resourceVersion });
  return { got: 'no-credential', problem: read.problem };
}

function callWish(wish: SlotWish, read: CredentialFor, using: Calls): CallWish {
  const { object, target, lane, probe = false, goesOn = false } = wish;
  return {
    credential: read.credential.id,
    key: using.limiterKey(keyOf(object)),
    tenant: object.metadata.namespace,
    isProven: using.hasWorked(object, read.resourceVersion),
    target,
    lane,
    probe,
    goesOn,
  };
}

/** Reads the credential, asks for a slot, makes at most one call, and never waits for a slot. */
export async function attempt(wish: Wish, using: Calls): Promise<Attempt> {
  const read = await credentialFor(wish, using);
  if ('got' in read) return read;
  const answer = using.limiter.tryStart(callWish(wish, read, using));
  if ('wait' in answer) return { got: 'no-slot' };
  if ('circuitOpen' in answer) return { got: 'circuit-open' };
  const { start } = answer;
  let times: Times = {};
  const begin = (): Objection | undefined => {
    const objection = objectionTo(wish, start, using);
    if (objection) return objection;
    noteBegun(wish, using);
    const leftAt = using.monotonic();
    times = { leftAt };
    wish.onLeave?.(leftAt);
    return undefined;
  };
  const { reply, pausedUntil } = await spend(start, () =>
    using.api.call({ ...wish.request, credential: read.credential, begin }),
  );
  if (!reply.answered && reply.aborted) return { got: 'called-off' };
  const verdict = judge(reply, { write: wish.write, of: wish.of });
  noteAnswered(wish, read, verdict, using);
  if (!verdict.ok) {
    const pausedMs = pausedUntil === undefined ? undefined : pausedUntil - using.monotonic();
    return { got: 'failure', verdict, ...times, ...(pausedMs !== undefined && { pausedMs }) };
  }
  const mask = maskFor(wish.object, (text) => read.credential.mask(text));
  const result = maskTexts(verdict.result, mask);
  const secretVersion = read.resourceVersion;
  return { got: 'success', verdict: { ...verdict, result }, secretVersion, ...times };
}

/** Asked right before the first byte leaves; where there is no objection the slot is taken. */
function objectionTo(
  { object, target, isTooLate }: Wish,
  start: Permit,
  using: Calls,
): Objection | undefined {
  if (isTooLate?.() || !using.stillWanted(object)) return 'not-wanted';
  const isLocked = using.locks.remainingMs(target, object.metadata.uid) !== undefined;
  return isLocked || !start.begin() ? 'not-permitted' : undefined;
}

function noteBegun({ object, target, write }: Wish, using: Calls): void {
  const key = keyOf(object);
  const { uid } = object.metadata;
  const { openCalls, unrecorded } = using.memory;
  const before = openCalls.get(key);
  // Nobody knows what the earlier call of this object did, and the answer to this one will not tell
  // it: its lock runs for its full time.
  if (before?.isUnknown) using.locks.end(before.target, before.uid, { ...before, isTold: false });
  openCalls.set(key, { target, uid, isUnknown: write });
  unrecorded.begins({ key, target, uid, isWrite: write });
  using.locks.begin(target, uid);
}

function noteAnswered(wish: Wish, read: CredentialFor, verdict: Verdict, using: Calls): void {
  const { object, target, ref, write, isShown } = wish;
  const { openCalls, triedSecret, unrecorded } = using.memory;
  const key = keyOf(object);
  triedSecret.set(key, { name: ref.name, resourceVersion: read.resourceVersion });
  const isTold = verdict.ok ? isShown?.(verdict.result) !== false : verdict.outcome !== 'Unknown';
  openCalls.set(key, { target, uid: object.metadata.uid, isUnknown: write && !isTold });
  if (!verdict.ok) unrecorded.failed(key);
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
