import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import { queueKey } from '../../controller/controller.ts';
import type { Lane } from '../../controller/queue.ts';
import { type Origin, Store } from '../../kube/cache/store.ts';
import { isSameDeclaration, type KubeObject, keyOf } from '../../kube/resource.ts';
import { shallowSpec, soundStatus } from '../schema/sound.ts';
import {
  type CommonStatus,
  generationOf,
  readyOf,
  usedAnnotations,
} from '../status/common-status.ts';
import { secretNameOf } from '../status/tried-secret.ts';
import { Departed } from '../target/departed.ts';
import { Locks } from '../target/locks.ts';
import type { ProvableStatus } from '../target/proof.ts';
import { Contests, callsOf } from '../target/standing.ts';
import { confirmedAgainst } from '../target/target.ts';
import { Unrecorded } from '../target/unrecorded.ts';
import type { KindContext } from './context.ts';
import { SharedText } from './shared-text.ts';

export interface KindStoreOptions<T extends KubeObject> {
  /** The kind's name. */
  readonly kind: string;
  readonly context: Pick<
    KindContext,
    'enqueue' | 'secrets' | 'onSecretChange' | 'clock' | 'apiTimeoutMs'
  >;
  /** The schema of the kind's status. */
  readonly status: z.ZodMiniType;
  /**
   * What an object stands for at the API, also where the rest of its spec is not valid; objects
   * with the same one are rivals.
   */
  readonly targetOf: (object: KubeObject) => string | undefined;
  /**
   * Another status than before has come, whoever wrote it, and whether or not its object is woken
   * for it.
   */
  readonly onStatus?: (object: T) => void;
  /** Configured namespaces that nobody has listed yet. */
  readonly unlisted?: () => readonly string[];
}

export interface KindStore<T extends KubeObject> {
  readonly store: Store<T>;
  /** Who stands for the same thing at the API as this object, which need not be among them. */
  readonly rivals: (object: T) => T[];
  readonly locks: Locks;
  readonly contests: Contests;
  readonly departed: Departed;
  readonly unrecorded: Unrecorded;
}

/**
 * The store of one kind, and the rules of who is woken when something changes: the object itself;
 * all objects of its target when it appears, goes, or changes in a way that matters to them; when a
 * Secret changes, those that refer to it. Also keeps the references to Secrets.
 */
export function createKindStore<T extends KubeObject>(options: KindStoreOptions<T>): KindStore<T> {
  const { secrets, enqueue, onSecretChange, clock, apiTimeoutMs } = options.context;
  const idOf = (key: string): string => queueKey(options.kind, key);
  const wake = (objects: readonly T[], lane: Lane): void => {
    for (const object of objects) enqueue(idOf(keyOf(object)), lane);
  };
  const wakeTarget = (target: string, but?: string): void =>
    wake(
      store.byIndex('target', target).filter((object) => keyOf(object) !== but),
      'user',
    );
  const texts = new SharedText();
  const sound = soundStatus(options.status);
  const contests = new Contests(() => clock.monotonic());
  const departed = new Departed();
  const unrecorded = new Unrecorded(wakeTarget);
  const locks = new Locks({
    monotonic: () => clock.monotonic(),
    apiTimeoutMs,
    onFree: (target, uid) =>
      wake(
        store.byIndex('target', target).filter(({ metadata }) => metadata.uid !== uid),
        'user',
      ),
  });
  const gone = (before: T): void => {
    const rivals = rivalsOf(before);
    const target = options.targetOf(before);
    if (rivals.length < 2) contests.end(target);
    const hasNotTold = (rival: T): boolean =>
      isSupersededBy(rival, before, locks.atWorkMs, clock.now());
    // One that is listed late may have been confirmed before it.
    const isUntold = rivals.some(hasNotTold) || (options.unlisted?.() ?? []).length > 0;
    if (target !== undefined && isUntold)
      departed.leaves(target, before.metadata.uid, callsOf(before));
    wake(rivals, 'user');
  };
  const store = new Store<T>({
    trim: (object, written) => {
      // What we have written is sound, and need not be read by its schema.
      const isOurs = written !== undefined && isDeepStrictEqual(object.status, written);
      const trimmed = trim(object, isOurs ? (object.status as object) : sound(object.status));
      texts.share(trimmed);
      return trimmed;
    },
    indexes: { target: options.targetOf, secret: secretKeyOf },
    onChange: (key, now, before, origin) => {
      if (origin !== 'own-write') enqueue(idOf(key), now ? laneFor(now, origin) : 'user');
      if (!now) {
        secrets.release(idOf(key));
        if (before) gone(before);
        return;
      }
      if (!before || !isDeepStrictEqual(now.status, before.status)) options.onStatus?.(now);
      const target = options.targetOf(now);
      if (target !== undefined) locks.see(target, now, before);
      const others = rivalsOf(now).filter((rival) => rival !== now);
      if (others.length > 0 && (!before || mattersToRivals(now, before))) wake(others, 'user');
      const name = secretNameOf(now);
      if (name === undefined) secrets.release(idOf(key));
      else secrets.refer(idOf(key), now.metadata.namespace, name);
    },
  });
  onSecretChange((secret) => wake(store.byIndex('secret', secret), 'scheduled'));
  const rivalsOf = (object: T): T[] => {
    const target = options.targetOf(object);
    return target === undefined ? [] : store.byIndex('target', target);
  };
  return { store, rivals: rivalsOf, locks, contests, departed, unrecorded };
}

/** Whether one that was confirmed is to be sent again by what the status of another one says. */
function isSupersededBy(
  one: KubeObject,
  other: KubeObject,
  atWorkMs: number,
  now: number,
): boolean {
  return (
    confirmedAgainst({ own: callsOf(one), others: [callsOf(other)], atWorkMs }, now) !== undefined
  );
}

/**
 * What decides who holds a target, and whether what the holder has sent still stands; see
 * target.ts.
 */
function mattersToRivals(now: KubeObject, before: KubeObject): boolean {
  if (!isSameDeclaration(now, before)) return true;
  const of = ({ status }: KubeObject): unknown => {
    const { proof, lastRequest } = (status ?? {}) as ProvableStatus;
    return [
      proof?.time,
      proof?.apiHash,
      readyOf(status ?? {})?.reason,
      lastRequest?.outcome === 'Unknown',
      lastRequest?.time,
    ];
  };
  return !isDeepStrictEqual(of(now), of(before));
}

/** `namespace/name` of the Secret that an object refers to; the index `secret`. */
function secretKeyOf(object: KubeObject): string | undefined {
  const name = secretNameOf(object);
  return name === undefined ? undefined : `${object.metadata.namespace}/${name}`;
}

/** After a restart, what changed while nobody looked goes ahead of what did not. */
function laneFor(object: KubeObject, origin: Origin): Lane {
  const status = object.status as CommonStatus | undefined;
  return origin === 'list' && status?.observedGeneration === generationOf(object)
    ? 'scheduled'
    : 'user';
}

/** What a reconcile uses of an object. Ten thousand of these stand in memory. */
function trim<T extends KubeObject>(object: T, status: object | undefined): T {
  const {
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp,
  } = object.metadata;
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
    spec: shallowSpec(object.spec),
    status,
  } as T;
}
