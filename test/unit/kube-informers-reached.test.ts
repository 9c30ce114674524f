import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Informers } from '../../src/kube/cache/informers.ts';
import { PIPE } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import type { Fate } from '../support/fake-kube-server.ts';
import { FORBIDDEN, Informed } from '../support/informed.ts';

let on: Informed;

beforeEach(async () => {
  on = await Informed.open();
});
afterEach(() => on.close());

/** Synced, and with all its watches open. */
async function start(namespaces: readonly string[]): Promise<Informers> {
  const informers = on.start(namespaces);
  await informers.synced;
  await eventually(() => expect(on.server.openWatches).toBe(Math.max(namespaces.length, 1)));
  return informers;
}

/** Edits what the watches do not tell of; the version that it has then. */
function editUnheard(key: string): string {
  on.server.holdWatches();
  return on.server.edit(PIPE, key, { spec: { late: true } }).metadata.resourceVersion;
}

function seen(key: string): unknown {
  return on.pipes.get(key)?.spec;
}

const UNWELL: Fate = { status: 500, reason: 'InternalError', message: 'etcd is away' };

function asking(informers: Informers, version: string): { isOver: boolean } {
  const state = { isOver: false };
  void informers.reached(version).then(() => (state.isOver = true));
  return state;
}

describe('a version is reached', () => {
  test.each([[[]], [['a', 'b']]])(
    'when what was written up to it is in the store, though no watch tells of it (namespaces %j)',
    async (namespaces) => {
      for (const key of ['a/one', 'b/two']) on.server.create(PIPE, key, { spec: { late: false } });
      const informers = await start(namespaces);
      editUnheard('a/one');
      const version = editUnheard('b/two');
      expect([seen('a/one'), seen('b/two')]).toEqual([{ late: false }, { late: false }]);
      await informers.reached(version);
      expect([seen('a/one'), seen('b/two')]).toEqual([{ late: true }, { late: true }]);
    },
  );

  test('without the namespaces that stay forbidden, which are waited for half a minute, by name', async () => {
    on.server.create(PIPE, 'b/two', { spec: { late: false } });
    const informers = await start(['a', 'b']);
    on.refuse(FORBIDDEN, 'a');
    const state = asking(informers, editUnheard('b/two'));
    await eventually(() => expect(seen('b/two')).toEqual({ late: true }));
    await eventually(() =>
      expect(informers.missing()).toMatch(/^pipes in namespace "a": .*forbidden/),
    );
    await on.clock.advance(29_999);
    expect(state.isOver).toBe(false);
    await on.clock.advance(1);
    await eventually(() => expect(state.isOver).toBe(true));
    expect(informers.missing()).toBeUndefined();
  });

  test('without a namespace that was passed over before and is forbidden still, at once', async () => {
    on.server.create(PIPE, 'b/two', { spec: { late: false } });
    const informers = await start(['a', 'b']);
    on.refuse(FORBIDDEN, 'a');
    const early = asking(informers, editUnheard('b/two'));
    await eventually(() => expect(informers.missing()).toBeDefined());
    await on.clock.advance(30_000);
    await eventually(() => expect(early.isOver).toBe(true));
    const { resourceVersion } = on.server.edit(PIPE, 'b/two', { spec: { late: 'again' } }).metadata;
    const before = on.clock.monotonic();
    const late = asking(informers, resourceVersion);
    await eventually(async () => {
      await on.clock.advance(0);
      expect(late.isOver).toBe(true);
    });
    expect([seen('b/two'), on.clock.monotonic()]).toEqual([{ late: 'again' }, before]);
  });

  test('with one that was passed over and has been allowed since', async () => {
    on.server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    on.refuse(FORBIDDEN, 'a');
    const early = asking(informers, editUnheard('a/one'));
    await eventually(() => expect(informers.missing()).toBeDefined());
    await on.clock.advance(30_000);
    await eventually(() => expect(early.isOver).toBe(true));
    on.server.fate = () => undefined;
    await informers.reached(
      on.server.edit(PIPE, 'a/one', { spec: { late: 'again' } }).metadata.resourceVersion,
    );
    expect(seen('a/one')).toEqual({ late: 'again' });
    // Forbidden once more, it has its half a minute again.
    on.refuse(FORBIDDEN, 'a');
    const late = asking(informers, editUnheard('a/one'));
    await eventually(() => expect(informers.missing()).toBeDefined());
    await on.clock.advance(29_999);
    expect(late.isOver).toBe(false);
    await on.clock.advance(1);
    await eventually(() => expect(late.isOver).toBe(true));
  });

  test('with one of which only the watch is forbidden', async () => {
    on.server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    on.server.fate = ({ watch }) => (watch ? FORBIDDEN : undefined);
    for (const late of [1, 2]) {
      await on.clock.advance(60_000);
      const { resourceVersion } = on.server.edit(PIPE, 'a/one', { spec: { late } }).metadata;
      await informers.reached(resourceVersion);
      expect(seen('a/one')).toEqual({ late });
    }
  });

  test('not when it was forbidden for a moment and fails otherwise since', async () => {
    on.server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    on.refuse(FORBIDDEN, 'a');
    const state = asking(informers, editUnheard('a/one'));
    await eventually(() => expect(informers.missing()).toContain('forbidden'));
    on.server.fate = () => UNWELL;
    await eventually(async () => {
      await on.clock.advance(1_000);
      expect(informers.missing()).toContain('etcd is away');
    });
    await on.clock.advance(120_000);
    expect([state.isOver, seen('a/one')]).toEqual([false, { late: false }]);
  });

  test('not while the list fails otherwise', async () => {
    on.server.create(PIPE, 'a/one', { spec: { late: false } });
    const informers = await start(['a']);
    on.server.fate = () => UNWELL;
    const state = asking(informers, editUnheard('a/one'));
    await eventually(() => expect(informers.missing()).toContain('etcd is away'));
    await on.clock.advance(120_000);
    expect(state.isOver).toBe(false);
    on.server.fate = () => undefined;
    await eventually(async () => {
      await on.clock.advance(30_000);
      expect(state.isOver).toBe(true);
    });
    expect(seen('a/one')).toEqual({ late: true });
  });
});
