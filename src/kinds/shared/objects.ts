import type * as z from 'zod/mini';
import type { Context, Kind, Result } from '../../controller/kind.ts';
import { type Priority, queueKey } from '../../controller/queue.ts';
import { type KubeObject, keyOf, type ResourceType } from '../../kube/resource.ts';
import { type Origin, Store } from '../../kube/store.ts';
import { soundStatus } from '../schema/parser.ts';
import { Caller } from './calls.ts';
import {
  type CommonStatus,
  generationOf,
  isSameWish,
  REQUESTED_AT,
  requestedAt,
  secretRefOf,
} from './common-status.ts';
import type { KindContext } from './context.ts';
import { waitsForSecret } from './due.ts';
import { fitTo } from './fit.ts';
import { hasFinalizer } from './keys.ts';
import { isSameRival } from './target.ts';

/** What a kind is, before it does anything. */
export interface KindOptions<T extends KubeObject> {
  readonly type: ResourceType;
  /** The schema of the kind's status. */
  readonly status: z.ZodMiniType;
  /** What it stands for, also where spec is not valid; undefined: it disturbs no other object. */
  readonly targetOf: (object: T) => string | undefined;
}

/** What the reconciles of one kind share. */
export interface Shared<T extends KubeObject> {
  readonly caller: Caller<T>;
  /** The other objects for the same target. */
  readonly others: (object: T) => readonly T[];
}

/** Joins what all kinds answer the controller in the same way with what a reconcile of one does. */
export function createKind<T extends KubeObject>(
  context: KindContext,
  options: KindOptions<T>,
  reconcile: (object: T, attempt: Context<T>, shared: Shared<T>) => Promise<Result>,
): Kind {
  const { type, status, targetOf } = options;
  const { store, others } = createStore(context, options);
  const caller = new Caller<T>(type.kind, context, targetOf);
  const kind: Kind<T> = {
    type,
    store,
    reconcile: (object, attempt) => reconcile(object, attempt, { caller, others }),
    fit: (reported) => fitTo(status, reported) as object,
    forget: (key) => caller.forget(key),
  };
  // The engine gives a kind no objects but those of its own store.
  return kind as unknown as Kind;
}

/**
 * The store of one kind, and the rules of who is woken by what: an object by its own generation,
 * annotation, deletion and finalizers; the others of its target by what may change the owner; those
 * that refer to a Secret by that. A status alone wakes nobody.
 */
function createStore<T extends KubeObject>(context: KindContext, options: KindOptions<T>) {
  const { secrets, enqueue, changed, limiter, onSecretChange } = context;
  const { type, status, targetOf } = options;
  const idOf = (key: string): string => queueKey(type.kind, key);
  const sound = soundStatus(status);
  const others = (object: T): T[] => {
    const target = targetOf(object);
    const all = target === undefined ? [] : store.byIndex('target', target);
    return all.filter(({ metadata }) => metadata.uid !== object.metadata.uid);
  };
  const awaitSecret = (id: string, now: T | undefined, before: T | undefined): void => {
    secrets.awaitChange(id, now && waitsForSecret(now) ? secretKeyOf(now) : undefined);
    const former = before && secretKeyOf(before);
    if (former && former !== (now && secretKeyOf(now))) context.leaveSecret(former);
  };
  const store = new Store<T>({
    trim: (object) => trim(object, sound(object.status)),
    indexes: { target: targetOf, secret: secretKeyOf },
    onChange: (key, now, before, origin) => {
      awaitSecret(idOf(key), now, before);
      // At each list the last key of what is to be cleaned up one day is read again.
      const isKept = origin === 'list' && now && hasFinalizer(now);
      if (!now || !before || isKept || !isSameWish(now, before))
        enqueue(idOf(key), priorityOf(now, origin));
      changed(idOf(key));
      if (now && before && isSameRival(now, before)) return;
      const rivals = [now, before].flatMap((one) => (one ? others(one) : []));
      for (const id of new Set(rivals.map((one) => idOf(keyOf(one))))) enqueue(id, 'user');
    },
  });
  onSecretChange((secret) => {
    // One that waits for its turn with the old key begins anew.
    for (const object of store.byIndex('secret', secret)) {
      const id = idOf(keyOf(object));
      limiter.wake(id);
      enqueue(id, 'scheduled');
    }
  });
  return { store, others };
}

/** `namespace/name` of the Secret that an object refers to. */
function secretKeyOf(object: KubeObject): string | undefined {
  const name = secretRefOf(object)?.name;
  return name === undefined ? undefined : `${object.metadata.namespace}/${name}`;
}

/** After a restart, what changed while nobody looked goes ahead of what did not. */
function priorityOf(object: KubeObject | undefined, origin: Origin): Priority {
  const status = object?.status as CommonStatus | undefined;
  const isKnown = object && status?.observedGeneration === generationOf(object);
  return origin === 'list' && isKnown ? 'scheduled' : 'user';
}

/** What a reconcile uses of an object. Ten thousand of these stand in memory. */
function trim<T extends KubeObject>(object: T, status: object | undefined): T {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { generation, deletionTimestamp, finalizers } = object.metadata;
  const requested = requestedAt(object);
  const annotations = requested === undefined ? undefined : { [REQUESTED_AT]: requested };
  const always = { name, namespace, uid, resourceVersion, creationTimestamp };
  const metadata = { ...always, generation, deletionTimestamp, annotations, finalizers };
  return { metadata, spec: object.spec, status } as object as T;
}
