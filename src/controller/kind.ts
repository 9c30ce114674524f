import type { Store } from '../kube/cache/store.ts';
import type { WatchSink } from '../kube/cache/watch.ts';
import type { KubeObject, ResourceType } from '../kube/resource.ts';
import type { Outcome } from './outcome.ts';

/**
 * Something that happened and that the object's owner should see in `kubectl describe`. Past tense,
 * with the value.
 */
export interface Notice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  /** It tells what stands nowhere else, so it is never held back as one too many. */
  readonly always?: true;
}

/** What one reconcile adds to counters, beside having happened. */
export interface Counts {
  /** Differences between two replies that the operator did not make. */
  readonly drift?: number;
  /** What an object left behind at the remote side when it was let go. */
  readonly abandoned?: number;
}

/**
 * What a reconcile found out, as a value: the engine writes the status, sends the events and tells
 * the queue.
 */
export interface Report {
  /** The whole status as it shall stand; absent: there is nothing to say and nothing is written. */
  readonly status?: object;
  readonly outcome: Outcome;
  readonly notices?: readonly Notice[];
  /** One word for logs and metrics: what the reconcile did. */
  readonly did: string;
  /**
   * Plain facts for the log line of a reconcile that did something; never credentials or record
   * contents.
   */
  readonly facts?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** What metrics add up; it stands in the log line too. */
  readonly counts?: Counts;
  /**
   * Whether the status may replace that of this newer version of the object; absent: it may, unless
   * another process has recorded an attempt there.
   */
  readonly isOnTop?: (newer: KubeObject) => boolean;
  /**
   * For a step that another one follows at once: the status to write if that one does not come.
   * After a step that only asked the API it tells what was learned; after one that wrote into the
   * status what the next step is to send (an intent), it tells that this was never sent. It is
   * written where the process ends or the user edits the object before the next step, or before its
   * own status could be written, and where the next step's own status is not written because
   * another process has written one.
   */
  readonly lastWord?: Pick<Report, 'notices' | 'isOnTop'> & { readonly status: object };
}

/**
 * A kind, in the four steps of a reconcile. `load` reads and decides nothing; `plan` and `report`
 * are pure, time is an argument; `act` does what the plan says, and returns the plan's own branch
 * with what came of it. The engine knows nothing else about a kind.
 */
export interface Steps<Stored extends KubeObject, Facts, Plan, Done> {
  load(object: Stored): Facts;
  plan(object: Stored, facts: Facts, now: number): Plan;
  act(object: Stored, plan: Plan): Promise<Done>;
  report(object: Stored, done: Done, now: number): Report;
}

/**
 * How the write of a status ended. `same`: the status of another process stands there; it confirms
 * the same request, but its times are not ours. `lost`: no status will ever tell of this reconcile.
 */
export type Recorded = 'written' | 'same' | 'lost';

/** What a status says of the remote side, as far as two processes' statuses must be compared. */
export interface StatusRecords {
  /** The last attempt that it tells of. */
  readonly attempt?: { readonly time?: string } | undefined;
  /** The state that was confirmed last; equal hashes are of equal requests. */
  readonly confirmed?: { readonly generation?: number; readonly requestHash?: string } | undefined;
}

/** What else the engine asks of a kind. */
export interface Housekeeping {
  readonly type: ResourceType;
  recordsIn(status: unknown): StatusRecords;
  /**
   * The write of a status has ended. That of an earlier reconcile's status, which could not be
   * written then, ends before `load`.
   */
  recorded(key: string, how: Recorded): void;
  /**
   * A reconcile of the key is over, however it ended: give back what was held for it. `isOpen`: its
   * result is in no status yet, because that could not be written or the next step follows at once;
   * so what only memory knows must stay.
   */
  release(key: string, isOpen: boolean): void;
  /** The object is gone: drop everything known about it. */
  forget(key: string): void;
  /**
   * Work begins, for the first time or again: another process may have led since this one last did.
   */
  takeOver(): void;
}

/** A kind with its types closed over, so that one list can hold all kinds. */
export interface Kind extends Housekeeping {
  get(key: string): KubeObject | undefined;
  values(): Iterable<KubeObject>;
  /** Where a watch of this kind brings its news: of one namespace, or of all. */
  sink(namespace?: string): WatchSink<KubeObject>;
  /** Takes a version that the server returned; see Store.put. Wakes the key. */
  put(object: KubeObject, known?: KubeObject): void;
  /**
   * Takes the version that the engine's own status write made. Wakes whoever else is concerned, but
   * not the key: its reconcile has looked already. `written`: the status that was sent.
   */
  putOwnWrite(object: KubeObject, known: KubeObject | undefined, written: object): void;
  /** See Store.holdBack. */
  holdBack(key: string, write: () => Promise<void>): Promise<void>;
  /** The server says that this object is gone; see Store.drop. */
  drop(object: KubeObject): void;
  /** What the server has said is gone under this name; see Store.dropped. */
  dropped(key: string): KubeObject['metadata'] | undefined;
  /**
   * The four steps. Throws only on a bug or where Kubernetes gives no answer.
   */
  reconcile(object: KubeObject, clock: { now(): number }): Promise<Report>;
}

export function defineKind<Stored extends KubeObject, Facts, Plan, Done>(
  definition: Steps<Stored, Facts, Plan, Done> & Housekeeping & { readonly store: Store<Stored> },
): Kind {
  const { type, store } = definition;
  return {
    type,
    get: (key) => store.get(key),
    values: () => store.values(),
    sink: (namespace) => store.sink(namespace),
    // Both come from this kind's own collection, where the CRD's schema has checked them.
    put: (object, known) => void store.put(object as Stored, known),
    putOwnWrite: (object, known, written) => void store.put(object as Stored, known, written),
    holdBack: (key, write) => store.holdBack(key, write),
    drop: (object) => store.drop(object),
    recordsIn: (status) => definition.recordsIn(status),
    dropped: (key) => store.dropped(key),
    recorded: (key, how) => definition.recorded(key, how),
    release: (key, isOpen) => definition.release(key, isOpen),
    forget: (key) => definition.forget(key),
    takeOver: () => definition.takeOver(),
    async reconcile(passed, clock) {
      const object = passed as Stored;
      const facts = definition.load(object);
      const plan = definition.plan(object, facts, clock.now());
      const done = await definition.act(object, plan);
      return definition.report(object, done, clock.now());
    },
  };
}
