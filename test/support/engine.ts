import { queueKey } from '../../src/controller/controller.ts';
import {
  defineKind,
  type Kind,
  type Notice,
  type Recorded,
  type Report,
} from '../../src/controller/kind.ts';
import { awaitChange } from '../../src/controller/outcome.ts';
import { Queue } from '../../src/controller/queue.ts';
import { Reconciler } from '../../src/controller/reconciler.ts';
import { recordsIn } from '../../src/kinds/shared/common-status.ts';
import { Store } from '../../src/kube/cache/store.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts';
import { type KubeObject, keyOf, type ResourceType } from '../../src/kube/resource.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeKubeServer } from './fake-kube-server.ts';

export const PIPE: ResourceType = {
  group: 'test.dev',
  version: 'v1',
  plural: 'pipes',
  kind: 'Pipe',
};

/**
 * A kind for tests: each pass calls the remote side once and says so in the status, unless told
 * otherwise.
 */
export interface TestKind {
  readonly kind: Kind;
  readonly store: Store<KubeObject>;
  /** Keys whose remote call was made, in order. */
  readonly acted: string[];
  readonly recorded: { readonly key: string; readonly how: Recorded }[];
  readonly settled: { readonly key: string; readonly isOpen: boolean }[];
  readonly forgotten: string[];
  /** What a pass does at the remote side. */
  act: (object: KubeObject) => Promise<void> | void;
  report: (object: KubeObject, now: number) => Report;
}

export function aTestKind(enqueue: (id: string) => void = () => {}): TestKind {
  const store = new Store<KubeObject>({
    onChange: (key, _now, _before, origin) => {
      if (origin !== 'own-write') enqueue(idOf(key));
    },
  });
  const acted: string[] = [];
  const recorded: { key: string; how: Recorded }[] = [];
  const settled: { key: string; isOpen: boolean }[] = [];
  const forgotten: string[] = [];
  const test: TestKind = {
    store,
    acted,
    recorded,
    settled,
    forgotten,
    act: () => {},
    report: (object, now) => anAttempt(object, now),
    kind: defineKind<KubeObject, undefined, undefined, undefined>({
      type: PIPE,
      store,
      recordsIn,
      load: () => undefined,
      plan: () => undefined,
      async act(object) {
        acted.push(keyOf(object));
        await test.act(object);
        return undefined;
      },
      report: (object, _done, now) => test.report(object, now),
      recorded: (key, how) => void recorded.push({ key, how }),
      release: (key, isOpen) => void settled.push({ key, isOpen }),
      forget: (key) => void forgotten.push(key),
      takeOver: () => undefined,
    }),
  };
  return test;
}

/** The report of a pass that made a call: the whole status, one notice, nothing scheduled. */
export function anAttempt(object: KubeObject, now: number): Report {
  const time = `${new Date(now).toISOString().slice(0, 19)}Z`;
  const status = {
    observedGeneration: object.metadata.generation,
    lastRequest: { time, requestId: `by-us-${now}` },
  };
  return {
    status,
    outcome: awaitChange,
    notices: [aNotice()],
    did: 'put',
    facts: { reason: 'Applied' },
  };
}

function aNotice(): Notice {
  return { type: 'Normal', reason: 'Applied', note: 'Applied 1 setting' };
}

export function idOf(key: string): string {
  return queueKey(PIPE.kind, key);
}

/**
 * Server, client, store, queue and reconciler, put together as the operator does; nothing runs by
 * itself.
 */
export interface Engine extends TestKind {
  readonly server: FakeKubeServer;
  readonly client: KubeClient;
  readonly clock: FakeClock;
  readonly queue: Queue;
  readonly reconciler: Reconciler;
  /** `namespace/name reason` of every notice sent. */
  readonly told: string[];
  /** One pass over a key, as a worker would make it. */
  pass(key: string): ReturnType<Reconciler['run']>;
  /** Creates the object on the server and puts it into the store. */
  given(key: string, content?: object): KubeObject;
  /** Lets the store know what the server holds, as a watch would. */
  hear(key: string): void;
  close(): Promise<void>;
}

export async function startEngine(): Promise<Engine> {
  const server = await new FakeKubeServer().start();
  const clock = new FakeClock();
  const client = createKubeClient(server.cluster);
  const queue = new Queue({ clock });
  const test = aTestKind((id) => queue.add(id, 'user'));
  const told: string[] = [];
  const reconciler = new Reconciler({
    client,
    clock,
    emit: (object, _type, { reason }) => void told.push(`${keyOf(object)} ${reason}`),
  });
  const { kind, store } = test;
  return Object.assign(test, {
    server,
    client,
    clock,
    queue,
    reconciler,
    told,
    pass: (key: string) => reconciler.run(kind, idOf(key), key),
    given(key: string, content: object = {}) {
      const object = server.create(PIPE, key, content);
      store.sink().apply('ADDED', object);
      return object;
    },
    hear(key: string) {
      const object = server.get(PIPE, key);
      const held = store.get(key);
      if (object) store.sink().apply('MODIFIED', object);
      else if (held)
        store.sink().apply('DELETED', {
          ...held,
          metadata: { ...held.metadata, resourceVersion: '999999' },
        });
    },
    async close() {
      await client.close();
      await server.stop();
    },
  });
}
