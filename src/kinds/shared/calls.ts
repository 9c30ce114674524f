import type { Context } from '../../controller/kind.ts';
import { queueKey } from '../../controller/queue.ts';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { KindContext } from './context.ts';
import type { Calls, NoCall, Wish } from './contract.ts';
import type { CallFacts } from './due.ts';
import { OneAttempt } from './one-attempt.ts';
import { Remembered, secretRefOf } from './remembered.ts';
import { Targets } from './target.ts';

export type { Answer, CallRequest, Calls, NoCall, Wish } from './contract.ts';

/** Makes the calls of one kind. `targetOf` undefined: its objects do not disturb one another. */
export class Caller<T extends KubeObject> {
  readonly #kind: string;
  readonly #context: KindContext;
  readonly #targetOf: (object: T) => string | undefined;
  readonly #remembered: Remembered;
  readonly #targets: Targets;
  /** The version of which Secret each object was last tried with. */
  readonly #tried = new Map<string, { readonly name: string; readonly version: string }>();

  constructor(kind: string, context: KindContext, targetOf: (object: T) => string | undefined) {
    this.#kind = kind;
    this.#context = context;
    this.#targetOf = targetOf;
    this.#remembered = new Remembered(context.readCredential);
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
    const { name } = wish.ref;
    const calls = new OneAttempt({
      ...this.#context,
      context,
      wish,
      remembered: this.#remembered,
      targets: this.#targets,
      id: queueKey(this.#kind, keyOf(object)),
      target: this.#targetOf(object),
      onTried: (version) => void this.#tried.set(keyOf(object), { name, version }),
    });
    try {
      return await act(calls, await calls.permit());
    } finally {
      calls.end();
    }
  }

  /** `hasPermit`: this attempt has one in hand. */
  factsOf(object: T, hasPermit = false): CallFacts {
    const { secrets, limiter } = this.#context;
    const name = secretRefOf(object)?.name;
    const last = this.#tried.get(keyOf(object));
    return {
      secret: name ? secrets.state(object.metadata.namespace, name) : { state: 'unknown' },
      triedSecret: last?.name === name ? last?.version : undefined,
      hasSlot: hasPermit || limiter.hasSlot(queueKey(this.#kind, keyOf(object))),
    };
  }

  /** Keeps the key of an object with a finalizer of ours for its cleanup. */
  remember(object: T): Promise<void> {
    return this.#remembered.refresh(object);
  }

  /** At the end of every reconcile: who did not ask in it loses its place in line. */
  reconciled(key: string): void {
    this.#context.limiter.release(queueKey(this.#kind, key));
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#context.limiter.forget(queueKey(this.#kind, key));
    this.#tried.delete(key);
    this.#remembered.forget(key);
  }
}
