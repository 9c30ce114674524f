import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Context } from '../../src/controller/kind.ts';
import { applied, Engine, idOf, NOTHING } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import { settle } from '../support/fake-clock.ts';

const KEY = 'ns/orders';

let engine: Engine;
beforeEach(async () => {
  engine = await Engine.open();
});
afterEach(() => engine.close());

/** A reconcile that stays until the test says how it ends. */
function held(): { readonly context: () => Context; readonly end: () => void } {
  const gate = Promise.withResolvers<void>();
  let given: Context | undefined;
  engine.reconcile = async (_object, context) => {
    given ??= context;
    await gate.promise;
    return NOTHING;
  };
  return {
    end: gate.resolve,
    context: () => {
      if (!given) throw new Error('no reconcile has begun');
      return given;
    },
  };
}

describe('a reconcile', () => {
  test('comes again at its time, and not before', async () => {
    engine.reconcile = (_object, context) =>
      engine.began.length === 1 ? { ...NOTHING, next: { at: context.now() + 5_000 } } : NOTHING;
    engine.given(KEY);
    engine.start();
    await engine.clock.advance(4_999);
    expect(engine.began).toHaveLength(1);
    await engine.clock.advance(1);
    expect(engine.began).toHaveLength(2);
    await engine.clock.advance(3_600_000);
    expect(engine.began).toHaveLength(2);
  });

  test('that a user waits for comes first', async () => {
    for (const name of ['a', 'b']) engine.given(`ns/${name}`);
    while (engine.queue.take() !== undefined);
    for (const name of ['a', 'b']) engine.queue.done(idOf(`ns/${name}`));
    engine.start();
    engine.queue.add(idOf('ns/a'), 'scheduled');
    engine.queue.add(idOf('ns/b'), 'user');
    await settle();
    expect(engine.began).toEqual(['ns/b', 'ns/a']);
  });

  test('of its own status write wakes nobody', async () => {
    engine.reconcile = () => applied('us');
    engine.given(KEY);
    engine.start();
    await eventually(() => expect(engine.records).toHaveLength(1));
    engine.hear(KEY);
    await engine.clock.advance(3_600_000);
    expect(engine.began).toEqual([KEY]);
  });

  test('is made of what is gone no more, and what was known of it is forgotten', async () => {
    engine.reconcile = (_object, context) => ({ ...NOTHING, next: { at: context.now() + 60_000 } });
    engine.given(KEY);
    engine.start();
    await settle();
    engine.remove(KEY);
    await engine.clock.advance(600_000);
    expect([engine.began, engine.forgotten]).toEqual([[KEY], [KEY]]);
  });

  test.each([
    {
      name: 'with facts is one line of the log',
      more: { facts: { reason: 'Applied', httpStatus: 200 } },
      line: 'info reconciled {"kind":"Pipe","namespace":"ns","name":"orders","did":"put","ms":0,"reason":"Applied","httpStatus":200}',
    },
    {
      name: 'without is one for debugging',
      more: {},
      line: 'debug reconciled {"kind":"Pipe","namespace":"ns","name":"orders","did":"put","ms":0}',
    },
  ])('$name', async ({ more, line }) => {
    engine.reconcile = () => ({ next: 'on-change', did: 'put', ...more });
    engine.given(KEY);
    engine.start();
    await settle();
    expect(engine.messages).toEqual([line]);
  });
});

describe('a reconcile that throws', () => {
  test('is tried again after waits that double up to a minute, and said in the log with its place', async () => {
    engine.reconcile = () => {
      throw new TypeError('a bug in the kind');
    };
    engine.given(KEY);
    engine.start();
    await settle();
    const waits: number[] = [];
    for (let tries = 2; tries <= 10; tries += 1) {
      const from = engine.clock.monotonic();
      while (engine.began.length < tries) await engine.clock.advance(50);
      waits.push(engine.clock.monotonic() - from);
    }
    const expected = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000];
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual((expected[index] ?? 0) * 0.8 - 50);
      expect(wait).toBeLessThanOrEqual((expected[index] ?? 0) * 1.2 + 50);
    }
    expect(engine.messages[1]).toMatch(
      /^error reconcile failed, a bug; retrying \{"kind":"Pipe","namespace":"ns","name":"orders","failures":1,"error":"a bug in the kind"/,
    );
    expect(engine.records[0]).toEqual({
      kind: 'Pipe',
      result: 'error',
      durationMs: 0,
      counts: undefined,
    });
  });

  test('stops no other', async () => {
    engine.reconcile = ({ metadata }) => {
      if (metadata.name === 'poison') throw new TypeError('a bug in the kind');
      return NOTHING;
    };
    for (const name of ['a', 'poison', 'b']) engine.given(`ns/${name}`);
    engine.start();
    await settle();
    expect(engine.began).toEqual(['ns/a', 'ns/poison', 'ns/b']);
  });

  test('has its failures forgotten once it succeeds', async () => {
    let isBroken = true;
    engine.reconcile = () => {
      if (isBroken) throw new TypeError('a bug in the kind');
      return NOTHING;
    };
    engine.given(KEY);
    engine.start();
    await engine.clock.advance(10_000);
    expect(engine.messages.at(-1)).toMatch(/"failures":[3-6]/);
    isBroken = false;
    await engine.clock.advance(10_000);
    isBroken = true;
    engine.queue.add(idOf(KEY), 'user');
    await settle();
    expect(engine.messages.at(-1)).toContain('"failures":1');
  });
});

