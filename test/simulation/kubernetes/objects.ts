import type { ServedKind } from './kinds.ts';

export interface Meta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly managedFields?: readonly unknown[];
}

/** An object as it is stored; never changed in place. */
export interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
  readonly spec?: unknown;
  readonly status?: unknown;
  readonly [field: string]: unknown;
}

/** One write, as watches and the record see it. */
export interface Change {
  readonly revision: number;
  readonly kind: ServedKind;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** With the resourceVersion of this write, of a deletion too. */
  readonly now: Thing;
  readonly before: Thing | undefined;
  /** Who wrote: a process of the operator by its name, or a user. */
  readonly by: string;
}

/** What was stored as of a revision. */
export interface Backup {
  readonly revision: number;
  readonly objects: ReadonlyMap<string, Thing>;
}

const MOST_KEPT = 64;
/** What `etcdutl snapshot restore --bump-revision` is told to add, by the documents of etcd. */
const BUMP = 1_000_000_000;

/**
 * All objects, and every change since the server last forgot them: what etcd is to the API server.
 */
export class Objects {
  #objects = new Map<string, Thing>();
  #revision = 1_000;
  #history: Change[] = [];
  #compacted = 1_000;
  /** As of which revisions lists can go on. */
  readonly #kept = new Map<number, ReadonlyMap<string, Thing>>();
  readonly #onChange: (change: Change) => void;

  constructor(onChange: (change: Change) => void) {
    this.#onChange = onChange;
  }

  get revision(): number {
    return this.#revision;
  }

  /** Changes up to this revision are forgotten. */
  get compactedAt(): number {
    return this.#compacted;
  }

  get(kind: ServedKind, namespace: string, name: string): Thing | undefined {
    return this.#objects.get(keyOf(kind, namespace, name));
  }

  /** In the order of their keys; '' stands for all namespaces. */
  list(kind: ServedKind, namespace: string): Thing[] {
    return listOf(this.#objects, kind, namespace);
  }

  /** The same as of a revision that was kept and is not forgotten yet. */
  listAt(revision: number, kind: ServedKind, namespace: string): Thing[] | undefined {
    const kept = this.#kept.get(revision);
    return kept && listOf(kept, kind, namespace);
  }

  /**
   * Keeps what is there now, for lists that go on as of this revision; of many such revisions the
   * oldest is forgotten.
   */
  keep(): void {
    if (this.#kept.has(this.#revision)) return;
    this.#kept.set(this.#revision, new Map(this.#objects));
    const [oldest = 0] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(oldest);
  }

  /** Changes after a revision, oldest first. */
  since(revision: number): readonly Change[] {
    // Who asks is mostly almost up to date.
    return this.#history.slice(
      this.#history.findLastIndex((change) => change.revision <= revision) + 1,
    );
  }

  /** Stores an object under the next revision, which becomes its resourceVersion. */
  put(kind: ServedKind, thing: Thing, by: string): Thing {
    const { namespace, name } = thing.metadata;
    const before = this.get(kind, namespace, name);
    const now = this.#next(thing);
    this.#objects.set(keyOf(kind, namespace, name), now);
    this.#tell({
      revision: this.#revision,
      kind,
      type: before ? 'MODIFIED' : 'ADDED',
      now,
      before,
      by,
    });
    return now;
  }

  remove(kind: ServedKind, thing: Thing, by: string): Thing {
    const { namespace, name } = thing.metadata;
    const before = this.get(kind, namespace, name);
    const now = this.#next(thing);
    this.#objects.delete(keyOf(kind, namespace, name));
    this.#tell({ revision: this.#revision, kind, type: 'DELETED', now, before, by });
    return now;
  }

  /**
   * Forgets what happened until now: who wants to go on from an older version has to list again.
   */
  compact(): void {
    this.#compacted = this.#revision;
    this.#history = [];
    this.#kept.clear();
  }

  backup(): Backup {
    return { revision: this.#revision, objects: new Map(this.#objects) };
  }

  /**
   * Goes back to a backup. Versions go back too, and are given a second time, unless `forwards`:
   * then those that come are far above all that were, and these are forgotten.
   */
  restore({ revision, objects }: Backup, { forwards }: { readonly forwards: boolean }): void {
    this.#revision = forwards ? Math.max(revision, this.#revision) + BUMP : revision;
    this.#objects = new Map(objects);
    this.#history = [];
    this.#compacted = this.#revision;
    this.#kept.clear();
  }

  #next(thing: Thing): Thing {
    this.#revision += 1;
    return { ...thing, metadata: { ...thing.metadata, resourceVersion: String(this.#revision) } };
  }

  #tell(change: Change): void {
    this.#history.push(change);
    this.#onChange(change);
  }
}

export function listOf(
  objects: ReadonlyMap<string, Thing>,
  kind: ServedKind,
  namespace: string,
): Thing[] {
  const prefix = namespace === '' ? `${kind.plural}/` : `${kind.plural}/${namespace}/`;
  return [...objects]
    .filter(([key]) => key.startsWith(prefix))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, thing]) => thing);
}

function keyOf(kind: ServedKind, namespace: string, name: string): string {
  return `${kind.plural}/${namespace}/${name}`;
}
