import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awaitChange, goOn } from '../../src/controller/outcome.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { type Engine, idOf, PIPE, startEngine } from '../support/engine.ts';
import { isStatusWrite } from '../support/fake-kube-server.ts';
import {
  anothersStatus,
  beforeWrite,
  expectKept,
  expectRefusal,
  KEY,
  requestId,
  spoilWrites,
  stored,
} from '../support/status-writes.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.close());

describe('an object that changed while its pass ran', () => {
  test.each([
    {
      what: 'is lost where somebody else has written the very same first',
      unknown: false,
      how: 'lost',
    },
    {
      what: 'is there where a write without an answer may have put it there',
      unknown: true,
      how: 'written',
    },
  ])('a status that is to go on one version alone $what', async ({ unknown, how }) => {
    const { metadata } = engine.given(KEY);
    const status = { pendingChange: { time: '2026-01-01T00:00:00Z' } };
    const isOnTop = (newer: KubeObject): boolean =>
      newer.metadata.resourceVersion === metadata.resourceVersion;
    engine.report = () => ({ status, outcome: goOn, did: 'intend', isOnTop });
    if (unknown) spoilWrites(engine, 'lost');
    else beforeWrite(engine, () => void engine.server.edit(PIPE, KEY, { status }));
    await engine.pass(KEY).catch(() => engine.pass(KEY));
    expect(engine.recorded[0]).toEqual({ key: KEY, how });
  });

  test('gets the same status on top of the newer version, and another look at the new generation', async () => {
    engine.given(KEY, { spec: { speed: 1 } });
    const stop = new AbortController();
    await engine.queue.take(stop.signal);
    beforeWrite(engine, () => void engine.server.edit(PIPE, KEY, { spec: { speed: 2 } }));
    await engine.pass(KEY);
    expect(stored(engine)).toMatchObject({
      spec: { speed: 2 },
      metadata: { generation: 2 },
      status: { observedGeneration: 1 },
    });
    expect(engine.acted).toHaveLength(1);
    // The watch's own news of that version comes too late to be news.
    engine.hear(KEY);
    engine.queue.done(idOf(KEY));
    expect(engine.queue.depth).toBe(1);
  });

  test('gets another look where a restored cluster has given its version twice, and only the reply to the write shows the change', async () => {
    const before = engine.given(KEY, { spec: { speed: 1 } });
    const { resourceVersion } = engine.server.edit(PIPE, KEY, { spec: { speed: 2 } }).metadata;
    engine.store.sink().apply('MODIFIED', {
      ...before,
      metadata: { ...before.metadata, resourceVersion },
    });
    await engine.queue.take(new AbortController().signal);
    await engine.pass(KEY);
    expect(engine.store.get(KEY)).toMatchObject({
      spec: { speed: 2 },
      status: { observedGeneration: 1 },
    });
    engine.queue.done(idOf(KEY));
    expect(engine.queue.depth).toBe(1);
  });

  test('is not held back by what was said of another spec, where a restored cluster has given the generation twice too', async () => {
    const before = engine.given(KEY, { spec: { speed: 1 } });
    const { resourceVersion, generation = 0 } = engine.server.edit(PIPE, KEY, {
      spec: { speed: 2 },
    }).metadata;
    engine.store.sink().apply('MODIFIED', {
      ...before,
      metadata: { ...before.metadata, resourceVersion, generation },
    });
    const ready = {
      type: 'Ready',
      status: 'False',
      reason: 'Rejected',
      observedGeneration: generation,
    };
    engine.report = () => ({ status: { conditions: [ready] }, outcome: awaitChange, did: 'put' });
    await engine.pass(KEY);
    expect(stored(engine)?.status).toEqual({ conditions: [ready] });
    expect(engine.store.get(KEY)).toMatchObject({
      spec: { speed: 2 },
      status: { conditions: [{ ...ready, observedGeneration: 0 }] },
    });
  });

  test.each([
    { what: 'is as the reply to the write shows it', heardAt: 2, speed: 1 },
    {
      what: 'may be as a version shows it that came while the write was under way',
      heardAt: 3,
      speed: 2,
    },
  ])(
    '$what, where a restored cluster has taken a newer version back',
    async ({ heardAt, speed }) => {
      const { metadata } = engine.given(KEY, { spec: { speed: 1 } });
      engine.server.edit(PIPE, KEY, { annotations: { by: 'another' } });
      const lost = {
        metadata: { ...metadata, resourceVersion: '999', generation: 2 },
        spec: { speed: 2 },
      };
      engine.server.fate = () => {
        if (engine.server.calls.length === heardAt) engine.store.sink().apply('MODIFIED', lost);
        return undefined;
      };
      await engine.pass(KEY);
      expect(engine.server.calls.map(({ method }) => method)).toEqual(['PUT', 'GET', 'PUT']);
      expect(engine.store.get(KEY)?.spec).toEqual({ speed });
    },
  );

  test('gets another look though the write on top of it fails', async () => {
    engine.given(KEY, { spec: { speed: 1 } });
    await engine.queue.take(new AbortController().signal);
    let writes = 0;
    engine.server.fate = (call) => {
      if (!isStatusWrite(call)) return undefined;
      writes += 1;
      if (writes === 1) engine.server.edit(PIPE, KEY, { spec: { speed: 2 } });
      return writes === 2 ? { status: 500, reason: 'InternalError' } : undefined;
    };
    await expectRefusal(engine.pass(KEY), 500);
    engine.queue.done(idOf(KEY));
    expect(engine.queue.depth).toBe(1);
  });

  test('is left to whoever recorded another attempt meanwhile, even within the same second', async () => {
    const lastRequest = { time: '2026-01-01T00:00:00Z', requestId: 'before-both' };
    engine.given(KEY, { status: { observedGeneration: 1, lastRequest } });
    await engine.queue.take(new AbortController().signal);
    beforeWrite(
      engine,
      () => void engine.server.edit(PIPE, KEY, { status: anothersStatus('2026-01-01T00:00:00Z') }),
    );
    const { outcome } = await engine.pass(KEY);
    expect(requestId(engine)).toBe('by-another');
    expect(outcome).toEqual(awaitChange);
    expect(engine.told).toEqual([]);
    engine.queue.done(idOf(KEY));
    expect(engine.queue.depth).toBe(1);
    expectKept(engine, false);
  });

  test('is not left to an attempt older than the one that was known, as from a backup', async () => {
    engine.given(KEY, { status: anothersStatus('2025-12-31T00:00:00Z') });
    beforeWrite(
      engine,
      () => void engine.server.edit(PIPE, KEY, { status: anothersStatus('2025-06-01T00:00:00Z') }),
    );
    await engine.pass(KEY);
    expect(requestId(engine)).toMatch(/^by-us/);
  });

  test('gets nothing of it when it was deleted and made again under the same name', async () => {
    engine.given(KEY);
    beforeWrite(engine, () => {
      engine.server.remove(PIPE, KEY);
      engine.server.create(PIPE, KEY, { spec: { speed: 3 } });
    });
    await engine.pass(KEY);
    expect(stored(engine)?.status).toBeUndefined();
    expect(engine.server.statusWrites).toHaveLength(1);
    expect(engine.told).toEqual([]);
    expectKept(engine, false);
  });

  test('shows what the one that has its name now declares by then', async () => {
    engine.given(KEY);
    beforeWrite(engine, () => {
      engine.server.remove(PIPE, KEY);
      engine.server.create(PIPE, KEY, { spec: { speed: 3 } });
      engine.hear(KEY);
      engine.server.edit(PIPE, KEY, { spec: { speed: 4 } });
    });
    await engine.pass(KEY);
    expect(engine.kind.get(KEY)?.spec).toEqual({ speed: 4 });
  });

  test('gets nothing written when the store already knows the new object under its name', async () => {
    engine.given(KEY);
    engine.act = () => {
      engine.server.remove(PIPE, KEY);
      engine.server.create(PIPE, KEY);
      engine.hear(KEY);
    };
    await engine.pass(KEY);
    expect(engine.server.calls).toEqual([]);
  });

  test('is given up when it is gone, without a notice, and nothing more is done for it before its watch says so', async () => {
    engine.given(KEY);
    beforeWrite(engine, () => engine.server.remove(PIPE, KEY));
    expect((await engine.pass(KEY)).outcome).toEqual(awaitChange);
    expect(engine.told).toEqual([]);
    expectKept(engine, false);
    expect((await engine.pass(KEY)).did).toBe('forgot');
  });

  test('is written at most six times in a row against somebody who writes all the time', async () => {
    engine.given(KEY);
    engine.server.fate = (call) => {
      if (isStatusWrite(call)) engine.server.edit(PIPE, KEY, { spec: {} });
      return undefined;
    };
    await expectRefusal(engine.pass(KEY), 409);
    expect(engine.server.statusWrites).toHaveLength(6);
    expectKept(engine, true);
  });
});
