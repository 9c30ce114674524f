import type { ApiRequest } from '../../api/call.ts';
import type { Permit } from '../../api/limiter.ts';
import { type Failure, judge, type Success } from '../../api/verdict.ts';
import type { Context } from '../../controller/kind.ts';
import { queueKey } from '../../controller/queue.ts';
import type { SecretRef } from '../../kube/key-pair.ts';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import { isRequested, longWaitStatus, secretRefOf } from './common-status.ts';
import type { KindContext } from './context.ts';
import type { CredentialProblem, UsableCredential } from './credentials.ts';
import type { CallFacts, Due } from './due.ts';
import { Keys } from './keys.ts';
import { Targets } from './target.ts';

/** One request of a kind; the key is added when it is sent. */
export interface CallRequest extends Pick<ApiRequest, 'operation' | 'method' | 'path' | 'body'> {
  /** Changes something: decides what a lost answer means. */
  readonly write: boolean;
  /** What the path names: 'pipe', 'organization'; ends "… not found". */
  readonly of: string;
}

/** Why there is no permit. */
export type NoCall =
  | { readonly type: 'no-credential'; readonly problem: CredentialProblem }
  /** The API has refused the key, and it is not this object's turn to try it. */
  | { readonly type: 'key-refused' }
  /** Another attempt has the target; the object is reconciled when that one ends. */
  | { readonly type: 'target-busy' }
  | { readonly type: 'not-wanted' };

/** What came of a call. `sentAt`: epoch ms of the first byte; absent: none left. */
export type Answer =
  | { readonly type: 'success'; readonly verdict: Success; readonly sentAt: number }
  | {
      readonly type: 'failure';
      readonly verdict: Failure;
      readonly sentAt?: number | undefined;
      /** How long nobody calls with the key, counted from the answer. */
      readonly pausedMs?: number | undefined;
      /** After a 401: what can be seen of the key without showing it. */
      readonly doubt?: string | undefined;
    }
  /** Not one byte left. */
  | { readonly type: 'called-off' };

/** With which key an attempt calls, and how urgently. */
export interface Wish extends Pick<Extract<Due, { type: 'now' }>, 'priority'> {
  readonly ref: SecretRef;
}

/** Makes the calls of one kind. `targetOf` undefined: its objects do not disturb one another. */
export class Caller<T extends KubeObject> {
  readonly #kind: string;
  readonly #context: KindContext;
  readonly #targetOf: (object: T) => string | undefined;
  readonly #keys: Keys;
  readonly #targets: Targets;

  constructor(kind: string, context: KindContext, targetOf: (object: T) => string | undefined) {
    this.#kind = kind;
    this.#context = context;
    this.#targetOf = targetOf;
    this.#keys = new Keys(context.readCredential);
    this.#targets = new Targets((id) => context.enqueue(id, 'user'));
  }

