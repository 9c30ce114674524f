import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Informers, startInformers } from '../../src/controller/informers.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts';
import { aTestKind, PIPE, type TestKind } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

let server: FakeKubeServer;
let client: KubeClient;
let clock: FakeClock;
let stop: AbortController;
let pipes: TestKind;

beforeEach(async () => {
  server = await new FakeKubeServer().start();
  client = createKubeClient(server.cluster);
  clock = new FakeClock();
  stop = new AbortController();
  pipes = aTestKind();
});
afterEach(async () => {
  stop.abort();
  await client.close();
  await server.stop();
});

/** Synced, and with all its watches open. */
async function start(namespaces: readonly string[]): Promise<Informers> {
  const informers = startInformers({
    client,
    kinds: [pipes.kind],
    namespaces,
    labelSelector: undefined,
    clock,
    log: recordingLog().log,
    signal: stop.signal,
  });
  await informers.synced;
  await eventually(() => expect(server.openWatches).toBe(Math.max(namespaces.length, 1)));
  return informers;
}

/** Edits what the watches do not tell of; the version that it has then. */
function editUnheard(key: string): string {
  server.holdWatches();
  return server.edit(PIPE, key, { spec: { late: true } }).metadata.resourceVersion;
}

function seen(key: string): unknown {
  return pipes.store.get(key)?.spec;
}

function forbid(namespace: string): void {
  server.fate = ({ path }) =>
    path.includes(`/namespaces/${namespace}/`)
      ? { status: 403, reason: 'Forbidden', message: 'pipes.test.dev is forbidden' }
      : undefined;
}

function asking(informers: Informers, version: string): { isOver: boolean } {
  const state = { isOver: false };
  void informers.reached(version).then(() => (state.isOver = true));
  return state;
}

describe('a version is reached', () => {
  test.each([[[]], [['a', 'b']]])(
    'when what was written up to it is in the store, though no watch tells of it (namespaces %j)',
    async (namespaces) => {
      for (const key of ['a/one', 'b/two']) server.create(PIPE, key, { spec: { late: false } });
      const informers = await start(namespaces);
      editUnheard('a/one');
      const version = editUnheard('b/two');
      expect([seen('a/one'), seen('b/two')]).toEqual([{ late: false }, { late: false }]);
      await informers.reached(version);
      expect([seen('a/one'), seen('b/two')]).toEqual([{ late: true }, { late: true }]);
    },
  );

  test('without the namespaces that stay forbidden, which are waited for half a minute', async () => {
    server.create(PIPE, 'b/two', { spec: { late: false } });
    const informers = await start(['a', 'b']);
    forbid('a');
    const state = asking(informers, editUnheard('b/two'));
    await eventually(() => expect(seen('b/two')).toEqual({ late: true }));
    await clock.advance(29_999);
    expect(state.isOver).toBe(false);
    await eventually(async () => {
      await clock.advance(1);
      expect(state.isOver).toBe(true);
    });
  });

  test('with a namespace again that was forbidden for long, once it is allowed', async () => {
    server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    forbid('a');
    const early = asking(informers, editUnheard('a/one'));
    await eventually(async () => {
      await clock.advance(10_000);
      expect(early.isOver).toBe(true);
    });
    // Passed over, it holds up nobody who asks now either.
    await informers.reached(server.edit(PIPE, 'a/one', {}).metadata.resourceVersion);
    expect(seen('a/one')).toEqual({ late: false });
    server.fate = () => undefined;
    server.releaseWatches();
    await eventually(async () => {
      await clock.advance(10_000);
      expect(server.openWatches).toBe(1);
    });
    server.edit(PIPE, 'a/one', { spec: { late: 'told' } });
    await eventually(() => expect(seen('a/one')).toEqual({ late: 'told' }));
    const gate = Promise.withResolvers<undefined>();
    const lists = (): number =>
      server.calls.filter(({ path, watch }) => path.includes('/namespaces/a/') && !watch).length;
    const before = lists();
    server.fate = ({ watch }) => (watch ? undefined : gate.promise);
    const late = asking(informers, editUnheard('a/one'));
    await eventually(() => expect(lists()).toBe(before + 1));
    expect(late.isOver).toBe(false);
    gate.resolve(undefined);
    await eventually(() => expect(late.isOver).toBe(true));
    expect(seen('a/one')).toEqual({ late: true });
  });

  test('not while the list fails otherwise', async () => {
    server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    server.fate = () => ({ status: 500, reason: 'InternalError', message: 'etcd is away' });
    const state = asking(informers, editUnheard('a/one'));
    await clock.advance(120_000);
    expect(state.isOver).toBe(false);
    server.fate = () => undefined;
    await eventually(async () => {
      await clock.advance(30_000);
      expect(state.isOver).toBe(true);
    });
    expect(seen('a/one')).toEqual({ late: true });
  });
});
