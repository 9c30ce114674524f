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
  /** Keeps only what is used. Must keep metadata's name, namespace, uid and resourceVersion. */
  readonly trim?: (object: T) => T;
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

interface List<T> {
  readonly objects: readonly T[];
  readonly resourceVersion: string;
  readonly isRestored: boolean;
}

/** Scope of a watch over every namespace. */
const EVERYWHERE = '';

/**
 * The newest known version of every object of a kind, by `namespace/name`. It never goes back in
 * time, unless the server has: what is not newer than what is held is ignored, wherever it comes
 * from. Deleted objects leave nothing behind. As a WatchSink it takes one watch over all
 * namespaces; `scope` gives the sinks for one watch per namespace.
 */
export class Store<T extends KubeObject> implements WatchSink<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, StoreIndex<T>>();
  readonly #trim: (object: T) => T;
  readonly #onChange: StoreOptions<T>['onChange'];
  /**
   * By uid, what was held of those that the server has said are gone, until the watch has come so
   * far.
   */
  readonly #dropped = new Map<string, KubeObject['metadata']>();
  /** Per scope, the highest resource version that its watch has delivered, in whatever form. */
  readonly #seen = new Map<string, string>();

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
   * only the watch can bring it. What the server has said is gone, and shows when it is asked after
   * that, is back: a backup was restored. `known`: what was held when it was asked for. Where that
   * is still held, the answer is what there is: one that is older, or another one of the same
   * version, is that of a server which itself went back.
   */
  put(object: T, known?: KubeObject, origin: Origin = 'event'): boolean {
    const held = this.#objects.get(keyOf(object));
    if (held?.metadata.uid !== object.metadata.uid) {
      if (held || !this.#dropped.delete(object.metadata.uid)) return false;
      this.#report([this.#set(this.trim(object))], origin);
      return true;
    }
    const wasKnown = known?.metadata.resourceVersion === held.metadata.resourceVersion;
    const now = this.trim(object);
    if (!this.#isNews(held, object, '') && (!wasKnown || isDeepStrictEqual(held, now)))
      return false;
    this.#report([this.#set(now)], origin);
    return true;
  }

  /**
   * Takes the server's word that there is no such object any more, ahead of the watch's; another
   * uid under the name stays.
   */
  drop(gone: KubeObject): void {
    const key = keyOf(gone);
    const held = this.#objects.get(key);
    if (held?.metadata.uid !== gone.metadata.uid) return;
    this.#dropped.set(gone.metadata.uid, held.metadata);
    this.#report([this.#delete(key, held)], 'event');
  }

  /**
   * What was held under this name, where the server has said that it is gone: whatever shows it
   * since is told as a change, and no proof.
   */
  dropped(key: string): KubeObject['metadata'] | undefined {
    if (this.#objects.has(key)) return undefined;
    for (const metadata of this.#dropped.values()) if (keyOf({ metadata }) === key) return metadata;
    return undefined;
  }

  /**
   * For the watch: every object passes through this as it arrives, before `replace` and `apply`.
   */
  trim(object: T): T {
    return this.#trim(object);
  }

  replace(objects: T[], resourceVersion: string, isRestored = false): void {
    this.#replace(EVERYWHERE, { objects, resourceVersion, isRestored });
  }

  apply(event: WatchEvent, object: T): void {
    this.#apply(EVERYWHERE, event, object);
  }

  bookmark(resourceVersion: string): void {
    this.#advance(EVERYWHERE, resourceVersion);
  }

  newest(): string {
    return this.#newest(EVERYWHERE);
  }

  /**
   * The sink for a watch of this namespace alone: its lists say nothing about objects elsewhere.
   */
  scope(namespace: string): WatchSink<T> {
    return {
      trim: (object) => this.trim(object),
      replace: (objects, resourceVersion, isRestored) =>
        this.#replace(namespace, { objects, resourceVersion, isRestored }),
      apply: (event, object) => this.#apply(namespace, event, object),
      bookmark: (resourceVersion) => this.#advance(namespace, resourceVersion),
      newest: () => this.#newest(namespace),
    };
  }

  /**
   * A list is right but for what is younger than the list; in everything, where the server itself
   * went back, as after a restored backup: its versions may be as high again as those of before.
   */
  #replace(scope: string, { objects, resourceVersion, isRestored }: List<T>): void {
    // Not by the version alone: after a restored backup one may have been given twice, and that of
    // the generation with it.
    const stays = (held: T, listed: T): boolean =>
      !isRestored &&
      (isDeepStrictEqual(held, listed) ||
        compareVersions(held.metadata.resourceVersion, resourceVersion) > 0);
    if (isRestored) this.#dropped.clear();
    const stillListed = new Set<string>();
    const listed = new Set<string>();
    const changes: Change<T>[] = [];
    for (const object of objects) {
      const { uid } = object.metadata;
      const key = keyOf(object);
      if (this.#dropped.has(uid)) {
        stillListed.add(uid);
        changes.push(...this.#doubted(key));
        continue;
      }
      listed.add(key);
      const held = this.#objects.get(key);
      if (!held || !stays(held, object)) changes.push(this.#set(object));
    }
    for (const [key, held] of this.#objects) {
      if (listed.has(key) || !isIn(scope, held.metadata.namespace)) continue;
      changes.push(this.#delete(key, held));
    }
    for (const [uid, { namespace }] of this.#dropped) {
      if (isIn(scope, namespace) && !stillListed.has(uid)) this.#dropped.delete(uid);
    }
    this.#seen.set(scope, resourceVersion);
    this.#report(changes, 'list');
  }

  #apply(scope: string, event: WatchEvent, object: T): void {
    const { uid, resourceVersion } = object.metadata;
    const key = keyOf(object);
    if (this.#dropped.has(uid)) {
      this.#advance(scope, resourceVersion);
      if (event === 'DELETED') this.#dropped.delete(uid);
      else this.#report(this.#doubted(key), 'event');
      return;
    }
    const held = this.#objects.get(key);
    const news =
      event === 'DELETED'
        ? held && isEndOf(held, object) && this.#delete(key, held)
        : this.#isNews(held, object, this.#seen.get(scope) ?? '') && this.#set(object);
    this.#advance(scope, resourceVersion);
    if (news) this.#report([news], 'event');
  }

  /**
   * It may be from before its end, or back with a restored backup: no version tells which, so the
   * server is to be asked.
   */
  #doubted(key: string): Change<T>[] {
    return this.#objects.has(key) ? [] : [{ key, now: undefined, before: undefined }];
  }

  #newest(scope: string): string {
    let newest = '';
    for (const { metadata } of this.#objects.values()) {
      const { namespace, resourceVersion } = metadata;
      if (isIn(scope, namespace) && compareVersions(resourceVersion, newest) > 0)
        newest = resourceVersion;
    }
    return newest;
  }

  #isNews(held: T | undefined, object: T, seen: string): boolean {
    return (
      compareVersions(object.metadata.resourceVersion, held?.metadata.resourceVersion ?? seen) > 0
    );
  }

  #advance(scope: string, resourceVersion: string): void {
    if (compareVersions(resourceVersion, this.#seen.get(scope) ?? '') > 0)
      this.#seen.set(scope, resourceVersion);
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

  #report(changes: readonly Change<T>[], origin: Origin): void {
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

function isIn(scope: string, namespace: string): boolean {
  return scope === EVERYWHERE || scope === namespace;
}

/**
 * Whether this deletion ends what is held. One object's own always does, also where a reply has
 * shown a later version: then it lives on outside of the selector. Another's under the same name
 * only when that one came later.
 */
function isEndOf(held: KubeObject, deleted: KubeObject): boolean {
  const { uid, resourceVersion } = deleted.metadata;
  return (
    held.metadata.uid === uid ||
    compareVersions(held.metadata.resourceVersion, resourceVersion) <= 0
  );
}
