import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awaitChange, goOn } from '../../src/controller/outcome.ts';
import { confirmsTheSame } from '../../src/controller/superseded.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { anAttempt, type Engine, idOf, PIPE, startEngine } from '../support/engine.ts';
import { isStatusWrite } from '../support/fake-kube-server.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.close());

const KEY = 'ns/orders';

/** A record of a request at this second, by another process. */
function ofAnother(second: number): object {
  const time = new Date(engine.clock.now() + second * 1_000).toISOString().replace(/\.\d+/, '');
  return { lastRequest: { time, requestId: `of-${second}` } };
}

/** Runs before the remote side answers. */
function meanwhile(run: () => void): void {
  engine.act = () => {
    engine.act = () => {};
    run();
  };
}

describe('a result on top of which another stands', () => {
  test.for([false, true])(
    'is not written, and nobody is told of it; the store knows of the other: %s',
    async (isKnown) => {
      engine.given(KEY);
      meanwhile(() => {
        engine.server.edit(PIPE, KEY, { status: ofAnother(9) });
        if (isKnown) engine.hear(KEY);
      });
      await engine.pass(KEY);
      expect(engine.server.get(PIPE, KEY)?.status).toEqual(ofAnother(9));
      expect(engine.told).toEqual([]);
    },
  );
});

test('a result that may have stood there is told, though another stands on top of it by now: that one is silent about what it found done', async () => {
  engine.given(KEY);
  engine.server.fate = (call) => (isStatusWrite(call) ? 'lost' : undefined);
  await expect(engine.pass(KEY)).rejects.toThrow(KubeError);
  engine.server.fate = () => undefined;
  engine.server.edit(PIPE, KEY, { status: ofAnother(9) });
  engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
  await engine.pass(KEY);
  expect(engine.server.get(PIPE, KEY)?.status).toEqual(ofAnother(9));
  expect(engine.told).toEqual([`${KEY} Applied`]);
});

test('a result that has not stood there is not told where it may not go on top: what stands there is what was there before', async () => {
  const { metadata } = engine.given(KEY, { status: ofAnother(1) });
  engine.server.fate = (call) => (isStatusWrite(call) ? 'reset' : undefined);
  const isOnTop = (newer: KubeObject): boolean =>
    newer.metadata.resourceVersion === metadata.resourceVersion;
  engine.report = (object, now) => ({ ...anAttempt(object, now), isOnTop });
  await expect(engine.pass(KEY)).rejects.toThrow(KubeError);
  engine.server.fate = () => undefined;
  engine.server.edit(PIPE, KEY, { annotations: { some: 'note' } });
  expect((await engine.pass(KEY)).did).toBe('dropped');
  expect(engine.told).toEqual([]);
});

test.each([
  { answer: 'refused', fate: undefined },
  { answer: 'without an answer', fate: 'reset' as const },
])(
  'what a step has learned is written where the status of the next one, which would have told it, is lost to an edit: $answer',
  async ({ fate }) => {
    const { metadata } = engine.given(KEY);
    engine.report = (object, now) => {
      const { status = {}, notices = [] } = anAttempt(object, now);
      return { outcome: goOn, did: 'look', lastWord: { status, notices } };
    };
    await engine.pass(KEY);
    const isOnTop = (newer: KubeObject): boolean =>
      newer.metadata.resourceVersion === metadata.resourceVersion;
    const status = { pendingChange: {} };
    engine.report = () => ({
      status,
      isOnTop,
      outcome: goOn,
      did: 'intend',
      lastWord: { status: {} },
    });
    engine.server.fate = (call) => {
      if (!isStatusWrite(call)) return undefined;
      engine.server.fate = () => undefined;
      engine.server.edit(PIPE, KEY, { annotations: { some: 'note' } });
      return fate;
    };
    await engine.pass(KEY).catch(() => engine.pass(KEY));
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(engine.server.get(PIPE, KEY)?.status).toMatchObject({ observedGeneration: 1 });
    expect(engine.told).toEqual([`${KEY} Applied`]);
    expect(engine.recorded.map(({ how }) => how)).toEqual(['lost', 'written']);
  },
);

describe('where the status of an intent has failed to be written and nothing follows any more', () => {
  test.each([
    {
      it: 'was refused',
      fate: { status: 500, reason: 'InternalError' },
      stands: { observedGeneration: 1 },
    },
    { it: 'never arrived', fate: 'reset' as const, stands: { observedGeneration: 1 } },
    { it: 'may stand', fate: 'lost' as const, stands: { withdrawn: true } },
  ])(
    'what was learned before it is written, and told, and the intent does not stand: $it',
    async ({ fate, stands }) => {
      const { metadata } = engine.given(KEY);
      const learned = (object: KubeObject, now: number) => {
        const { status = {}, notices = [] } = anAttempt(object, now);
        return { status, notices };
      };
      engine.report = (object, now) => ({
        outcome: goOn,
        did: 'send',
        lastWord: learned(object, now),
      });
      await engine.pass(KEY);
      engine.report = (object, now) => ({
        status: { pendingChange: {} },
        notices: learned(object, now).notices,
        isOnTop: (newer) => newer.metadata.resourceVersion === metadata.resourceVersion,
        outcome: goOn,
        did: 'intend',
        lastWord: {
          status: { withdrawn: true },
          isOnTop: (newer) => isDeepStrictEqual(newer.status, { pendingChange: {} }),
        },
      });
      engine.server.fate = (call) => (isStatusWrite(call) ? fate : undefined);
      await expect(engine.pass(KEY)).rejects.toThrow(KubeError);
      // Kubernetes may be away for longer, and the process lead once more before its end.
      engine.server.fate = () => 'reset';
      await expect(engine.reconciler.end(() => undefined)).rejects.toThrow(KubeError);
      engine.server.fate = () => undefined;
      await engine.reconciler.end(() => undefined);
      const { status } = engine.server.get(PIPE, KEY) ?? {};
      expect(status).toMatchObject(stands);
      expect(status).not.toHaveProperty('pendingChange');
      expect(engine.told).toEqual([`${KEY} Applied`]);
    },
  );
});

