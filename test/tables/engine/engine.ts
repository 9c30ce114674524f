import { Queue, queueKey } from '../../../src/controller/queue.ts';
import { Worker, type WorkerOptions } from '../../../src/controller/worker.ts';
import { Store } from '../../../src/kube/store.ts';
import { FakeClock, settle } from '../../support/fake-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { Api, type Call, type Fate } from '../kube/api.ts';

type Kind = WorkerOptions['kinds'][number];
type KubeObject = Parameters<Kind['reconcile']>[0];
export type Context = Parameters<Kind['reconcile']>[1];
type Result = Awaited<ReturnType<Kind['reconcile']>>;

const GROUP = { group: 'pipewright.dev', version: 'v1alpha1' };
const TYPE = { ...GROUP, plural: 'organizations', kind: 'Organization' };
const COLLECTION = '/apis/pipewright.dev/v1alpha1/namespaces/ns/organizations';
const ID = '00000000-0000-4000-8000-000000000000';
const SPEC = { organizationId: ID, credentialsSecretRef: { name: 'api' } };

/** The object of most tests. */
export const KEY = 'ns/orders';
export const NOTHING: Result = { next: 'on-change', did: 'nothing' };
/** Some field of a status, so that it can be seen whose stands. */
export const OURS = { attempts: 1 };
export const OTHERS = { attempts: 9 };

/** The result of an attempt that says so in its status and in an event. */
export function applied(more: Partial<Result> = {}): Result {
  const event = { type: 'Normal', reason: 'Applied', note: 'Applied it' } as const;
  return { status: OURS, next: 'on-change', events: [event], did: 'put', ...more };
}

function idOf(key: string): string {
  return queueKey(TYPE.kind, key);
}

/**
 * A worker with one kind, put together as the operator does it, on a simulated API. What the API
 * has reaches the store by `hear` alone.
 */
export class Engine {
  readonly clock = new FakeClock();
  readonly api = new Api(this.clock);
  readonly #log = recordingLog();
  readonly queue = new Queue(this.clock, () => this.worker.ready());
  readonly store = new Store<KubeObject>({
    trim: (object) => object,
    indexes: {},
    onChange: (key, now, before) => {
      this.worker.changed(idOf(key));
      const isEdited = now?.metadata.generation !== before?.metadata.generation;
      if (isEdited) this.queue.add(idOf(key), 'user');
    },
  });
  /** What the kind does, object by object. */
  reconcile: (object: KubeObject, context: Context) => Promise<Result> | Result = () => NOTHING;
  /** Of every call; may change objects first. */
  #fate: (call: Call) => Fate = () => ({});
  /** Whether this process leads. */
  leads = true;
  /** Keys whose reconcile began, and keys that were forgotten. */
  readonly began: string[] = [];
  readonly forgotten: string[] = [];
  readonly events: string[] = [];
  /** What each ended reconcile did. */
  readonly did: string[] = [];
  readonly messages = this.#log.messages;
  readonly #stop = new AbortController();
  readonly worker = new Worker({
    kinds: [
      {
        type: TYPE,
        store: this.store,
        // As it stands once it has been sent: without what is undefined.
        fit: (status) => JSON.parse(JSON.stringify(status)) as object,
        forget: (key) => void this.forgotten.push(key),
        reconcile: async (object, context) => {
          this.began.push(`${object.metadata.namespace}/${object.metadata.name}`);
          return this.reconcile(object, context);
        },
      },
    ],
    queue: this.queue,
    client: this.api.client((call) => this.#fate(call)),
    clock: this.clock,
    log: this.#log.log,
    emit: ({ metadata }, _type, { note }) => void this.events.push(`${metadata.name}: ${note}`),
    mayStart: () => this.leads,
    giveUp: new AbortController().signal,
    onReconcile: ({ result }) => void this.did.push(result),
  });

  /** Creates objects and begins to work, until what can be done without time is done. */
  async start(...names: string[]): Promise<void> {
    this.given(...names);
    void this.worker.run(this.#stop.signal);
    await settle();
  }

  stop(): void {
    this.#stop.abort();
  }

  /** The methods of the calls that arrived. */
  get methods(): string {
    return this.api.calls.map(({ method }) => method).join(' ');
  }

  /** The next `times` writes meet this fate. */
  spoilWrites(fate: Fate, times = 1): void {
    let left = times;
    this.#fate = ({ method }) => (method !== 'GET' && left-- > 0 ? fate : {});
  }

  /** Happens while the next write is on its way. */
  beforeWrite(run: (on: Engine) => void): void {
    this.#fate = () => {
      this.#fate = () => ({});
      run(this);
      return {};
    };
  }

  /** Creates objects, and lets the store know. */
  given(...names: string[]): void {
    for (const name of names) {
      this.create(name);
      this.hear(name);
    }
  }

  create(name = 'orders'): void {
    this.api.as('POST', COLLECTION, { metadata: { name }, spec: { ...SPEC, name: 'one' } });
  }

  /** As the API has it. */
  at(name = 'orders'): KubeObject {
    return this.api.as('GET', `${COLLECTION}/${name}`) as KubeObject;
  }

  /** What somebody else does. */
  edit(): void {
    this.api.as('PUT', `${COLLECTION}/orders`, { ...this.at(), spec: { ...SPEC, name: 'two' } });
  }

  writeStatus(status: object): void {
    this.api.as('PUT', `${COLLECTION}/orders/status`, { ...this.at(), status });
  }

  annotate(more: object = { annotations: { team: 'a' } }): void {
    const { resourceVersion } = this.at().metadata;
    this.api.as('PATCH', `${COLLECTION}/orders`, { metadata: { resourceVersion, ...more } });
  }

  delete(): void {
    this.api.delete(TYPE.plural, 'orders');
  }

  /** Lets the store know of what the API has, as a watch would. */
  hear(name = 'orders'): void {
    this.store.apply('MODIFIED', this.at(name));
  }

  hearGone(): void {
    const held = this.store.get(KEY);
    if (held) this.store.apply('DELETED', held);
  }
}
