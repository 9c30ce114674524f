import type { ServedKind } from './kinds.ts';

export interface Meta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
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

/**
 * All objects, and every change since the server last forgot them: what etcd is to the API server.
 */
export class Objects {
  readonly #objects = new Map<string, Thing>();
  #revision = 1_000;
  #history: Change[] = [];
  #compacted = 1_000;
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
    const prefix = namespace === '' ? `${kind.plural}/` : `${kind.plural}/${namespace}/`;
    return [...this.#objects]
      .filter(([key]) => key.startsWith(prefix))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, thing]) => thing);
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
    this.#tell({ kind, type: before ? 'MODIFIED' : 'ADDED', now, before, by });
    return now;
  }

  remove(kind: ServedKind, thing: Thing, by: string): Thing {
    const { namespace, name } = thing.metadata;
    const before = this.get(kind, namespace, name);
    const now = this.#next(thing);
    this.#objects.delete(keyOf(kind, namespace, name));
    this.#tell({ kind, type: 'DELETED', now, before, by });
    return now;
  }

  /**
   * Forgets what happened until now: who wants to go on from an older version has to list again.
   */
  compact(): void {
    this.#compacted = this.#revision;
    this.#history = [];
  }

  #next(thing: Thing): Thing {
    this.#revision += 1;
    return { ...thing, metadata: { ...thing.metadata, resourceVersion: String(this.#revision) } };
  }

  #tell(write: Omit<Change, 'revision'>): void {
    const change = { ...write, revision: this.#revision };
    this.#history.push(change);
    this.#onChange(change);
  }
}

function keyOf(kind: ServedKind, namespace: string, name: string): string {
  return `${kind.plural}/${namespace}/${name}`;
}
