import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { applied, Engine, idOf, NOTHING, PIPE } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { type Fate, isStatusWrite } from '../support/fake-kube-server.ts';

const KEY = 'ns/orders';
const OTHERS = { of: 'somebody else' };

let engine: Engine;
beforeEach(async () => {
  engine = await Engine.open();
  engine.reconcile = () => applied('us');
});
afterEach(() => engine.close());

/** The next `times` status writes meet this fate. */
function spoilWrites(fate: Fate, times = 1): void {
  let left = times;
  engine.server.fate = (call) => (isStatusWrite(call) && left-- > 0 ? fate : undefined);
}

/** Runs once, right before the next status write is served. */
function beforeWrite(run: () => void): void {
  engine.server.fate = (call) => {
    if (!isStatusWrite(call)) return undefined;
    engine.server.fate = () => undefined;
    run();
    return undefined;
  };
}

const reconciles = (count: number) => eventually(() => expect(engine.records).toHaveLength(count));

describe('a result', () => {
  test('is written with the uid and version that were read, and its events are sent after that', async () => {
    const { uid, resourceVersion } = engine.given(KEY).metadata;
    engine.server.fate = () => {
      expect(engine.events).toEqual([]);
      return undefined;
    };
    engine.start();
    await reconciles(1);
    expect(engine.server.statusWrites).toEqual([
      {
        apiVersion: 'test.dev/v1',
        kind: 'Pipe',
        metadata: { name: 'orders', namespace: 'ns', uid, resourceVersion },
        status: { of: 'us' },
      },
    ]);
    expect(engine.store.get(KEY)).toEqual(engine.at(KEY));
    expect(engine.events).toEqual(['ns/orders Applied us']);
  });

  test('that stands already is not written, whatever in it is undefined', async () => {
    engine.reconcile = () => applied('us', { status: { of: 'us', plan: undefined } });
    engine.given(KEY, { status: { of: 'us' } });
    engine.start();
    await reconciles(1);
    expect(engine.server.calls).toEqual([]);
    expect(engine.events).toEqual(['ns/orders Applied us']);
  });

  test.each([
    ['an edit', { spec: { size: 2 } }],
    ['a label', { annotations: { team: 'a' } }],
  ])('goes on top of %s that nobody has heard of', async (_what, change) => {
    engine.given(KEY, { spec: { size: 1 } });
    beforeWrite(() => void engine.server.edit(PIPE, KEY, change));
    engine.start();
    await eventually(() => expect(engine.at(KEY)?.status).toEqual({ of: 'us' }));
    expect(engine.server.calls.map(({ method }) => method)).toEqual(['PUT', 'GET', 'PUT']);
    await eventually(() => expect(engine.events[0]).toBe('ns/orders Applied us'));
  });

  test('goes on top of an edit that the watch has brought, at the first try', async () => {
    engine.given(KEY, { spec: { size: 1 } });
    engine.reconcile = () => {
      if (engine.began.length === 1) engine.edit(KEY, { spec: { size: 2 } });
      return applied('us');
    };
    engine.start();
    await reconciles(2);
    expect(engine.server.calls.map(({ method }) => method)).toEqual(['PUT']);
    expect(engine.at(KEY)).toMatchObject({ spec: { size: 2 }, status: { of: 'us' } });
  });

  test('does not hide an edit that was heard of before the reply to its write came', async () => {
    engine.given(KEY, { spec: { size: 1 } });
    // Once the write is served, and before its reply has come through the socket.
    beforeWrite(() => void setImmediate(() => engine.edit(KEY, { spec: { size: 2 } })));
    const seen: unknown[] = [];
    engine.reconcile = ({ spec }) => {
      seen.push(spec);
      return applied('us');
    };
    engine.start();
    await reconciles(2);
    expect(seen).toEqual([{ size: 1 }, { size: 2 }]);
  });

  test.each([
    ['heard of', true],
    ['not heard of', false],
  ])(
    'is dropped, with its events, for the status of somebody else that was %s, and the object reconciled from that at once',
    async (_what, isHeard) => {
      engine.given(KEY);
      const seen: unknown[] = [];
      engine.reconcile = (object) => {
        seen.push(object.status);
        if (engine.began.length === 2) return NOTHING;
        engine.server.edit(PIPE, KEY, { status: OTHERS });
        if (isHeard) engine.hear(KEY);
        return applied('us');
      };
      engine.start();
      await reconciles(2);
      expect(seen).toEqual([undefined, OTHERS]);
      expect(engine.at(KEY)?.status).toEqual(OTHERS);
      expect(engine.events).toEqual([]);
      expect(engine.records.map(({ result }) => result)).toEqual(['dropped', 'nothing']);
    },
  );

  test('that somebody else has written alike counts as written', async () => {
    engine.given(KEY);
    beforeWrite(() => void engine.server.edit(PIPE, KEY, { status: { of: 'us' } }));
    engine.start();
    await reconciles(1);
    expect(engine.server.statusWrites).toHaveLength(1);
    expect(engine.events).toEqual(['ns/orders Applied us']);
  });

  test.each([
    ['gone', () => undefined],
    ['made anew', () => engine.server.create(PIPE, KEY)],
  ])('of an object that is %s is not written', async (_what, then) => {
    engine.given(KEY);
    beforeWrite(() => {
      engine.server.remove(PIPE, KEY);
      then();
    });
    engine.start();
    await reconciles(1);
    expect(engine.at(KEY)?.status).toBeUndefined();
    expect(engine.server.statusWrites).toHaveLength(1);
    expect(engine.messages).toEqual([expect.stringMatching(/^debug reconciled/)]);
  });

  test('goes on top of what a CRD of another release has left of it', async () => {
    engine.given(KEY);
    engine.server.stored = ({ status }) => ({ of: (status as { of: string }).of });
    engine.reconcile = async (_object, context) => {
      await context.save({ of: 'before', unknown: true });
      return applied('us');
    };
    engine.start();
    await reconciles(1);
    expect(engine.at(KEY)?.status).toEqual({ of: 'us' });
    expect(engine.began).toEqual([KEY]);
  });

  test('that does not fit the schema is logged as a bug, and the object is tried again later', async () => {
    spoilWrites({ status: 422, reason: 'Invalid', message: 'status.plan: Too many: 13' });
    engine.given(KEY);
    engine.start();
    await reconciles(1);
    expect(engine.messages[1]).toMatch(/^error reconcile failed, a bug; retrying .*Too many: 13/);
    await engine.clock.advance(600);
    await reconciles(2);
    expect(engine.at(KEY)?.status).toEqual({ of: 'us' });
  });
});

