import type { Sink } from './follow.ts';
import { compareVersions, type KubeObject, keyOf } from './resource.ts';

/** Where a change was learned from: a list; or an event of the watch, or a reply to a call. */
export type Origin = 'list' | 'event';

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

interface Index<T> {
  readonly valueOf: (object: T) => string | undefined;
  readonly keys: Map<string, Set<string>>;
}

/** The newest known version of every object of a kind, by `namespace/name`. */
export class Store<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #options: StoreOptions<T>;
  /** By namespace that is being listed (undefined: all): of what replies came meanwhile. */
  readonly #replied = new Map<string | undefined, Set<string>>();

  constructor(options: StoreOptions<T>) {
    this.#options = options;
    for (const [name, valueOf] of Object.entries(options.indexes ?? {}))
      this.#indexes.set(name, { valueOf, keys: new Map() });
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

  /** Objects filed under `value`. Throws on an index that was not declared. */
  byIndex(index: string, value: string): T[] {
    const found = this.#indexes.get(index);
    if (!found)
      throw new RangeError(`this store has no index "${index}"; declare it in its options`);
    return [...(found.keys.get(value) ?? [])].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /**
   * Takes the reply to a call about one object. False where it was ignored: something as new is
   * held already, or nothing of this object is: it is gone, or not in the watch's selector, and
   * only the watch can bring it. `written`: it is the reply to a write of this status.
   */
  put(object: T, written?: object): boolean {
    const key = keyOf(object);
    const held = this.#objects.get(key);
    if (held?.metadata.uid !== object.metadata.uid || !isNewer(object, held)) return false;
    for (const keys of this.#replied.values()) keys.add(key);
    this.#tell([this.#set(this.#trim(object, written))], 'event');
    return true;
  }

  /**
   * Where the news of one namespace, or of all, goes. The lists of one namespace say nothing about
   * objects elsewhere.
   */
  sink(namespace?: string): Sink<T> {
    return {
      trim: (object) => this.#trim(object, undefined),
      beginList: () => {
        const replied = new Set<string>();
        this.#replied.set(namespace, replied);
        return (objects, version) => this.#replace(objects, { namespace, version, replied });
      },
      apply: (type, object) => this.#apply(type, object),
    };
  }

  /**
   * Whatever was held, also where versions went back as after a restored backup; but a reply that
   * came while the list was on its way, and is newer than it, stands.
   */
  #replace(
    objects: readonly T[],
    list: {
      readonly namespace: string | undefined;
      readonly version: string;
      readonly replied: ReadonlySet<string>;
    },
  ): void {
    const { namespace, version, replied } = list;
    const stays = (key: string, held: T): boolean =>
      replied.has(key) && compareVersions(held.metadata.resourceVersion, version) > 0;
    const listed = new Set<string>();
    const changes: Change<T>[] = [];
    for (const object of objects) {
      const key = keyOf(object);
      listed.add(key);
      const held = this.#objects.get(key);
      if (!held || !stays(key, held)) changes.push(this.#set(object));
    }
    for (const [key, held] of this.#objects) {
      const isElsewhere = namespace !== undefined && held.metadata.namespace !== namespace;
      if (!listed.has(key) && !isElsewhere && !stays(key, held)) changes.push(this.#delete(held));
    }
    this.#replied.delete(namespace);
    this.#tell(changes, 'list');
  }

  #apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    const held = this.#objects.get(keyOf(object));
    const isSame = held?.metadata.uid === object.metadata.uid;
    if (type === 'DELETED') {
      // Also where a reply has shown a later version: then it lives on outside of the selector.
      if (held && isSame) this.#tell([this.#delete(held)], 'event');
    } else if (!held || !isSame || isNewer(object, held)) {
      this.#tell([this.#set(this.#trim(object, undefined))], 'event');
    }
  }

  #trim(object: T, written: object | undefined): T {
    return this.#options.trim ? this.#options.trim(object, written) : object;
  }

  #set(now: T): Change<T> {
    const key = keyOf(now);
    const before = this.#objects.get(key);
    this.#objects.set(key, now);
    this.#file(key, now, before);
    return { key, now, before };
  }

  #delete(before: T): Change<T> {
    const key = keyOf(before);
    this.#objects.delete(key);
    this.#file(key, undefined, before);
    return { key, now: undefined, before };
  }

  #file(key: string, now: T | undefined, before: T | undefined): void {
    for (const { valueOf, keys } of this.#indexes.values()) {
      const [value, former] = [now && valueOf(now), before && valueOf(before)];
      if (value === former) continue;
      if (former !== undefined && keys.get(former)?.delete(key) && keys.get(former)?.size === 0)
        keys.delete(former);
      if (value !== undefined) keys.set(value, (keys.get(value) ?? new Set()).add(key));
    }
  }

  /** One object in place of another under the same name is told as an end and a beginning. */
  #tell(changes: readonly Change<T>[], origin: Origin): void {
    for (const { key, now, before } of changes) {
      const isAnother = now && before && now.metadata.uid !== before.metadata.uid;
      if (isAnother) this.#options.onChange(key, undefined, before, origin);
      this.#options.onChange(key, now, isAnother ? undefined : before, origin);
    }
  }
}

function isNewer({ metadata }: KubeObject, held: KubeObject): boolean {
  return compareVersions(metadata.resourceVersion, held.metadata.resourceVersion) > 0;
}
