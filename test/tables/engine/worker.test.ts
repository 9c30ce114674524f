import { beforeEach, describe, expect, test } from 'vitest';
import { settle } from '../../support/fake-clock.ts';
import { type Context, Engine, KEY, NOTHING } from './engine.ts';

let engine: Engine;
beforeEach(() => {
  engine = new Engine();
});

/** The attempt of an object with a finalizer, which does not end. */
async function attempt(before: (on: Engine) => void = () => undefined): Promise<Context> {
  const begun = Promise.withResolvers<Context>();
  engine.reconcile = (_object, context) => {
    begun.resolve(context);
    return new Promise<never>(() => undefined);
  };
  engine.given('orders');
  engine.annotate({ finalizers: ['test.dev/held'] });
  before(engine);
  engine.hear();
  await engine.start();
  return begun.promise;
}

const bug = () => {
  throw new TypeError('a bug in the kind');
};

test('an object is reconciled no more once it is gone, and what was known is forgotten', async () => {
  engine.reconcile = (_object, context) => ({ ...NOTHING, next: { at: context.now() + 60_000 } });
  await engine.start('orders');
  engine.hearGone();
  await engine.clock.advance(600_000);
  expect([engine.began, engine.forgotten]).toEqual([[KEY], [KEY]]);
});

describe('a reconcile that throws', () => {
  test('comes again after waits that double up to a minute, each ±20 %', async () => {
    engine.reconcile = bug;
    await engine.start('orders');
    for (const [index, wait] of [0.5, 1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      await engine.clock.advance(wait * 799);
      expect(engine.began).toHaveLength(index + 1);
      const from = engine.clock.monotonic();
      while (engine.began.length === index + 1) await engine.clock.advance(10);
      expect(engine.clock.monotonic() - from).toBeLessThanOrEqual(wait * 402 + 10);
    }
  });

  test('stops no other, and is said in the log with its place', async () => {
    engine.reconcile = ({ metadata }) => (metadata.name === 'poison' ? bug() : NOTHING);
    await engine.start('a', 'poison', 'b');
    expect(engine.did).toEqual(['error', 'nothing', 'nothing']);
    const said = /^error .*"name":"poison","failures":1,"error":"a bug.*worker\.test\.ts/;
    expect(engine.messages).toContainEqual(expect.stringMatching(said));
  });
});

describe('an attempt', () => {
  const heard = (change: (on: Engine) => void) => (on: Engine) => {
    change(on);
    on.hear();
  };

  test.each<[string, boolean, (on: Engine) => void]>([
    ['an annotation', true, heard((on) => on.annotate())],
    ['an edit', false, heard((on) => on.edit())],
    ['its deletion', false, heard((on) => on.delete())],
    ['its object is gone', false, (on) => on.hearGone()],
    ['the process ends', false, (on) => on.stop()],
  ])('after %s, is still wanted: %j, and is told so at once', async (_what, isWanted, change) => {
    const begun = await attempt();
    let isTold = false;
    begun.onUnwanted(() => (isTold = true));
    expect([begun.stillWanted(), isTold]).toEqual([true, false]);
    change(engine);
    expect(isTold).toBe(!isWanted);
    expect(begun.stillWanted()).toBe(isWanted);
  });

  test('of a deleted object is wanted, but only while this process leads', async () => {
    const begun = await attempt((on) => on.delete());
    expect(begun.stillWanted()).toBe(true);
    engine.leads = false;
    expect(begun.stillWanted()).toBe(false);
    let isTold = false;
    begun.onUnwanted(() => (isTold = true));
    expect(isTold).toBe(true);
  });
});

test('at most fifty run; who waits for its turn holds no place, then goes first', async () => {
  const [turn, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const after: number[] = [];
  engine.reconcile = async ({ metadata }, context) => {
    const number = Number(metadata.name);
    if (number < 50) await context.parked(() => turn.promise);
    after.push(number);
    await gate.promise;
    return NOTHING;
  };
  await engine.start(...Array.from({ length: 110 }, (_, index) => `${index}`));
  for (const then of [turn.resolve, gate.resolve]) {
    expect([engine.began.length, after.length, engine.worker.busy]).toEqual([100, 50, 50]);
    then();
    await settle();
  }
  expect([engine.began.length, engine.worker.busy]).toEqual([110, 0]);
  expect(Math.max(...after.slice(50, 100))).toBeLessThan(50);
});
