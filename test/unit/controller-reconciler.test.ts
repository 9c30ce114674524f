import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awaitChange, goOn, recheckAt } from '../../src/controller/outcome.ts';
import { anAttempt, type Engine, idOf, PIPE, startEngine } from '../support/engine.ts';
import { expectKept, expectRefusal, KEY, stored } from '../support/status-writes.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.close());

describe('the status write', () => {
  test('carries resourceVersion and uid as precondition, the whole status, and no spec', async () => {
    const { metadata } = engine.given(KEY, { spec: { speed: 1 } });
    await engine.pass(KEY);
    expect(engine.server.statusWrites).toEqual([
      {
        apiVersion: 'test.dev/v1',
        kind: 'Pipe',
        metadata: {
          name: 'orders',
          namespace: 'ns',
          uid: metadata.uid,
          resourceVersion: metadata.resourceVersion,
        },
        status: stored(engine)?.status,
      },
    ]);
    expect(stored(engine)?.spec).toEqual({ speed: 1 });
  });

  test('does not happen where it would change nothing', async () => {
    const status = { lastRequest: { time: '2026-01-01T00:00:00Z' } };
    engine.given(KEY, { status });
    engine.report = () => ({
      status: { lastRequest: { ...status.lastRequest } },
      outcome: awaitChange,
      did: 'show',
    });
    await engine.pass(KEY);
    expect(engine.server.calls).toEqual([]);
  });

  test('does not happen where a pass has nothing to say; its notices are sent all the same', async () => {
    engine.given(KEY);
    engine.report = (object, now) => {
      const { status: _, ...silent } = anAttempt(object, now);
      return silent;
    };
    await engine.pass(KEY);
    expect(engine.server.calls).toEqual([]);
    expect(engine.told).toEqual(['ns/orders Applied']);
  });

  test('brings the new version into the store and no second pass', async () => {
    engine.given(KEY);
    const stop = new AbortController();
    expect(await engine.queue.take(stop.signal)).toBe(idOf(KEY));
    await engine.pass(KEY);
    engine.hear(KEY);
    engine.queue.done(idOf(KEY));
    expect(engine.store.get(KEY)?.metadata.resourceVersion).toBe(
      stored(engine)?.metadata.resourceVersion,
    );
    expect(engine.queue.depth).toBe(0);
  });

  test('leaves the outcome to the kind', async () => {
    engine.given(KEY);
    engine.report = (object, now) => ({
      ...anAttempt(object, now),
      outcome: recheckAt(now + 5_000),
    });
    const { outcome, did, facts } = await engine.pass(KEY);
    expect({ outcome, did, facts }).toEqual({
      outcome: recheckAt(engine.clock.now() + 5_000),
      did: 'put',
      facts: { reason: 'Applied' },
    });
  });
});

describe('a pass', () => {
  test('that throws leaves nothing kept and gives back what was held', async () => {
    engine.given(KEY);
    engine.act = () => {
      throw new TypeError('a bug');
    };
    await expect(engine.pass(KEY)).rejects.toThrow('a bug');
    expect(engine.settled).toEqual([{ key: KEY, isOpen: false }]);
  });

  test('that goes on at once leaves open what came of it, also where the next one breaks off, until one ends it', async () => {
    engine.given(KEY);
    engine.report = () => ({ outcome: goOn, did: 'look' });
    await engine.pass(KEY);
    expectKept(engine, true);
    engine.act = () => {
      throw new TypeError('a bug');
    };
    await expect(engine.pass(KEY)).rejects.toThrow('a bug');
    expectKept(engine, true);
    engine.act = () => {};
    engine.report = () => ({ outcome: awaitChange, did: 'wait' });
    await engine.pass(KEY);
    expectKept(engine, false);
  });

  test('over an object that the server had said is gone asks once more, as a restored backup may have brought it back', async () => {
    engine.given(KEY, { spec: { speed: 1 } });
    engine.server.fate = () => ({ status: 404, reason: 'NotFound' });
    await engine.pass(KEY);
    engine.server.calls.length = 0;
    expect((await engine.pass(KEY)).did).toBe('forgot');
    expect(engine.server.calls).toHaveLength(1);
    engine.server.fate = () => undefined;
    engine.server.edit(PIPE, KEY, { spec: { speed: 2 } });
    engine.hear(KEY);
    expect((await engine.pass(KEY)).did).toBe('put');
    expect(stored(engine)).toMatchObject({ spec: { speed: 2 }, status: { observedGeneration: 2 } });
  });

  test('over an object that the server had said is gone forgets it where nobody may ask for it any more, and fails where there is no answer', async () => {
    engine.given(KEY, { spec: { speed: 1 } });
    engine.server.fate = () => ({ status: 404, reason: 'NotFound' });
    await engine.pass(KEY);
    engine.server.fate = () => ({ status: 503, reason: 'ServiceUnavailable' });
    await expectRefusal(engine.pass(KEY), 503);
    engine.server.fate = () => ({ status: 403, reason: 'Forbidden' });
    expect((await engine.pass(KEY)).did).toBe('forgot');
    expect(engine.forgotten).toEqual([KEY]);
  });

  test('over a key without an object forgets it and calls nobody', async () => {
    expect(await engine.pass(KEY)).toMatchObject({ outcome: awaitChange, did: 'forgot' });
    expect(engine.acted).toEqual([]);
    expect(engine.forgotten).toEqual([KEY]);
  });
});
