import { waitFor } from '../backoff.ts';
import { pause } from '../clock.ts';
import { KubeError } from '../kube/errors.ts';
import { type KubeObject, keyOf } from '../kube/resource.ts';
import { bugFields, errorFields, type Log } from '../telemetry/log.ts';
import { Attempt, type AttemptOptions, type Host } from './attempt.ts';
import type { Counts, Kind, Result } from './kind.ts';
import { type Queue, queueKey } from './queue.ts';
import { writeStatus } from './status-writer.ts';

/** Reconciles that run at once; those that are parked not counted. */
const MOST_RUNNING = 50;
/** Where Kubernetes or a bug stands in the way; attempts at the API have waits of their own. */
const TROUBLE = { firstMs: 500, capMs: 60_000 };

/** One finished reconcile, for metrics. */
export interface ReconcileRecord {
  readonly kind: string;
  /** What it did; `error`: it broke; `dropped`: somebody else had written a status. */
  readonly result: string;
  readonly durationMs: number;
  readonly counts?: Counts | undefined;
}

export interface WorkerOptions extends AttemptOptions {
  readonly kinds: readonly Kind[];
  readonly queue: Queue;
  readonly log: Log;
  /** What Kubernetes has not taken by then is lost. */
  readonly giveUp: AbortSignal;
  readonly onReconcile?: (record: ReconcileRecord) => void;
}

/** Takes keys and reconciles their objects. */
export class Worker {
  readonly #options: WorkerOptions;
  /** By queue key. */
  readonly #running = new Map<string, Attempt>();
  /** Those of them that are not parked. */
  #busy = 0;
  /** Were parked, and wait for a place: where Kubernetes is slow, calls wait for it too. */
  readonly #returning: (() => void)[] = [];
  #news = Promise.withResolvers<void>();
  readonly #host: Host = {
    leave: () => {
      const next = this.#returning.shift();
      if (next) return next();
      this.#busy -= 1;
      this.ready();
    },
    enter: async () => {
      if (this.#busy < MOST_RUNNING) this.#busy += 1;
      else await new Promise<void>((resolve) => this.#returning.push(resolve));
    },
    again: ({ type }, object) =>
      this.#options.queue.add(queueKey(type.kind, keyOf(object)), 'user'),
  };

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Until `signal`; resolves when the last reconcile has ended and its status stands. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      for (const attempt of this.#running.values()) attempt.cancel();
      this.ready();
    };
    signal.addEventListener('abort', stop, { once: true });
    while (!signal.aborted || this.#running.size > 0) {
      const mayTake = !signal.aborted && this.#busy < MOST_RUNNING;
      const id = mayTake ? this.#options.queue.take() : undefined;
      if (id === undefined) {
        this.#news = Promise.withResolvers();
        await this.#news.promise;
      } else this.#runOne(id);
    }
  }

  /** A key waits, or a place is free. */
  ready(): void {
    this.#news.resolve();
  }

  /** The object of this queue key has changed, or is gone. */
  changed(id: string): void {
    this.#running.get(id)?.changed();
  }

  /** How many reconciles run; those that are parked not counted. */
  get busy(): number {
    return this.#busy;
  }

  #runOne(id: string): void {
    const { queue, kinds } = this.#options;
    const { kind: name, key } = partsOf(id);
    const kind = kinds.find(({ type }) => type.kind === name);
    if (!kind) throw new Error(`the queue holds "${id}", but there is no kind "${name}"`);
    const object = kind.store.get(key);
    if (object) void this.#reconcile(id, kind, object);
    else {
      kind.forget(key);
      queue.forgetFailures(id);
      queue.done(id);
    }
  }

  async #reconcile(id: string, kind: Kind, object: KubeObject): Promise<void> {
    const { queue, clock } = this.#options;
    const attempt = new Attempt(kind, object, this.#options, this.#host);
    this.#running.set(id, attempt);
    this.#busy += 1;
    const started = clock.monotonic();
    try {
      const result = await kind.reconcile(object, attempt);
      const isWritten = await this.#finish(id, attempt, result);
      if (attempt.failure) this.#retry(id, attempt.failure);
      else queue.forgetFailures(id);
      this.#report(id, started, isWritten ? result : { did: 'dropped' });
    } catch (error) {
      this.#report(id, started, { did: 'error' });
      this.#retry(id, error);
    }
    this.#running.delete(id);
    queue.done(id);
    this.#host.leave();
  }

  /** Status (when Kubernetes takes writes again), events, next time. False: it was dropped. */
  async #finish(id: string, attempt: Attempt, result: Result): Promise<boolean> {
    const { client, queue, clock, giveUp } = this.#options;
    const { status, next, events = [] } = result;
    // By the clock that does not jump: Kubernetes may be away for long.
    const dueAt = next === 'on-change' ? undefined : clock.monotonic() + next.at - clock.now();
    const retry = async (error: KubeError, failures: number): Promise<boolean> => {
      const ms = this.#logTrouble(id, error, failures);
      await attempt.parked(() => pause(clock, ms, giveUp));
      return !giveUp.aborted;
    };
    const asked = Math.min(attempt.failure?.retryAfterMs ?? 0, TROUBLE.capMs);
    if (asked > 0) await attempt.parked(() => pause(clock, asked, giveUp));
    if (status && (await writeStatus(client, attempt.known, status, retry)) === 'dropped') {
      queue.add(id, 'user');
      return false;
    }
    for (const event of events) attempt.emit(event);
    if (dueAt !== undefined) queue.addAfter(id, dueAt - clock.monotonic());
    return true;
  }

  #report(id: string, started: number, result: Pick<Result, 'did' | 'facts' | 'counts'>): void {
    const { log, clock, onReconcile } = this.#options;
    const { did, facts, counts } = result;
    const { kind, namespace, name } = partsOf(id);
    const durationMs = clock.monotonic() - started;
    onReconcile?.({ kind, result: did, durationMs, counts });
    const fields = { kind, namespace, name, did, ms: Math.round(durationMs), ...facts, ...counts };
    log[(facts ?? counts) ? 'info' : 'debug'](fields, 'reconciled');
  }

  #retry(id: string, error: unknown): void {
    const { queue } = this.#options;
    queue.addAfter(id, this.#logTrouble(id, error, queue.countFailure(id)));
  }

  /** Says what went wrong, and how long to wait: as the server asks, within reason. */
  #logTrouble(id: string, error: unknown, failures: number): number {
    const { log } = this.#options;
    const { kind, namespace, name } = partsOf(id);
    // A 422 says that a status does not fit its schema.
    const isTrouble = error instanceof KubeError && error.status !== 422;
    const about = isTrouble ? errorFields(error) : bugFields(error);
    const fields = { kind, namespace, name, failures, ...about };
    if (isTrouble) log.warn(fields, 'Kubernetes refused a request or did not answer; retrying');
    else log.error(fields, 'reconcile failed, a bug; retrying');
    const asked = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(waitFor(TROUBLE, failures, id), Math.min(asked, TROUBLE.capMs));
  }
}

/** What `queueKey` was made of. */
function partsOf(id: string): { kind: string; namespace: string; name: string; key: string } {
  const [kind = '', namespace = '', name = ''] = id.split('/');
  return { kind, namespace, name, key: `${namespace}/${name}` };
}