test('what holds until a step has done something is not written any more where its status is lost', async () => {
  engine.given(KEY);
  const lastWord = { status: { withdrawn: true }, isOnTop: () => true };
  engine.report = () => ({ status: { pendingChange: {} }, outcome: goOn, did: 'intend', lastWord });
  await engine.pass(KEY);
  meanwhile(() => engine.server.edit(PIPE, KEY, { status: ofAnother(9) }));
  engine.report = anAttempt;
  await engine.pass(KEY);
  engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
  await engine.pass(KEY);
  await engine.reconciler.end(() => undefined);
  expect(engine.server.get(PIPE, KEY)?.status).toEqual(ofAnother(9));
});

test('a result whose object is gone is nobody’s business: others of its target wait for the end of its call', async () => {
  engine.given(KEY);
  meanwhile(() => engine.server.remove(PIPE, KEY));
  expect(await engine.pass(KEY)).toMatchObject({ outcome: { next: 'await-change' } });
  expect(engine.told).toEqual([]);
});

describe('on a server that went back', () => {
  test.for([false, true])(
    'what stands there now is known at once, and a result for what is no more is not written; the watch brings what was before it late: %s',
    async (isLate) => {
      const { metadata } = engine.given(KEY, { spec: { speed: 1 } });
      const lost = (generation: number): KubeObject => {
        const resourceVersion = `${metadata.resourceVersion}000${generation}`;
        return {
          metadata: { ...metadata, generation, resourceVersion },
          spec: { speed: generation },
        };
      };
      engine.store.put(lost(2));
      engine.server.fate = ({ method }) => {
        if (isLate && method === 'PUT') engine.store.sink().apply('MODIFIED', lost(3));
        return undefined;
      };
      await engine.queue.take(new AbortController().signal);
      await engine.pass(KEY);
      engine.queue.done(idOf(KEY));
      expect(engine.server.get(PIPE, KEY)?.status).toBeUndefined();
      expect(engine.store.get(KEY)).toMatchObject({ metadata, spec: { speed: 1 } });
      expect(engine.queue.depth).toBe(1);
      engine.server.fate = () => undefined;
      await engine.pass(KEY);
      expect(engine.server.get(PIPE, KEY)?.status).toMatchObject({ observedGeneration: 1 });
      expect(engine.acted).toEqual([KEY, KEY]);
    },
  );

  test('no version that was refused is written upon once more, where nothing could be read: it may be another’s by then', async () => {
    const { metadata } = engine.given(KEY, { spec: { speed: 1 } });
    const resourceVersion = String(Number(metadata.resourceVersion) + 1);
    engine.store.put({
      metadata: { ...metadata, generation: 2, resourceVersion },
      spec: { speed: 2 },
    });
    engine.server.fate = ({ method }) => (method === 'GET' ? 'reset' : undefined);
    await engine.queue.take(new AbortController().signal);
    await expect(engine.pass(KEY)).rejects.toThrow(KubeError);
    expect(engine.server.edit(PIPE, KEY, { spec: { speed: 3 } }).metadata).toMatchObject({
      generation: 2,
      resourceVersion,
    });
    engine.server.fate = () => undefined;
    expect((await engine.pass(KEY)).did).toBe('dropped');
    engine.queue.done(idOf(KEY));
    expect(engine.server.get(PIPE, KEY)?.status).toBeUndefined();
    expect(engine.store.get(KEY)).toMatchObject({ spec: { speed: 3 } });
    expect(engine.queue.depth).toBe(1);
    expect(engine.told).toEqual([]);
  });
});

describe('a request that no status tells of does not matter any more', () => {
  const spec = { speed: 1 };
  const thing = (generation: number, more: Partial<KubeObject> = {}): KubeObject => {
    const metadata = {
      name: 'orders',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '1',
      generation,
      creationTimestamp: '',
    };
    return { metadata, spec, ...more };
  };
  const confirmed = (generation: number, requestHash = 'a') => ({
    applied: { generation, requestHash },
  });
  const failed = { lastRequest: { httpStatus: 424 } };
  const before = thing(2, { status: confirmed(1, 'old') });

  test.for<[boolean, string, KubeObject, KubeObject, object]>([
    [
      true,
      'what it has confirmed is confirmed there',
      thing(3, { status: confirmed(3) }),
      before,
      confirmed(2),
    ],
    [
      true,
      'another process has confirmed its generation since',
      thing(2, { status: confirmed(2) }),
      before,
      failed,
    ],
    [false, 'nothing is confirmed there', thing(2), thing(2), failed],
    [
      false,
      'that was confirmed before',
      thing(2, { status: confirmed(2) }),
      thing(2, { status: confirmed(2) }),
      failed,
    ],
    [false, 'another generation is', thing(3, { status: confirmed(3) }), before, failed],
    [
      false,
      'that is another spec',
      thing(2, { status: confirmed(2), spec: { speed: 2 } }),
      before,
      failed,
    ],
  ])('%s: %s', ([same, , newer, base, status]) => {
    const report = { status, outcome: awaitChange, did: 'put' };
    expect(confirmsTheSame(newer, { kind: engine.kind, base, report })).toBe(same);
  });
});