describe('an attempt is wanted', () => {
  test.each([
    { what: 'a label is put on', change: () => engine.edit(KEY, { annotations: {} }), is: true },
    { what: 'a status is written', change: () => engine.edit(KEY, { status: {} }), is: true },
    { what: 'the spec is edited', change: () => engine.edit(KEY, { spec: {} }), is: false },
    { what: 'it is gone', change: () => engine.remove(KEY), is: false },
    {
      what: 'it is being deleted',
      change: () => {
        const object = engine.at(KEY);
        if (!object) return;
        const deletionTimestamp = '2026-01-01T00:00:00Z';
        const metadata = { ...object.metadata, resourceVersion: '900', deletionTimestamp };
        engine.store.apply('MODIFIED', { ...object, metadata });
      },
      is: false,
    },
    { what: 'the process ends', change: () => void engine.stop(), is: false },
  ])('after $what: $is, and it says so at once', async ({ change, is }) => {
    const { context, end } = held();
    engine.given(KEY, { spec: { size: 1 } });
    engine.start();
    await settle();
    let hasEnded = false;
    context().onUnwanted(() => (hasEnded = true));
    expect([context().stillWanted(), hasEnded]).toEqual([true, false]);
    change();
    expect(hasEnded).toBe(!is);
    expect(context().stillWanted()).toBe(is);
    end();
  });

  test('only while this process leads', async () => {
    const { context, end } = held();
    engine.given(KEY);
    engine.start();
    await settle();
    engine.leads = false;
    let hasEnded = false;
    context().onUnwanted(() => (hasEnded = true));
    expect([context().stillWanted(), hasEnded]).toEqual([false, true]);
    let isToldLater = false;
    context().onUnwanted(() => (isToldLater = true));
    expect(isToldLater).toBe(true);
    end();
  });
});

describe('places', () => {
  test('are fifty', async () => {
    const { end } = held();
    for (let index = 0; index < 60; index += 1) engine.given(`ns/${index}`);
    engine.start();
    await settle();
    expect([engine.began.length, engine.worker.busy]).toEqual([50, 50]);
    end();
    await settle();
    expect(engine.began).toHaveLength(60);
  });

  test('are given back by those that wait for their turn, who then wait for one, ahead of others', async () => {
    const turn = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const after: string[] = [];
    engine.reconcile = async ({ metadata }, context) => {
      if (Number(metadata.name) < 50) await context.parked(() => turn.promise);
      after.push(metadata.name);
      await gate.promise;
      return NOTHING;
    };
    for (let index = 0; index < 110; index += 1) engine.given(`ns/${index}`);
    engine.start();
    await settle();
    expect([engine.began.length, after.length]).toEqual([100, 50]);
    expect(engine.worker.busy).toBe(50);
    turn.resolve();
    await settle();
    expect([engine.began.length, after.length, engine.worker.busy]).toEqual([100, 50, 50]);
    gate.resolve();
    await settle();
    expect(engine.began).toHaveLength(110);
    expect(after.slice(50, 100).every((name) => Number(name) < 50)).toBe(true);
    expect(engine.worker.busy).toBe(0);
  });
});

test('the worker lets running reconciles end, takes no new key, and ends after the last of them', async () => {
  const { end } = held();
  engine.given('ns/a');
  engine.start();
  await settle();
  let isOver = false;
  void engine.stop().then(() => (isOver = true));
  engine.given('ns/b');
  await settle();
  expect([engine.began, isOver]).toEqual([['ns/a'], false]);
  end();
  await settle();
  expect([engine.began, isOver, engine.queue.depth]).toEqual([['ns/a'], true, 1]);
});
