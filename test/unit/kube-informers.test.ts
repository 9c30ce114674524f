import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKubeClient } from '../../src/kube/client.ts';
import { type Informers, startInformers } from '../../src/kube/follow.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { Store } from '../../src/kube/store.ts';
import { PIPE } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { FakeKubeServer, type Fate } from '../support/fake-kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

const FORBIDDEN: Fate = {
  status: 403,
  reason: 'Forbidden',
  message: 'pipes.test.dev is forbidden: User "pw" cannot list',
};
const NOT_FOUND: Fate = { status: 404, reason: 'NotFound' };
const DOWN: Fate = { status: 503, reason: 'ServiceUnavailable' };

let server: FakeKubeServer;
let clock: FakeClock;
let store: Store<KubeObject>;
let stop: AbortController;
let messages: readonly string[];
let isSynced: boolean;

beforeEach(async () => {
  server = await new FakeKubeServer().start();
  clock = new FakeClock();
  store = new Store<KubeObject>({
    trim: (object) => object,
    indexes: {},
    onChange: () => undefined,
  });
  stop = new AbortController();
  isSynced = false;
  server.create(PIPE, 'a/one');
  server.create(PIPE, 'b/two');
});
afterEach(async () => {
  stop.abort();
  await server.stop();
});

function start(namespaces: readonly string[]): Informers {
  const recorded = recordingLog();
  ({ messages } = recorded);
  const informers = startInformers([{ type: PIPE, store }], namespaces, {
    cluster: server.cluster,
    client: createKubeClient(server.cluster, clock),
    labelSelector: undefined,
    clock,
    log: recorded.log,
    signal: stop.signal,
  });
  void informers.synced.then(() => {
    isSynced = true;
  });
  return informers;
}

/** Refuses everything about one namespace, or about all. */
function refuse(fate: Fate | undefined, namespace?: string): void {
  server.fate = ({ path }) =>
    namespace === undefined || path.includes(`/namespaces/${namespace}/`) ? fate : undefined;
}

/** Lets so much time pass, in steps in which answers come. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    const before = server.calls.length;
    await clock.advance(1_000);
    for (let turn = 0; turn < 20 && server.calls.length === before; turn += 1) await settle();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The same, until this holds; for at most a minute, as an answer may come a step late. */
async function passUntil(holds: () => boolean): Promise<void> {
  for (let second = 0; second < 60 && !holds(); second += 1) await pass(1);
}

describe('what is waited for', () => {
  test.each([
    ['every namespace', [], ['a/one', 'b/two']],
    ['those that are named', ['b'], ['b/two']],
  ])('is the first list of %s', async (_, namespaces, expected) => {
    const informers = start(namespaces);
    expect(informers.missing()).toContain('the first list is not complete');
    await informers.synced;
    expect(informers.missing()).toBeUndefined();
    expect(
      [...store.values()].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    ).toEqual(expected);
  });

  test('is told with what to do while the server refuses', async () => {
    refuse(FORBIDDEN);
    const informers = start([]);
    await eventually(() =>
      expect(informers.missing()).toContain('is forbidden: User "pw" cannot list'),
    );
    refuse(NOT_FOUND);
    await pass(3);
    expect(informers.missing()).toContain(
      'the API server knows no pipes.test.dev; install the CRDs of this release',
    );
    await pass(60);
    expect(isSynced).toBe(false);
    refuse(undefined);
    await passUntil(() => isSynced);
    await informers.synced;
  });

  test.each([FORBIDDEN, NOT_FOUND])(
    'is no namespace that has been refused for about 30 s, which is asked again all the same (%j)',
    async (fate) => {
      refuse(fate, 'b');
      const informers = start(['a', 'b']);
      await eventually(() => expect([...store.values()]).toHaveLength(1));
      await eventually(() =>
        expect(informers.missing() ?? '').toMatch(/^pipes in namespace "b": /),
      );
      await pass(24);
      expect(isSynced).toBe(false);
      await passUntil(() => isSynced);
      expect(isSynced).toBe(true);
      expect(informers.missing()).toBeUndefined();
      expect(messages).toContainEqual(
        'warn a list has been refused for 30 s; going on without it {"list":"pipes in namespace "b""}',
      );
      refuse(undefined);
      await passUntil(() => [...store.values()].length === 2);
      expect([...store.values()]).toHaveLength(2);
      expect(informers.missing()).toBeUndefined();
    },
  );

  test('is a namespace that fails in another way, however long', async () => {
    refuse(FORBIDDEN, 'b');
    start(['a', 'b']);
    await pass(10);
    refuse(DOWN, 'b');
    await pass(60);
    expect(isSynced).toBe(false);
  });
});
