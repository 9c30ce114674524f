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

export interface Caller<T extends KubeObject> {
  /**
   * Waits for the first permit, hands the calls to `act`, and gives everything back at its end.
   * `none`: why there is no permit.
   */
  perform<Made>(
    object: T,
    context: Context<T>,
    wish: Wish,
    act: (calls: Calls, none: NoCall | undefined) => Promise<Made>,
  ): Promise<Made>;
  factsOf(object: T): CallFacts;
  /** Keeps the key of an object with a finalizer of ours for its cleanup. */
  remember(object: T): Promise<void>;
  /** At the end of every reconcile: who did not ask in it loses its place in line. */
  reconciled(key: string): void;
  /** The object is gone. */
  forget(key: string): void;
}

/** Makes the calls of one kind. `targetOf` undefined: its objects do not disturb one another. */
export function createCaller<T extends KubeObject>(
  kind: string,
  context: KindContext,
  targetOf: (object: T) => string | undefined,
): Caller<T> {
  const { limiter, secrets, enqueue } = context;
  const remembered = new Remembered(context);
  const tried = new Map<string, { readonly name: string; readonly version: string }>();
  const targets = new Targets((id) => enqueue(id, 'user'));
  const idOf = (object: T): string => queueKey(kind, keyOf(object));
  return {
    perform: async (object, attempt, wish, act) => {
      const { name } = wish.ref;
      const calls = new OneAttempt({
        ...context,
        id: idOf(object),
        target: targetOf(object),
        targets,
        context: attempt,
        wish,
        remembered,
        onTried: (version) => void tried.set(keyOf(object), { name, version }),
      });
      try {
        return await act(calls, await calls.permit());
      } finally {
        calls.end();
      }
    },
    factsOf: (object) => {
      const name = secretRefOf(object)?.name;
      const last = tried.get(keyOf(object));
      return {
        secret:
          name === undefined
            ? { state: 'unknown' }
            : secrets.state(object.metadata.namespace, name),
        triedSecret: last?.name === name ? last?.version : undefined,
        hasSlot: limiter.hasSlot(idOf(object)),
      };
    },
    remember: (object) => remembered.refresh(object),
    reconciled: (key) => limiter.release(queueKey(kind, key)),
    forget: (key) => {
      limiter.forget(queueKey(kind, key));
      tried.delete(key);
      remembered.forget(key);
    },
  };
}
