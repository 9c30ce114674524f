import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awaitChange, goOn, recheckAt } from '../../src/controller/outcome.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { anAttempt, type Engine, idOf, PIPE, startEngine } from '../support/engine.ts';
import { type Fate, isStatusWrite, type SeenCall } from '../support/fake-kube-server.ts';

let engine: Engine;
beforeEach(async () => {
  engine = await startEngine();
});
afterEach(() => engine.close());

const KEY = 'ns/orders';

/** The next `times` status writes meet this fate. */
function spoilWrites(fate: Fate, times = 1): void {
  let left = times;
  engine.server.fate = (call) => (isStatusWrite(call) && left-- > 0 ? fate : undefined);
}

/** Runs once, right before the next status write is served. */
function beforeWrite(run: () => void): void {
  let ran = false;
  engine.server.fate = (call: SeenCall) => {
    if (ran || !isStatusWrite(call)) return undefined;
    ran = true;
    run();
    return undefined;
  };
}

function stored(): KubeObject | undefined {
  return engine.server.get(PIPE, KEY);
}

function requestId(): unknown {
  return (stored()?.status as { lastRequest?: { requestId?: string } } | undefined)?.lastRequest
    ?.requestId;
}

/** What another process writes after an attempt of its own. */
function anothersStatus(time: string): object {
  return { observedGeneration: 1, lastRequest: { time, requestId: 'by-another' } };
}

/**
 * Whether the last pass left a result behind that is not in the cluster, as its kind is told at the
 * end of every pass.
 */
function expectKept(isOpen: boolean): void {
  expect(engine.settled.at(-1)?.isOpen).toBe(isOpen);
}

/** A step that has an answer, which only the next one would write down. */
const toldByTheNextStep: Engine['report'] = (object, now) => {
  const { status = {}, notices = [] } = anAttempt(object, now);
  return { outcome: goOn, did: 'send', lastWord: { status, notices } };
};

