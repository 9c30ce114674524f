import { compareVersions, type KubeObject, keyOf } from './resource.ts';

/** Where a change was learned from: a list; or an event of the watch, or a reply to a call. */
export type Origin = 'list' | 'event';

export interface StoreOptions<T extends KubeObject> {
  /** Keeps only what is used; of metadata at least name, namespace, uid and resourceVersion. */
  readonly trim: (object: T) => T;
  /** By the name of an index, what an object is found by in it; undefined: it is not in it. */
  readonly indexes: Readonly<Record<string, (object: T) => string | undefined>>;
  /**
   * Called after the whole list or event is in the store; must not throw. `now` and `before` may be
   * two objects, of one name.
   */
  onChange(key: string, now: T | undefined, before: T | undefined, origin: Origin): void;
}

type Change<T> = readonly [key: string, now: T | undefined, before: T | undefined];

/** The newest known version of every object of a kind, by `namespace/name`. */
export class Store<T extends KubeObject> {
  /** For the objects of a list, page by page: no list stands in memory whole. */
  readonly trim: (object: T) => T;
  readonly #options: StoreOptions<T>;
  readonly #objects = new Map<string, T>();
  /** Keys of objects, by `index/value`. */
  readonly #indexed = new Map<string, Set<string>>();
  /** The how many-th reply an object is. */
  readonly #replies = new WeakMap<T, number>();
  #lastReply = 0;

  constructor(options: StoreOptions<T>) {
    this.trim = options.trim;
    this.#options = options;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  byIndex(index: string, value: string): T[] {
    const keys = this.#indexed.get(`${index}/${value}`) ?? [];
    return [...keys].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /**
   * The reply to a call about one object; returns it trimmed. Ignored where it is not newer than
   * what is held, or nothing of it is: only the watch brings what is gone or not in its selector.
   */
  put(reply: T): T {
    const key = keyOf(reply);
    const held = this.#objects.get(key);
    const object = this.trim(reply);
    if (held?.metadata.uid !== reply.metadata.uid || !isNewer(reply, held)) return object;
    this.#lastReply += 1;
    this.#replies.set(object, this.#lastReply);
    this.#options.onChange(...this.#set(key, object), 'event');
    return object;
  }

  /**
   * Before a list of one namespace, or of all, is asked for. What this returns takes the trimmed
   * objects in place of whatever was held, also where versions went back as after a restored
   * backup; but a reply that came while the list was on its way, and is newer than it, stays.
   */
  beginList(namespace?: string): (objects: readonly T[], version: string) => void {
    const lastReply = this.#lastReply;
    return (objects, version) => {
      const stays = (held: T): boolean =>
        (this.#replies.get(held) ?? 0) > lastReply &&
        compareVersions(held.metadata.resourceVersion, version) > 0;
      const former = new Map(this.#objects);
      const changes: Change<T>[] = [];
      for (const object of objects) {
        const key = keyOf(object);
        const held = former.get(key);
        former.delete(key);
        if (!held || !stays(held)) changes.push(this.#set(key, object));
      }
      for (const [key, held] of former) {
        const isElsewhere = namespace !== undefined && held.metadata.namespace !== namespace;
        if (!isElsewhere && !stays(held)) changes.push(this.#set(key, undefined));
      }
      for (const change of changes) this.#options.onChange(...change, 'list');
    };
  }

  /** An event of the watch. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    const key = keyOf(object);
    const held = this.#objects.get(key);
    const isSame = held?.metadata.uid === object.metadata.uid;
    if (type === 'DELETED') {
      // Also where a reply has shown a later version: then it lives on outside of the selector.
      if (isSame) this.#options.onChange(...this.#set(key, undefined), 'event');
    } else if (!held || !isSame || isNewer(object, held)) {
      this.#options.onChange(...this.#set(key, this.trim(object)), 'event');
    }
  }

  #set(key: string, now: T | undefined): Change<T> {
    const before = this.#objects.get(key);
    if (now) this.#objects.set(key, now);
    else this.#objects.delete(key);
    for (const [index, valueOf] of Object.entries(this.#options.indexes)) {
      const [value, former] = [now && valueOf(now), before && valueOf(before)];
      if (value === former) continue;
      const keys = this.#indexed.get(`${index}/${former}`);
      if (keys?.delete(key) && keys.size === 0) this.#indexed.delete(`${index}/${former}`);
      const others = this.#indexed.get(`${index}/${value}`) ?? new Set();
      if (value !== undefined) this.#indexed.set(`${index}/${value}`, others.add(key));
    }
    return [key, now, before];
  }
}

function isNewer({ metadata }: KubeObject, held: KubeObject): boolean {
  return compareVersions(metadata.resourceVersion, held.metadata.resourceVersion) > 0;
}
