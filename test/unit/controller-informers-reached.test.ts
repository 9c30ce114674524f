import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Informers, startInformers } from '../../src/controller/informers.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts';
import { aTestKind, PIPE, type TestKind } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeKubeServer, type Fate } from '../support/fake-kube-server.ts';
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

const FORBIDDEN: Fate = {
  status: 403,
  reason: 'Forbidden',
  message: 'pipes.test.dev is forbidden',
};
const UNWELL: Fate = { status: 500, reason: 'InternalError', message: 'etcd is away' };

function forbid(namespace: string): void {
  server.fate = ({ path }) => (path.includes(`/namespaces/${namespace}/`) ? FORBIDDEN : undefined);
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

  test('without the namespaces that stay forbidden, which are waited for half a minute, by name', async () => {
    server.create(PIPE, 'b/two', { spec: { late: false } });
    const informers = await start(['a', 'b']);
    forbid('a');
    const state = asking(informers, editUnheard('b/two'));
    await eventually(() => expect(seen('b/two')).toEqual({ late: true }));
    await eventually(() =>
      expect(informers.missing()).toMatch(/^pipes in namespace "a": .*forbidden/),
    );
    await clock.advance(29_999);
    expect(state.isOver).toBe(false);
    await clock.advance(1);
    await eventually(() => expect(state.isOver).toBe(true));
    expect(informers.missing()).toBeUndefined();
  });

  test('without a namespace that was passed over before and is forbidden still, at once', async () => {
    server.create(PIPE, 'b/two', { spec: { late: false } });
    const informers = await start(['a', 'b']);
    forbid('a');
    const early = asking(informers, editUnheard('b/two'));
    await eventually(() => expect(informers.missing()).toBeDefined());
    await clock.advance(30_000);
    await eventually(() => expect(early.isOver).toBe(true));
    const { resourceVersion } = server.edit(PIPE, 'b/two', { spec: { late: 'again' } }).metadata;
    const before = clock.monotonic();
    const late = asking(informers, resourceVersion);
    await eventually(async () => {
      await clock.advance(0);
      expect(late.isOver).toBe(true);
    });
    expect([seen('b/two'), clock.monotonic()]).toEqual([{ late: 'again' }, before]);
  });

  test('with one that was passed over and has been allowed since', async () => {
    server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    forbid('a');
    const early = asking(informers, editUnheard('a/one'));
    await eventually(() => expect(informers.missing()).toBeDefined());
    await clock.advance(30_000);
    await eventually(() => expect(early.isOver).toBe(true));
    server.fate = () => undefined;
    await informers.reached(
      server.edit(PIPE, 'a/one', { spec: { late: 'again' } }).metadata.resourceVersion,
    );
    expect(seen('a/one')).toEqual({ late: 'again' });
    // Forbidden once more, it has its half a minute again.
    forbid('a');
    const late = asking(informers, editUnheard('a/one'));
    await eventually(() => expect(informers.missing()).toBeDefined());
    await clock.advance(29_999);
    expect(late.isOver).toBe(false);
    await clock.advance(1);
    await eventually(() => expect(late.isOver).toBe(true));
  });

  test('with one of which only the watch is forbidden', async () => {
    server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    server.fate = ({ watch }) => (watch ? FORBIDDEN : undefined);
    for (const late of [1, 2]) {
      await clock.advance(60_000);
      const { resourceVersion } = server.edit(PIPE, 'a/one', { spec: { late } }).metadata;
      await informers.reached(resourceVersion);
      expect(seen('a/one')).toEqual({ late });
    }
  });

  test('not when it was forbidden for a moment and fails otherwise since', async () => {
    server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    forbid('a');
    const state = asking(informers, editUnheard('a/one'));
    await eventually(() => expect(informers.missing()).toContain('forbidden'));
    server.fate = () => UNWELL;
    await eventually(async () => {
      await clock.advance(1_000);
      expect(informers.missing()).toContain('etcd is away');
    });
    await clock.advance(120_000);
    expect([state.isOver, seen('a/one')]).toEqual([false, { late: false }]);
  });

  test('not while the list fails otherwise', async () => {
    server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    server.fate = () => UNWELL;
    const state = asking(informers, editUnheard('a/one'));
    await eventually(() => expect(informers.missing()).toContain('etcd is away'));
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