describe('while Kubernetes is away', () => {
  const away: Record<string, { readonly fate: Fate; readonly text: string }> = {
    'with an internal error': {
      fate: { status: 500, reason: 'InternalError' },
      text: '500 InternalError',
    },
    'with too many requests': {
      fate: { status: 429, reason: 'TooManyRequests', retryAfter: 30 },
      text: '429 TooManyRequests',
    },
    'with a missing right': { fate: { status: 403, reason: 'Forbidden' }, text: '403 Forbidden' },
    'without a word': { fate: 'reset', text: 'NoAnswer' },
    'with an answer that is lost': { fate: 'lost', text: 'NoAnswer' },
  };
  for (const [what, { fate, text }] of Object.entries(away))
    test(`${what}, a result waits until it is taken, and nothing is reconciled twice`, async () => {
      const times = fate === 'lost' ? 1 : 3;
      spoilWrites(fate, times);
      engine.given(KEY);
      engine.start();
      for (let failures = 1; failures <= times; failures += 1) {
        await eventually(() => expect(engine.messages).toHaveLength(failures));
        expect(engine.messages[failures - 1]).toContain(text);
        expect(engine.events).toEqual([]);
        await engine.clock.advance(30_000);
      }
      await reconciles(1);
      expect(engine.began).toEqual([KEY]);
      expect(engine.at(KEY)?.status).toEqual({ of: 'us' });
      expect(engine.events).toEqual(['ns/orders Applied us']);
    });

  test('a result waits as long as the server asks, and then twice as long each time up to a minute', async () => {
    spoilWrites({ status: 429, reason: 'TooManyRequests', retryAfter: 10 });
    engine.given(KEY);
    engine.start();
    await eventually(() => expect(engine.messages).toHaveLength(1));
    await engine.clock.advance(9_999);
    expect(engine.clock.pending).toBe(1);
    await engine.clock.advance(1);
    await reconciles(1);
  });

  test('a result that is due again comes at its time, however long it had to wait', async () => {
    spoilWrites({ status: 500, reason: 'InternalError' });
    engine.given(KEY);
    engine.reconcile = (_object, context) =>
      engine.began.length === 1 ? applied('us', { next: { at: context.now() + 5_000 } }) : NOTHING;
    engine.start();
    await eventually(() => expect(engine.messages).toHaveLength(1));
    engine.clock.jumpWall(3_600_000);
    await engine.clock.advance(1_000);
    await reconciles(1);
    await engine.clock.advance(3_999);
    expect(engine.began).toHaveLength(1);
    await engine.clock.advance(1);
    await reconciles(2);
  });

  test('the end of the process ends the wait', async () => {
    spoilWrites({ status: 500, reason: 'InternalError' }, 99);
    engine.given(KEY);
    engine.start();
    await eventually(() => expect(engine.messages).toHaveLength(1));
    engine.giveUp.abort();
    await engine.stop();
    expect(engine.server.statusWrites).toHaveLength(1);
  });
});

