import type { KubeObject, ResourceType } from '../kube/resource.ts';
import type { Store } from '../kube/store.ts';

/** What the owner of an object sees in `kubectl describe`: past tense, with the value. */
export interface Event {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/** What one reconcile adds to counters, beside having happened. */
export interface Counts {
  /** Differences between two replies that the operator did not make. */
  readonly drift?: number;
  /** What an object left behind at the API when it was let go. */
  readonly abandoned?: number;
}

/** What came of a reconcile, as a value; the engine writes the status and sends the events. */
export interface Result {
  /** The whole status as it shall stand; absent, or equal to what stands: nothing is written. */
  readonly status?: object | undefined;
  /** Nothing more until a change of the object, its target or its Secret; or at `at`, epoch ms. */
  readonly next: 'on-change' | { readonly at: number };
  /** Sent once the status stands. */
  readonly events?: readonly Event[];
  /** One word for logs and metrics. */
  readonly did: string;
  /**
   * Plain facts for the log line of a reconcile that did something; never credentials, nor the
   * content of a record.
   */
  readonly facts?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly counts?: Counts | undefined;
}

/** What the engine gives to one reconcile of one object. */
export interface Context<Stored extends KubeObject = KubeObject> {
  /** Epoch ms. */
  now(): number;
  /**
   * The newest version of the object that this process knows: after `save` and `finalizer` their
   * reply. The last one known where it is gone.
   */
  object(): Stored;
  /**
   * Same uid and generation as the reconcile began with, not deleted since, and this process leads
   * and is not ending. Suspend and mode are part of the spec.
   */
  stillWanted(): boolean;
  /** Calls `end`, in place of what it was given before, as soon as `stillWanted` is false. */
  onUnwanted(end: () => void): void;
  /** Runs a wait that may be long: it holds no place, and waits for one after it. */
  parked<Value>(wait: () => Promise<Value>): Promise<Value>;
  /**
   * In mid-attempt: writes the status on the version that `object()` is, at once or nowhere. False:
   * it may or may not stand, and the attempt ends.
   */
  save(status: object): Promise<boolean>;
  /** Puts a finalizer on, or off. False: it is not known to be so, and the attempt ends. */
  finalizer(name: string, present: boolean): Promise<boolean>;
  /** Sends an event now, for what has to be said before an act that may leave nobody to say it. */
  emit(event: Event): void;
}

/**
 * A kind of objects. The engine knows nothing else about it.
 *
 * Guarantees: an object is reconciled by one call of `reconcile` at a time; a change of its
 * generation, annotation, deletion or finalizers brings another one; the status in the result is
 * written, or the object is reconciled once more from what stands there.
 * Assumes: a reconcile may be the first one after any crash, so what must survive is in the status.
 */
export interface Kind<Stored extends KubeObject = KubeObject> {
  readonly type: ResourceType;
  readonly store: Store<Stored>;
  /** One attempt, whole. Throws KubeError where Kubernetes gives no answer; else only on a bug. */
  reconcile(object: Stored, context: Context<Stored>): Promise<Result>;
  /** The status in the bounds of its schema: else the API server refuses all of it. */
  fit(status: object): object;
  /** The object is gone: drop everything known about it. */
  forget(key: string): void;
}
