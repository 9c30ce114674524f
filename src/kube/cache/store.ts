import { isDeepStrictEqual } from 'node:util';
import { compareVersions, type KubeObject, keyOf } from '../resource.ts';
import { StoreIndex } from './store-index.ts';
import type { WatchSink } from './watch.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Where a change was learned from: a whole list; one event of the watch, or the reply to a call; or
 * the reply to a write of which its writer needs no news.
 */
export type Origin = 'list' | 'event' | 'own-write';

export interface StoreOptions<T extends KubeObject> {
  /**
   * Keeps only what is used. Must keep metadata's name, namespace, uid and resourceVersion.
   * `written`: the status that it is the reply to a write of.
   */
  readonly trim?: (object: T, written: object | undefined) => T;
  /** Index name to what an object is filed under in it; undefined: not filed. */
  readonly indexes?: Readonly<Record<string, (object: T) => string | undefined>>;
  /**
   * Called after the whole list or event is in the store; must not throw. `now` undefined: gone.
   */
  readonly onChange: (
    key: string,
    now: T | undefined,
    before: T | undefined,
    origin: Origin,
  ) => void;
}

interface Change<T> {
  readonly key: string;
  readonly now: T | undefined;
  readonly before: T | undefined;
}

/** The namespace that a watch covers; undefined: all. */
type Scope = string | undefined;

/**
 * The newest known version of every object of a kind, by `namespace/name`. It never goes back in
 * time, unless the server has: what is not newer than what is held is ignored, wherever it comes
 * from. Deleted objects leave nothing behind.
 */
export class Store<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, StoreIndex<T>>();
  readonly #trim: NonNullable<StoreOptions<T>['trim']>;
  readonly #onChange: StoreOptions<T>['onChange'];
  /** Per scope, the highest resource version that its watch has delivered, in whatever form. */
  readonly #delivered = new Map<Scope, string>();

  constructor(options: StoreOptions<T>) {
    this.#trim = options.trim ?? ((object) => object);
    this.#onChange = options.onChange;
    for (const [name, file] of Object.entries(options.indexes ?? {}))
      this.#indexes.set(name, new StoreIndex(file));
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  /**
   * Objects filed under `value`, in the order in which their last versions came. Throws on an index
   * that was not declared.
   */
  byIndex(index: string, value: string): T[] {
    const found = this.#indexes.get(index);
    if (!found)
      throw new RangeError(`this store has no index "${index}"; declare it in its options`);
    return found.find(value);
  }

  /**
   * Takes the reply of a read or write of one object. False where it was ignored: something as new
   * is held already, or nothing of this object is: it is gone, or not in the watch's selector, and
   * only the watch can bring it. `known`: what was held when it was asked for. Where that is still
   * held, the reply is what there is: one that is older, or another one of the same version, is
   * that of a server which itself went back. `written`: it is the reply to a write of this status,
   * of which the writer needs no news.
   */
  put(object: T, known?: KubeObject, written?: object): boolean {
    const held = this.#objects.get(keyOf(object));
    if (held?.metadata.uid !== object.metadata.uid) return false;
    let now: T | undefined;
    if (!isNewer(object, held.metadata.resourceVersion)) {
      if (known?.metadata.resourceVersion !== held.metadata.resourceVersion) return false;
      now = this.#trim(object, written);
      if (isDeepStrictEqual(held, now)) return false;
    }
    const change = this.#set(now ?? this.#trim(object, written));
    this.#tell([change], written ? 'own-write' : 'event');
    return true;
  }

  /**
   * What the watch of one namespace, or of all, brings its news to. The lists of one namespace say
   * nothing about objects elsewhere.
   */
  sink(namespace?: string): WatchSink<T> {
    return {
      trim: (object) => this.#trim(object, undefined),
      replace: (objects, resourceVersion, isRestored) =>
        this.#replace(namespace, objects, { resourceVersion, isRestored }),
      apply: (event, object) => this.#apply(namespace, event, object),
      bookmark: (resourceVersion) => this.#advance(namespace, resourceVersion),
      newest: () => this.#newest(namespace),
    };
  }

  /**
   * A list is right but for what is younger than the list; in everything, where the server itself
   * went back, as after a restored backup: its versions may be as high again as those of before.
   */
  #replace(
    scope: Scope,
    objects: readonly T[],
    list: { readonly resourceVersion: string; readonly isRestored: boolean },
  ): void {
    const { resourceVersion, isRestored } = list;
    // Not by the version alone: after a restored backup one may have been given twice, and that of
    // the generation with it.
    const stays = (held: T, listed: T): boolean =>
      !isRestored && (isDeepStrictEqual(held, listed) || isNewer(held, resourceVersion));
    const keys = new Set<string>();
    const changes: Change<T>[] = [];
    for (const object of objects) {
      const key = keyOf(object);
      keys.add(key);
      const held = this.#objects.get(key);
      if (!held || !stays(held, object)) changes.push(this.#set(object));
    }
    for (const [key, held] of this.#objects) {
      if (!keys.has(key) && isIn(scope, held.metadata.namespace))
        changes.push(this.#delete(key, held));
    }
    this.#delivered.set(scope, resourceVersion);
    this.#tell(changes, 'list');
  }

  #apply(scope: Scope, event: WatchEvent, object: T): void {
    const delivered = this.#delivered.get(scope) ?? '';
    this.#advance(scope, object.metadata.resourceVersion);
    const key = keyOf(object);
    const held = this.#objects.get(key);
    if (event === 'DELETED') {
      if (held && isEndOf(held, object)) this.#tell([this.#delete(key, held)], 'event');
    } else if (isNewer(object, held?.metadata.resourceVersion ?? delivered)) {
      this.#tell([this.#set(this.#trim(object, undefined))], 'event');
    }
  }

  #newest(scope: Scope): string {
    let newest = '';
    for (const object of this.#objects.values()) {
      const { namespace, resourceVersion } = object.metadata;
      if (isIn(scope, namespace) && isNewer(object, newest)) newest = resourceVersion;
    }
    return newest;
  }

  #advance(scope: Scope, resourceVersion: string): void {
    if (compareVersions(resourceVersion, this.#delivered.get(scope) ?? '') > 0)
      this.#delivered.set(scope, resourceVersion);
  }

  #set(now: T): Change<T> {
    const key = keyOf(now);
    const before = this.#objects.get(key);
    this.#objects.set(key, now);
    for (const index of this.#indexes.values()) index.move(before, now);
    return { key, now, before };
  }

  #delete(key: string, before: T): Change<T> {
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.move(before, undefined);
    return { key, now: undefined, before };
  }

  /** One object in place of another under the same name is told as an end and a beginning. */
  #tell(changes: readonly Change<T>[], origin: Origin): void {
    for (const { key, now, before } of changes) {
      if (now && before && now.metadata.uid !== before.metadata.uid) {
        this.#onChange(key, undefined, before, origin);
        this.#onChange(key, now, undefined, origin);
      } else {
        this.#onChange(key, now, before, origin);
      }
    }
  }
}

function isIn(scope: Scope, namespace: string): boolean {
  return scope === undefined || scope === namespace;
}

function isNewer({ metadata }: KubeObject, version: string): boolean {
  return compareVersions(metadata.resourceVersion, version) > 0;
}

/**
 * Whether this deletion ends what is held. One object's own always does, also where a reply has
 * shown a later version: then it lives on outside of the selector. Another's under the same name
 * only when that one came later.
 */
function isEndOf(held: KubeObject, deleted: KubeObject): boolean {
  return (
    held.metadata.uid === deleted.metadata.uid || !isNewer(held, deleted.metadata.resourceVersion)
  );
}