async function expectRefusal(passing: Promise<unknown>, status: number): Promise<void> {
  await expect(passing).rejects.toSatisfy(
    (error) => error instanceof KubeError && error.status === status,
  );
}

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
        status: stored()?.status,
      },
    ]);
    expect(stored()?.spec).toEqual({ speed: 1 });
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
      stored()?.metadata.resourceVersion,
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
    if (unknown) spoilWrites('lost');
    else beforeWrite(() => void engine.server.edit(PIPE, KEY, { status }));
    await engine.pass(KEY).catch(() => engine.pass(KEY));
    expect(engine.recorded[0]).toEqual({ key: KEY, how });
  });

  test('gets the same status on top of the newer version, and another look at the new generation', async () => {
    engine.given(KEY, { spec: { speed: 1 } });
    const stop = new AbortController();
    await engine.queue.take(stop.signal);
    beforeWrite(() => void engine.server.edit(PIPE, KEY, { spec: { speed: 2 } }));
    await engine.pass(KEY);
    expect(stored()).toMatchObject({
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
    expect(stored()?.status).toEqual({ conditions: [ready] });
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
      () => void engine.server.edit(PIPE, KEY, { status: anothersStatus('2026-01-01T00:00:00Z') }),
    );
    const { outcome } = await engine.pass(KEY);
    expect(requestId()).toBe('by-another');
    expect(outcome).toEqual(awaitChange);
    expect(engine.told).toEqual([]);
    engine.queue.done(idOf(KEY));
    expect(engine.queue.depth).toBe(1);
    expectKept(false);
  });

  test('is not left to an attempt older than the one that was known, as from a backup', async () => {
    engine.given(KEY, { status: anothersStatus('2025-12-31T00:00:00Z') });
    beforeWrite(
      () => void engine.server.edit(PIPE, KEY, { status: anothersStatus('2025-06-01T00:00:00Z') }),
    );
    await engine.pass(KEY);
    expect(requestId()).toMatch(/^by-us/);
  });

  test('gets nothing of it when it was deleted and made again under the same name', async () => {
    engine.given(KEY);
    beforeWrite(() => {
      engine.server.remove(PIPE, KEY);
      engine.server.create(PIPE, KEY, { spec: { speed: 3 } });
    });
    await engine.pass(KEY);
    expect(stored()?.status).toBeUndefined();
    expect(engine.server.statusWrites).toHaveLength(1);
    expect(engine.told).toEqual([]);
    expectKept(false);
  });

  test('shows what the one that has its name now declares by then', async () => {
    engine.given(KEY);
    beforeWrite(() => {
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
    beforeWrite(() => engine.server.remove(PIPE, KEY));
    expect((await engine.pass(KEY)).outcome).toEqual(awaitChange);
    expect(engine.told).toEqual([]);
    expectKept(false);
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
    expectKept(true);
  });
});

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
      spoilWrites(fate, 3);
      for (let tries = 0; tries < 3; tries += 1) {
        await expectRefusal(engine.pass(KEY), status);
        expect(engine.acted).toHaveLength(1);
        expect(engine.told).toEqual([]);
      }
      const seenByPass: unknown[] = [];
      engine.act = () => void seenByPass.push(requestId());
      engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
      await engine.pass(KEY);
      expect(seenByPass).toEqual([expect.stringMatching(/^by-us/)]);
      expect(engine.told).toEqual(['ns/orders Applied']);
      expectKept(false);
    });
  }

  test('is known to the kind to stand before the visit that wrote it does anything else', async () => {
    engine.given(KEY);
    spoilWrites('lost');
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
    expect(requestId()).toMatch(/^by-us/);
    expect(engine.settled.at(-1)).toEqual({ key: KEY, isOpen: false });
  });

  test('is known to stand when only the answer was lost, whether or not the watch has told of it', async () => {
    for (const key of ['ns/told', 'ns/untold']) {
      engine.given(key);
      spoilWrites('lost');
      await expectRefusal(engine.pass(key), 0);
      if (key === 'ns/told') engine.hear(key);
      engine.server.calls.length = 0;
      engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
      await engine.pass(key);
      expect(engine.server.statusWrites).toEqual([]);
      expect(engine.told.filter((line) => line.startsWith(key))).toHaveLength(1);
      expectKept(false);
      engine.report = anAttempt;
    }
  });

  test('is tried once more where the process ends, and told where it stands', async () => {
    for (const [key, fate] of [
      ['ns/refused', { status: 500, reason: 'InternalError' }],
      ['ns/unheard', 'lost'],
    ] as const) {
      engine.given(key);
      spoilWrites(fate);
      await expectRefusal(engine.pass(key), fate === 'lost' ? 0 : 500);
    }
    const visited: string[] = [];
    await engine.reconciler.end((id) => visited.push(id));
    expect(visited.toSorted(), 'for who goes on later').toEqual(
      ['ns/refused', 'ns/unheard'].map(idOf),
    );
    expect(engine.server.get(PIPE, 'ns/refused')?.status).toMatchObject({ observedGeneration: 1 });
    expect(engine.told.toSorted()).toEqual(['ns/refused Applied', 'ns/unheard Applied']);
    expectKept(false);
    await engine.reconciler.end(() => undefined);
    expect(engine.told).toHaveLength(2);
  });

  test('is not tried at the end where it would have to be taken back at once', async () => {
    engine.given(KEY);
    engine.report = (object, now) => ({ ...anAttempt(object, now), lastWord: { status: {} } });
    spoilWrites({ status: 500, reason: 'InternalError' });
    await expectRefusal(engine.pass(KEY), 500);
    await engine.reconciler.end(() => undefined);
    expect(stored()?.status).toBeUndefined();
    expect(engine.told).toEqual([]);
  });

  test('is written first where only the next step would tell of it, and the user says something new', async () => {
    engine.given(KEY);
    engine.report = toldByTheNextStep;
    await engine.pass(KEY);
    expect(stored()?.status).toBeUndefined();
    engine.server.edit(PIPE, KEY, { spec: { speed: 2 } });
    engine.hear(KEY);
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(stored()?.status).toMatchObject({ observedGeneration: 1 });
    expect(engine.told).toEqual([`${KEY} Applied`]);
    expectKept(false);
  });

  test('outlasts a next step that Kubernetes breaks off: what was learned is still told where none follows', async () => {
    engine.given(KEY);
    engine.report = toldByTheNextStep;
    await engine.pass(KEY);
    engine.act = () => {
      throw new KubeError({ call: 'GET a Secret', status: 500, reason: 'InternalError', body: '' });
    };
    await expectRefusal(engine.pass(KEY), 500);
    expectKept(true);
    await engine.reconciler.end(() => undefined);
    expect(stored()?.status).toMatchObject({ observedGeneration: 1 });
    expectKept(false);
  });

  test('yields to an attempt that another process has recorded meanwhile', async () => {
    engine.given(KEY);
    spoilWrites({ status: 500, reason: 'InternalError' });
    await expectRefusal(engine.pass(KEY), 500);
    engine.server.edit(PIPE, KEY, { status: anothersStatus('2026-01-01T00:00:09Z') });
    engine.hear(KEY);
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(requestId()).toBe('by-another');
    expect(engine.told).toEqual([]);
    expectKept(false);
  });

  test('goes away with its object', async () => {
    engine.given(KEY);
    spoilWrites({ status: 500, reason: 'InternalError' });
    await expectRefusal(engine.pass(KEY), 500);
    engine.server.remove(PIPE, KEY);
    engine.hear(KEY);
    expect((await engine.pass(KEY)).did).toBe('forgot');
    expectKept(false);
    expect(engine.forgotten).toEqual([KEY]);
  });

  test('is not written to another object under the same name', async () => {
    engine.given(KEY);
    spoilWrites({ status: 500, reason: 'InternalError' });
    await expectRefusal(engine.pass(KEY), 500);
    engine.server.remove(PIPE, KEY);
    engine.server.create(PIPE, KEY);
    engine.hear(KEY);
    engine.report = () => ({ outcome: awaitChange, did: 'nothing' });
    await engine.pass(KEY);
    expect(stored()?.status).toBeUndefined();
    expect(engine.acted).toHaveLength(2);
  });

  test('is tried on while the schema refuses it, and dropped when the user changes the object', async () => {
    engine.given(KEY, { spec: { speed: 1 } });
    const refuse: Fate = {
      status: 422,
      reason: 'Invalid',
      message: 'status.lastRequest: Too long',
    };
    spoilWrites(refuse, 3);
    await expectRefusal(engine.pass(KEY), 422);
    await expectRefusal(engine.pass(KEY), 422);
    expect(engine.acted).toHaveLength(1);
    engine.server.edit(PIPE, KEY, { spec: { speed: 2 } });
    engine.hear(KEY);
    await engine.pass(KEY);
    expect(engine.acted).toHaveLength(2);
    expect(stored()?.status).toMatchObject({ observedGeneration: 2 });
  });

  test('is no sign that the object is gone when only its status subresource is not found', async () => {
    engine.given(KEY);
    spoilWrites({ status: 404, reason: 'NotFound' });
    await expectRefusal(engine.pass(KEY), 404);
    expectKept(true);
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
    expectKept(true);
    engine.act = () => {
      throw new TypeError('a bug');
    };
    await expect(engine.pass(KEY)).rejects.toThrow('a bug');
    expectKept(true);
    engine.act = () => {};
    engine.report = () => ({ outcome: awaitChange, did: 'wait' });
    await engine.pass(KEY);
    expectKept(false);
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
    expect(stored()).toMatchObject({ spec: { speed: 2 }, status: { observedGeneration: 2 } });
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
