import type { Context, Kind, Result } from '../../src/controller/kind.ts';
import { Queue, queueKey } from '../../src/controller/queue.ts';
import { type ReconcileRecord, Worker } from '../../src/controller/worker.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { type KubeObject, keyOf, type ResourceType } from '../../src/kube/resource.ts';
import { Store } from '../../src/kube/store.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeKubeServer } from './fake-kube-server.ts';
import { recordingLog } from './recording-log.ts';

export const PIPE: ResourceType = {
  group: 'test.dev',
  version: 'v1',
  plural: 'pipes',
  kind: 'Pipe',
};

export function idOf(key: string): string {
  return queueKey(PIPE.kind, key);
}

export const NOTHING: Result = { next: 'on-change', did: 'nothing' };

/** The result of an attempt that says so in its status. */
export function applied(of: string, more: Partial<Result> = {}): Result {
  const event = { type: 'Normal', reason: 'Applied', note: `Applied ${of}` } as const;
  return { status: { of }, next: 'on-change', events: [event], did: 'put', ...more };
}

/**
 * A worker with a kind for tests, a store and an API server, put together as the operator does it.
 * What the server holds reaches the store by `hear`.
 */
export class Engine {
  readonly server: FakeKubeServer;
  readonly clock = new FakeClock();
  readonly queue: Queue;
  readonly worker: Worker;
  readonly store: Store<KubeObject>;
  readonly #client;
  readonly #stop = new AbortController();
  readonly giveUp = new AbortController();
  #ended: Promise<void> = Promise.resolve();
  /** What the kind does, object by object. */
  reconcile: (object: KubeObject, context: Context) => Promise<Result> | Result = () => NOTHING;
  /** Whether this process leads. */
  leads = true;
  /** Keys whose reconcile began, in order. */
  readonly began: string[] = [];
  readonly forgotten: string[] = [];
  /** `namespace/name note` of every event sent. */
  readonly events: string[] = [];
  readonly records: ReconcileRecord[] = [];
  readonly messages: readonly string[];

  private constructor(server: FakeKubeServer) {
    this.server = server;
    this.#client = createKubeClient(server.cluster);
    const { log, messages } = recordingLog();
    this.messages = messages;
    this.queue = new Queue(this.clock, () => this.worker.ready());
    this.store = new Store({
      trim: (object) => object,
      indexes: {},
      onChange: (key, now, before) => {
        this.worker.changed(idOf(key));
        const isEdited = now?.metadata.generation !== before?.metadata.generation;
        if (isEdited) this.queue.add(idOf(key), 'user');
      },
    });
    const kind: Kind = {
      type: PIPE,
      store: this.store,
      // As it stands once it has been sent: without what is undefined.
      fit: (status) => JSON.parse(JSON.stringify(status)) as object,
      forget: (key) => void this.forgotten.push(key),
      reconcile: async (object, context) => {
        this.began.push(keyOf(object));
        return this.reconcile(object, context);
      },
    };
    this.worker = new Worker({
      kinds: [kind],
      queue: this.queue,
      client: this.#client,
      clock: this.clock,
      log,
      emit: ({ metadata }, _type, { note }) =>
        void this.events.push(`${metadata.namespace}/${metadata.name} ${note}`),
      mayStart: () => this.leads,
      giveUp: this.giveUp.signal,
      onReconcile: (record) => void this.records.push(record),
    });
  }

  static async open(): Promise<Engine> {
    return new Engine(await new FakeKubeServer().start());
  }

  start(): void {
    this.#ended = this.worker.run(this.#stop.signal);
  }

  /** Resolves when the worker has ended. */
  stop(): Promise<void> {
    this.#stop.abort();
    return this.#ended;
  }

  /** Creates the object on the server and lets the store know. */
  given(key: string, content: object = {}): KubeObject {
    const object = this.server.create(PIPE, key, content);
    this.store.apply('ADDED', object);
    return object;
  }

  /** As the server holds it. */
  at(key: string): KubeObject | undefined {
    return this.server.get(PIPE, key);
  }

  /** Changes the object as another client would, and lets the store know. */
  edit(key: string, change: Parameters<FakeKubeServer['edit']>[2]): void {
    this.server.edit(PIPE, key, change);
    this.hear(key);
  }

  remove(key: string): void {
    const held = this.at(key);
    this.server.remove(PIPE, key);
    if (!held) return;
    const metadata = { ...held.metadata, resourceVersion: '999999' };
    this.store.apply('DELETED', { ...held, metadata });
  }

  /** Lets the store know what the server holds, as a watch would. */
  hear(key: string): void {
    const object = this.at(key);
    if (object) this.store.apply('MODIFIED', object);
  }

  async close(): Promise<void> {
    this.giveUp.abort();
    await this.stop();
    await this.#client.close();
    await this.server.stop();
  }
}