describe('in mid-attempt', () => {
  test('a status is saved on the version that is held, and what follows goes on top of it', async () => {
    engine.given(KEY);
    engine.reconcile = async (_object, context) => {
      expect(await context.save({ of: 'before' })).toBe(true);
      expect(context.object()).toEqual(engine.at(KEY));
      return applied('us');
    };
    engine.start();
    await reconciles(1);
    expect(engine.server.statusWrites.map(({ status }) => status)).toEqual([
      { of: 'before' },
      { of: 'us' },
    ]);
    expect(engine.began).toEqual([KEY]);
  });

  test.each<{ readonly name: string; readonly fate?: Fate; readonly edit?: object }>([
    { name: 'Kubernetes fails', fate: { status: 500, reason: 'InternalError' } },
    { name: 'no answer comes, though it stands', fate: 'lost' },
    { name: 'the object was edited', edit: { spec: { size: 2 } } },
    { name: 'somebody else has written a status', edit: { status: OTHERS } },
  ])('a status is saved at once or nowhere: where $name', async ({ fate, edit }) => {
    engine.given(KEY);
    if (fate) spoilWrites(fate);
    if (edit) beforeWrite(() => void engine.server.edit(PIPE, KEY, edit));
    engine.reconcile = async (_object, context) => {
      if (engine.began.length > 1) return NOTHING;
      expect(await context.save({ of: 'before' })).toBe(false);
      expect(engine.server.statusWrites).toHaveLength(1);
      return applied('us');
    };
    engine.start();
    await eventually(async () => {
      await engine.clock.advance(600);
      expect(engine.records).toHaveLength(2);
    });
    expect(engine.messages.filter((line) => line.startsWith('warn'))).toHaveLength(fate ? 1 : 0);
    const isOthers = edit !== undefined && 'status' in edit;
    expect(engine.at(KEY)?.status).toEqual(isOthers ? OTHERS : { of: 'us' });
  });

  test('a status that Kubernetes throttles is followed by no other write within the time it asks for', async () => {
    engine.given(KEY);
    spoilWrites({ status: 429, reason: 'TooManyRequests', retryAfter: 3 });
    engine.reconcile = async (_object, context) => {
      expect(await context.save({ of: 'before' })).toBe(false);
      return applied('us');
    };
    engine.start();
    await eventually(() => expect(engine.server.statusWrites).toHaveLength(1));
    await engine.clock.advance(2_900);
    expect(engine.server.statusWrites).toHaveLength(1);
    await engine.clock.advance(200);
    await eventually(() => expect(engine.at(KEY)?.status).toEqual({ of: 'us' }));
  });

  test('a status is not saved over one of somebody else that the watch has brought', async () => {
    engine.given(KEY);
    engine.reconcile = async (_object, context) => {
      if (engine.began.length > 1) return NOTHING;
      engine.edit(KEY, { status: OTHERS });
      expect(await context.save({ of: 'before' })).toBe(false);
      return NOTHING;
    };
    engine.start();
    await reconciles(2);
    expect(engine.server.statusWrites).toEqual([]);
  });
});