  /**
   * Waits for the first permit, hands the calls to `act`, and gives everything back at its end.
   * `none`: why there is no permit.
   */
  async perform<Made>(
    object: T,
    context: Context<T>,
    wish: Wish,
    act: (calls: Calls, none: NoCall | undefined) => Promise<Made>,
  ): Promise<Made> {
    const id = queueKey(this.#kind, keyOf(object));
    const target = this.#targetOf(object);
    const { api, limiter, clock } = this.#context;
    const shared = { api, limiter, clock, keys: this.#keys, targets: this.#targets };
    const calls = new OneAttempt({ ...shared, context, wish, id, target });
    try {
      return await act(calls, await calls.permit());
    } finally {
      calls.end();
    }
  }

  factsOf(object: T): CallFacts {
    const { secrets, limiter } = this.#context;
    const name = secretRefOf(object)?.name;
    return {
      secret: name ? secrets.state(`${object.metadata.namespace}/${name}`) : { state: 'unknown' },
      triedSecret: this.#keys.triedVersion(object),
      isHeld: limiter.refusedKeys.isHeld(queueKey(this.#kind, keyOf(object))),
    };
  }

  /** Keeps the key of an object with a finalizer of ours for its cleanup. */
  remember(object: T): Promise<void> {
    return this.#keys.remember(object);
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#context.limiter.forget(queueKey(this.#kind, key));
    this.#keys.forget(key);
  }
}

interface CallsOptions extends Pick<KindContext, 'api' | 'limiter' | 'clock'> {
  /** The queue key of the object. */
  readonly id: string;
  readonly target: string | undefined;
  readonly targets: Targets;
  readonly context: Context;
  readonly wish: Wish;
  readonly keys: Keys;
}

export type Calls = Pick<OneAttempt, 'permit' | 'send' | 'pausedSince' | 'end'>;

/** The calls of one attempt, from its first permit to its end. */
class OneAttempt {
  readonly #with: CallsOptions;
  #granted: { readonly permit: Permit; readonly read: UsableCredential } | undefined;
  /** Of the last call or permit. */
  #credential: string | undefined;
  #hasTarget = false;

  constructor(options: CallsOptions) {
    this.#with = options;
  }

  /**
   * Waits for its turn, holding nothing, as long as it is wanted. The first one then takes the
   * target; later ones go ahead of all that wait. Undefined: granted, or in hand already.
   */
  async permit(): Promise<NoCall | undefined> {
    const { id, context, wish, limiter, keys, target, targets } = this.#with;
    if (this.#granted) return undefined;
    let key = { type: 'not-wanted' } as UsableCredential | NoCall;
    const permit = await limiter.permit({
      id,
      wish: async () => {
        key = await this.#readKey();
        if ('type' in key) return undefined;
        return { credential: key.credential.id, mayTry: this.#mayTry(key) };
      },
      urgency: this.#credential === undefined ? wish.priority : 'later',
      onUnwanted: (end) => context.onUnwanted(end),
      parked: (wait) => context.parked(wait),
      async onLongWait(ahead) {
        const status = longWaitStatus(context.object(), ahead, context.now());
        return status === undefined || context.save(status);
      },
    });
    if ('type' in key) return key;
    if (permit === 'key-refused') keys.tried(context.object(), wish.ref, key);
    if (typeof permit === 'string') return { type: permit };
    // In this order: who waited for a permit with the target in hand would hold up the other.
    if (target !== undefined && !this.#hasTarget && !targets.enter(target, id)) {
      permit.finish();
      return { type: 'target-busy' };
    }
    this.#hasTarget = target !== undefined;
    this.#granted = { permit, read: key };
    this.#credential = key.credential.id;
    return undefined;
  }

  async #readKey(): Promise<UsableCredential | NoCall> {
    const { context, wish, keys } = this.#with;
    const read = await keys.read(context.object(), wish.ref);
    if (!context.stillWanted()) return { type: 'not-wanted' };
    if (read.ok) return read;
    keys.tried(context.object(), wish.ref, read);
    return { type: 'no-credential', problem: read.problem };
  }

  /** Also a refused key: a person asks, or has written the Secret since it was tried. */
  #mayTry({ resourceVersion }: UsableCredential): boolean {
    const { context, keys } = this.#with;
    const object = context.object();
    const tried = keys.triedVersion(object) ?? resourceVersion;
    const isDeleted = object.metadata.deletionTimestamp !== undefined;
    return isRequested(object) || isDeleted || tried !== resourceVersion;
  }

  /**
   * With a permit in hand: one call, its result masked. `isTooLate` is asked right before the first
   * byte, as is whether it is still wanted, led and not paused.
   */
  async send(request: CallRequest, isTooLate = (): boolean => false): Promise<Answer> {
    const { api, clock, context, id, keys, wish } = this.#with;
    if (!this.#granted) throw new Error(`${id} calls without a permit`);
    const { permit, read } = this.#granted;
    const { credential } = read;
    let sentAt: number | undefined;
    const begin = (): boolean => {
      if (isTooLate() || !context.stillWanted() || !permit.begin()) return false;
      sentAt = clock.now();
      keys.tried(context.object(), wish.ref, read);
      return true;
    };
    const { operation, method, path, body } = request;
    const wire = { operation, method, path, ...(body !== undefined && { body }), begin };
    // A call may take its whole time-out, and keys must not wait for one another's.
    const reply = await context.parked(() => api.call({ ...wire, credential }));
    const pausedUntil = permit.finish(reply);
    this.#granted = undefined;
    if (!reply.answered && reply.calledOff) return { type: 'called-off' };
    const verdict = judge(reply, request);
    if (!verdict.ok) {
      const pausedMs = pausedUntil === undefined ? undefined : pausedUntil - clock.monotonic();
      const isUnauthorized = verdict.failure === 'Unauthorized';
      if (isUnauthorized) await keys.readAnew(context.object(), wish.ref);
      const doubt = isUnauthorized ? read.doubt : undefined;
      return { type: 'failure', verdict, sentAt, pausedMs, doubt };
    }
    return { type: 'success', verdict, sentAt: sentAt ?? clock.now() };
  }

  /** Whether the key was paused since this time (epoch ms), whatever object brought it about. */
  pausedSince(time: number): boolean {
    return this.#with.limiter.pausedSince(this.#credential ?? '', time);
  }

  /** Gives back the target and an unused permit. */
  end(): void {
    const { targets, target } = this.#with;
    this.#granted?.permit.finish();
    this.#granted = undefined;
    if (this.#hasTarget && target !== undefined) targets.leave(target);
    this.#hasTarget = false;
  }
}
