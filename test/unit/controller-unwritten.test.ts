import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { awaitChange, goOn } from '../../src/controller/outcome.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { anAttempt, type Engine, idOf, PIPE, startEngine } from '../support/engine.ts';
import type { Fate } from '../support/fake-kube-server.ts';
import {
  anothersStatus,
  expectKept,
  expectRefusal,
  KEY,
  requestId,
  spoilWrites,
  stored,
  toldByTheNextStep,
} from '../support/status-writes.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.close());

describe('a status that could not be written', () => {
  const failures: Record<string, { readonly fate: Fate; readonly status: number }> = {
    'an internal error': { fate: { status: 500, reason: 'InternalError' }, status: 500 },
    'too many requests': {
      fate: { status: 429, reason: 'TooManyRequests', retryAfter: 1 },
      status: 429,
    },
    'a missing right': { fate: { status: 403, reason: 'Forbidden' }, status: 403 },
    'a broken connection': { fate: 'reset', status: 0 },
  };
  for (const [what, { fate, status }] of Object.entries(failures)) {
    test(`is kept after ${what} and written before anything else is done, without a second call`, async () => {
      engine.given(KEY);
      spoilWrites(engine, fate, 3);
      for (let tries = 0; tries < 3; tries += 1) {
        await expectRefusal(engine.pass(KEY), status);
        expect(engine.acted).toHaveLength(1);
        expect(engine.told).toEqual([]);
      }
      const seenByPass: unknown[] = [];
      engine.act = () => void seenByPass.push(requestId(engine));
      engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
      await engine.pass(KEY);
      expect(seenByPass).toEqual([expect.stringMatching(/^by-us/)]);
      expect(engine.told).toEqual(['ns/orders Applied']);
      expectKept(engine, false);
    });
  }

  test('is known to the kind to stand before the visit that wrote it does anything else', async () => {
    engine.given(KEY);
    spoilWrites(engine, 'lost');
    await expectRefusal(engine.pass(KEY), 0);
    expect(engine.recorded).toEqual([]);
    const knownToPass: unknown[] = [];
    engine.act = () => void knownToPass.push(...engine.recorded);
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(knownToPass).toEqual([{ key: KEY, how: 'written' }]);
    expect(engine.recorded).toEqual(knownToPass);
  });

  test('is kept while nobody answers at all, and what memory holds of the object stays', async () => {
    engine.given(KEY);
    await engine.server.stop();
    for (let tries = 0; tries < 3; tries += 1) await expectRefusal(engine.pass(KEY), 0);
    expect(engine.acted).toHaveLength(1);
    expect(engine.settled).toEqual(Array.from({ length: 3 }, () => ({ key: KEY, isOpen: true })));
    await engine.server.start();
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(requestId(engine)).toMatch(/^by-us/);
    expect(engine.settled.at(-1)).toEqual({ key: KEY, isOpen: false });
  });

  test('is known to stand when only the answer was lost, whether or not the watch has told of it', async () => {
    for (const key of ['ns/told', 'ns/untold']) {
      engine.given(key);
      spoilWrites(engine, 'lost');
      await expectRefusal(engine.pass(key), 0);
      if (key === 'ns/told') engine.hear(key);
      engine.server.calls.length = 0;
      engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
      await engine.pass(key);
      expect(engine.server.statusWrites).toEqual([]);
      expect(engine.told.filter((line) => line.startsWith(key))).toHaveLength(1);
      expectKept(engine, false);
      engine.report = anAttempt;
    }
  });

  test('is tried once more where the process ends, and told where it stands', async () => {
    for (const [key, fate] of [
      ['ns/refused', { status: 500, reason: 'InternalError' }],
      ['ns/unheard', 'lost'],
    ] as const) {
      engine.given(key);
      spoilWrites(engine, fate);
      await expectRefusal(engine.pass(key), fate === 'lost' ? 0 : 500);
    }
    const visited: string[] = [];
    await engine.reconciler.end((id) => visited.push(id));
    expect(visited.toSorted(), 'for who goes on later').toEqual(
      ['ns/refused', 'ns/unheard'].map(idOf),
    );
    expect(engine.server.get(PIPE, 'ns/refused')?.status).toMatchObject({ observedGeneration: 1 });
    expect(engine.told.toSorted()).toEqual(['ns/refused Applied', 'ns/unheard Applied']);
    expectKept(engine, false);
    await engine.reconciler.end(() => undefined);
    expect(engine.told).toHaveLength(2);
  });

  test('is not tried at the end where it would have to be taken back at once', async () => {
    engine.given(KEY);
    const isOnTop = ({ status }: KubeObject): boolean => status !== undefined;
    engine.report = (object, now) => ({
      ...anAttempt(object, now),
      lastWord: { status: {}, isOnTop },
    });
    spoilWrites(engine, { status: 500, reason: 'InternalError' });
    await expectRefusal(engine.pass(KEY), 500);
    await engine.reconciler.end(() => undefined);
    expect(stored(engine)?.status).toBeUndefined();
    expect(engine.told).toEqual([]);
  });

  test('is not told at the end of an object that was made anew while the one before was written', async () => {
    engine.given(KEY);
    engine.report = (object, now) => ({
      ...anAttempt(object, now),
      lastWord: { status: { observedGeneration: 7 }, isOnTop: () => true },
    });
    vi.spyOn(engine.kind, 'recorded').mockImplementationOnce(() => {
      engine.server.remove(PIPE, KEY);
      const another = engine.server.create(PIPE, KEY);
      engine.store.sink().replace([another], another.metadata.resourceVersion, false);
    });
    await engine.pass(KEY);
    await engine.reconciler.end(() => undefined);
    expect(stored(engine)?.status).toBeUndefined();
  });

  test('is written first where the user says something new, also during the write before it', async () => {
    engine.given(KEY);
    engine.report = (object, now) => ({
      ...anAttempt(object, now),
      outcome: goOn,
      lastWord: { status: { observedGeneration: 7 }, isOnTop: () => true },
    });
    const put = engine.kind.putOwnWrite.bind(engine.kind);
    vi.spyOn(engine.kind, 'putOwnWrite').mockImplementationOnce((...reply) => {
      engine.server.edit(PIPE, KEY, { spec: { speed: 2 } });
      engine.hear(KEY);
      expect(engine.kind.get(KEY)?.metadata.generation, 'an edit waits for the reply').toBe(1);
      put(...reply);
    });
    await engine.pass(KEY);
    expect(engine.kind.get(KEY)?.metadata.generation).toBe(2);
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(stored(engine)?.status).toMatchObject({ observedGeneration: 7 });
  });

  test('is written first where only the next step would tell of it, and the user says something new', async () => {
    engine.given(KEY);
    engine.report = toldByTheNextStep;
    await engine.pass(KEY);
    expect(stored(engine)?.status).toBeUndefined();
    engine.server.edit(PIPE, KEY, { spec: { speed: 2 } });
    engine.hear(KEY);
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(stored(engine)?.status).toMatchObject({ observedGeneration: 1 });
    expect(engine.told).toEqual([`${KEY} Applied`]);
    expectKept(engine, false);
  });

  test('outlasts a next step that Kubernetes breaks off: what was learned is still told where none follows', async () => {
    engine.given(KEY);
    engine.report = toldByTheNextStep;
    await engine.pass(KEY);
    engine.act = () => {
      throw new KubeError({ call: 'GET a Secret', status: 500, reason: 'InternalError', body: '' });
    };
    await expectRefusal(engine.pass(KEY), 500);
    expectKept(engine, true);
    await engine.reconciler.end(() => undefined);
    expect(stored(engine)?.status).toMatchObject({ observedGeneration: 1 });
    expectKept(engine, false);
  });

  test('yields to an attempt that another process has recorded meanwhile', async () => {
    engine.given(KEY);
    spoilWrites(engine, { status: 500, reason: 'InternalError' });
    await expectRefusal(engine.pass(KEY), 500);
    engine.server.edit(PIPE, KEY, { status: anothersStatus('2026-01-01T00:00:09Z') });
    engine.hear(KEY);
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(requestId(engine)).toBe('by-another');
    expect(engine.told).toEqual([]);
    expectKept(engine, false);
  });

  test('is told of where another process goes on from it, though the answer to its write could not be read', async () => {
    engine.given(KEY);
    const request = engine.client.request.bind(engine.client);
    vi.spyOn(engine.client, 'request').mockImplementationOnce(async (call) => {
      await request(call);
      throw new KubeError({ call: 'PUT', status: 200, reason: 'Unreadable', body: 'cut short' });
    });
    await expectRefusal(engine.pass(KEY), 200);
    engine.server.edit(PIPE, KEY, { status: anothersStatus('2026-01-01T00:00:09Z') });
    engine.hear(KEY);
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(engine.told).toEqual(['ns/orders Applied']);
  });

  test('goes away with its object', async () => {
    engine.given(KEY);
    spoilWrites(engine, { status: 500, reason: 'InternalError' });
    await expectRefusal(engine.pass(KEY), 500);
    engine.server.remove(PIPE, KEY);
    engine.hear(KEY);
    expect((await engine.pass(KEY)).did).toBe('forgot');
    expectKept(engine, false);
    expect(engine.forgotten).toEqual([KEY]);
  });

  test('is not written to another object under the same name', async () => {
    engine.given(KEY);
    spoilWrites(engine, { status: 500, reason: 'InternalError' });
    await expectRefusal(engine.pass(KEY), 500);
    engine.server.remove(PIPE, KEY);
    engine.server.create(PIPE, KEY);
    engine.hear(KEY);
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(stored(engine)?.status).toBeUndefined();
    expect(engine.acted).toHaveLength(2);
  });

  test('is tried on while the schema refuses it, and dropped when the user changes the object', async () => {
    engine.given(KEY, { spec: { speed: 1 } });
    const refuse: Fate = {
      status: 422,
      reason: 'Invalid',
      message: 'status.lastRequest: Too long',
    };
    spoilWrites(engine, refuse, 3);
    await expectRefusal(engine.pass(KEY), 422);
    await expectRefusal(engine.pass(KEY), 422);
    expect(engine.acted).toHaveLength(1);
    engine.server.edit(PIPE, KEY, { spec: { speed: 2 } });
    engine.hear(KEY);
    await engine.pass(KEY);
    expect(engine.acted).toHaveLength(2);
    expect(stored(engine)?.status).toMatchObject({ observedGeneration: 2 });
  });

  test('is no sign that the object is gone when only its status subresource is not found', async () => {
    engine.given(KEY);
    spoilWrites(engine, { status: 404, reason: 'NotFound' });
    await expectRefusal(engine.pass(KEY), 404);
    expectKept(engine, true);
  });
});