describe('a finalizer', () => {
  const finalizers = () => engine.at(KEY)?.metadata.finalizers;

  test('is put on and taken off, each by one write, and once is enough', async () => {
    engine.given(KEY);
    engine.reconcile = async (_object, context) => {
      expect(await context.finalizer('ours', true)).toBe(true);
      expect(await context.finalizer('ours', true)).toBe(true);
      expect(finalizers()).toEqual(['ours']);
      expect(await context.finalizer('ours', false)).toBe(true);
      return applied('us');
    };
    engine.start();
    await reconciles(1);
    expect(engine.server.calls.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'PUT']);
    expect(finalizers() ?? []).toEqual([]);
  });

  test('that the server does not put on ends the attempt, and the object comes again', async () => {
    engine.server.fate = ({ method }) =>
      method === 'PATCH' ? { status: 403, reason: 'Forbidden' } : undefined;
    engine.given(KEY);
    engine.reconcile = async (_object, context) => {
      expect(await context.finalizer('ours', true)).toBe(false);
      return NOTHING;
    };
    engine.start();
    await reconciles(1);
    expect(engine.messages[0]).toMatch(/^warn Kubernetes refused .*PATCH/);
    await engine.clock.advance(600);
    await reconciles(2);
  });

  test('is put on all the same where somebody has only annotated the object', async () => {
    engine.given(KEY);
    engine.server.edit(PIPE, KEY, { annotations: { team: 'a' } });
    engine.reconcile = async (_object, context) => {
      expect(await context.finalizer('ours', true)).toBe(true);
      return NOTHING;
    };
    engine.start();
    await reconciles(1);
    expect(engine.at(KEY)?.metadata).toMatchObject({
      finalizers: ['ours'],
      annotations: { team: 'a' },
    });
  });

  test('is tried twice in an attempt where somebody else is always quicker', async () => {
    engine.given(KEY);
    engine.server.fate = ({ method }) =>
      method === 'PATCH' ? { status: 409, reason: 'Conflict' } : undefined;
    const stands: boolean[] = [];
    engine.reconcile = async (_object, context) => {
      if (engine.began.length === 1) stands.push(await context.finalizer('ours', true));
      return NOTHING;
    };
    engine.start();
    await reconciles(2);
    const patches = engine.server.calls.filter(({ method }) => method === 'PATCH');
    expect(stands).toEqual([false]);
    expect(patches).toHaveLength(2);
  });

  test('is not put on for a spec that is no more: the object is reconciled anew at once', async () => {
    engine.given(KEY);
    engine.server.edit(PIPE, KEY, { generation: 2 });
    engine.reconcile = async (_object, context) => {
      expect(await context.finalizer('ours', true)).toBe(engine.began.length === 2);
      return NOTHING;
    };
    engine.start();
    await reconciles(2);
    expect(finalizers()).toEqual(['ours']);
  });

  test('of an object that is gone is off, and not on', async () => {
    engine.given(KEY);
    engine.reconcile = async (_object, context) => {
      if (engine.began.length > 1) return NOTHING;
      engine.server.remove(PIPE, KEY);
      expect(await context.finalizer('ours', true)).toBe(false);
      return NOTHING;
    };
    engine.start();
    await reconciles(2);
    expect(engine.queue.depth).toBe(0);
    expect(idOf(KEY)).toBe('Pipe/ns/orders');
  });
});
