import { type KubeObject, keyOf } from '../kube/resource.ts';
import type { Secrets } from '../kube/secrets.ts';
import { type Origin, Store } from '../kube/store.ts';
import type { Lane } from '../runtime/queue.ts';
import { type CommonStatus, generationOf, usedAnnotations } from './common-status.ts';
import { secretNameOf } from './credentials.ts';

export interface KindStoreOptions<T extends KubeObject> {
  /** Wants a pass for the object with this store key. */
  readonly enqueue: (key: string, lane: Lane) => void;
  readonly secrets: Pick<Secrets, 'refer' | 'release'>;
  /** The name under which this kind's objects refer to Secrets. */
  readonly ownerOf: (key: string) => string;
  /** What an object stands for at the API; objects with the same one are rivals. */
  readonly targetOf: (object: KubeObject) => string | undefined;
  /** Whether this change of an object matters to its rivals; absent: only its end does. */
  readonly rivalsSee?: (now: T, before: T) => boolean;
}

/**
 * The store of one kind, and the rules of who is visited when something in it changes: the object itself, and when an
 * object goes, those that waited for its target. Also keeps the references to Secrets.
 */
export function createKindStore<T extends KubeObject>(options: KindStoreOptions<T>): Store<T> {
  const store = new Store<T>({
    trim,
    indexes: { target: options.targetOf, secret: secretKeyOf },
    onChange: (key, now, before, origin) => {
      options.enqueue(key, now ? laneFor(now, origin) : 'user');
      if (!now) {
        options.secrets.release(options.ownerOf(key));
        for (const rival of rivalsOf(before)) options.enqueue(keyOf(rival), 'user');
        return;
      }
      if (before && options.rivalsSee?.(now, before)) {
        for (const rival of rivalsOf(now)) if (rival !== now) options.enqueue(keyOf(rival), 'user');
      }
      const name = secretNameOf(now);
      if (name === undefined) options.secrets.release(options.ownerOf(key));
      else options.secrets.refer(options.ownerOf(key), now.metadata.namespace, name);
    },
  });
  const rivalsOf = (object: T | undefined): T[] => {
    const target = object && options.targetOf(object);
    return target === undefined ? [] : store.byIndex('target', target);
  };
  return store;
}

/** `namespace/name` of the Secret that an object refers to; the index `secret`. */
function secretKeyOf(object: KubeObject): string | undefined {
  const name = secretNameOf(object);
  return name === undefined ? undefined : `${object.metadata.namespace}/${name}`;
}

/** After a restart, what changed while nobody looked goes ahead of what did not. */
function laneFor(object: KubeObject, origin: Origin): Lane {
  const status = object.status as CommonStatus | undefined;
  return origin === 'list' && status?.observedGeneration === generationOf(object) ? 'scheduled' : 'user';
}

/** What passes use of an object. Ten thousand of these stand in memory. */
function trim<T extends KubeObject>(object: T): T {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = object.metadata;
  const annotations = usedAnnotations(object);
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      creationTimestamp,
      ...(generation !== undefined && { generation }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(annotations && { annotations }),
      ...(object.metadata.finalizers && { finalizers: object.metadata.finalizers }),
    },
    spec: object.spec,
    status: object.status,
  } as T;
}
