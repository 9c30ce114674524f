import { beforeEach, describe, expect, test } from 'vitest';
import { settle } from '../../support/fake-clock.ts';
import { applied, type Context, Engine, idOf, KEY, NOTHING } from './engine.ts';

let engine: Engine;
beforeEach(() => {
  engine = new Engine();
});

/** Reconciles stay until the test ends them. */
function held() {
  const gate = Promise.withResolvers<void>();
  const contexts: Context[] = [];
  engine.reconcile = async (_object, context) => {
    contexts.push(context);
    await gate.promise;
    return NOTHING;
  };
  return { contexts, end: gate.resolve };
}

const bug = () => {
  throw new TypeError('a bug in the kind');
};

describe('an object is reconciled', () => {
  test('again at the time that its result says, and not before', async () => {
    engine.reconcile = (_object, context) =>
      engine.began.length === 1 ? { ...NOTHING, next: { at: context.now() + 5_000 } } : NOTHING;
    engine.given('orders');
    await engine.start();
    await engine.clock.advance(4_999);
    expect(engine.began).toHaveLength(1);
    await engine.clock.advance(1);
    expect(engine.began).toHaveLength(2);
    await engine.clock.advance(3_600_000);
    expect(engine.began).toHaveLength(2);
  });

  test('by one reconcile at a time, and once more where it was edited meanwhile', async () => {
    const { end } = held();
    engine.given('orders');
    await engine.start();
    engine.edit();
    engine.hear();
    await settle();
    expect(engine.began).toEqual([KEY]);
    end();
    await settle();
    expect(engine.began).toEqual([KEY, KEY]);
  });

  test('first where a user waits for it', async () => {
    engine.given('a', 'b');
    await engine.start();
    engine.queue.add(idOf('ns/a'), 'scheduled');
    engine.queue.add(idOf('ns/b'), 'user');
    await settle();
    expect(engine.began).toEqual(['ns/a', 'ns/b', 'ns/b', 'ns/a']);
  });

  test('not for the status that it has written itself', async () => {
    engine.reconcile = () => applied();
    engine.given('orders');
    await engine.start();
    engine.hear();
    await engine.clock.advance(3_600_000);
    expect(engine.began).toEqual([KEY]);
  });

  test('no more once it is gone, and what was known of it is forgotten', async () => {
    engine.reconcile = (_object, context) => ({ ...NOTHING, next: { at: context.now() + 60_000 } });
    engine.given('orders');
    await engine.start();
    engine.hearGone();
    await engine.clock.advance(600_000);
    expect([engine.began, engine.forgotten]).toEqual([[KEY], [KEY]]);
  });

  test.each([
    [
      'info',
      { facts: { reason: 'Applied', httpStatus: 200 } },
      ',"reason":"Applied","httpStatus":200',
    ],
    ['debug', {}, ''],
  ])('with one line of the log, %s', async (level, more, end) => {
    engine.reconcile = () => ({ next: 'on-change', did: 'put', ...more });
    engine.given('orders');
    await engine.start();
    const about = '"kind":"Organization","namespace":"ns","name":"orders","did":"put","ms":0';
    expect(engine.messages).toEqual([`${level} reconciled {${about}${end}}`]);
  });
});

describe('a reconcile that throws', () => {
  test('comes again after waits that double up to a minute, each ±20 %', async () => {
    engine.reconcile = bug;
    engine.given('orders');
    await engine.start();
    for (const [index, wait] of [0.5, 1, 2, 4, 8, 16, 32, 60, 60].entries()) {
      await engine.clock.advance(wait * 799);
      expect(engine.began).toHaveLength(index + 1);
      const from = engine.clock.monotonic();
      while (engine.began.length === index + 1) await engine.clock.advance(10);
      expect(engine.clock.monotonic() - from).toBeLessThanOrEqual(wait * 402 + 10);
    }
  });

  test('is said in the log with its place, and counts as an error', async () => {
    engine.reconcile = bug;
    engine.given('orders');
    await engine.start();
    expect(engine.messages[1]).toMatch(
      /^error reconcile failed, a bug; retrying .*"name":"orders","failures":1,"error":"a bug.*worker\.test\.ts/,
    );
    expect(engine.did).toEqual(['error']);
  });

  test('stops no other', async () => {
    engine.reconcile = ({ metadata }) => (metadata.name === 'poison' ? bug() : NOTHING);
    engine.given('a', 'poison', 'b');
    await engine.start();
    expect(engine.did).toEqual(['error', 'nothing', 'nothing']);
  });

  test('has its failures forgotten once it succeeds', async () => {
    let isBroken = true;
    engine.reconcile = () => (isBroken ? bug() : NOTHING);
    engine.given('orders');
    await engine.start();
    await engine.clock.advance(10_000);
    expect(engine.messages.at(-1)).toMatch(/"failures":[3-6]/);
    isBroken = false;
    await engine.clock.advance(10_000);
    isBroken = true;
    engine.queue.add(idOf(KEY), 'user');
    await settle();
    expect(engine.messages.at(-1)).toContain('"failures":1,');
  });
});

describe('an attempt is', () => {
  test.each<[string, string, (on: Engine) => void]>([
    ['still wanted', 'an annotation', (on) => on.annotate()],
    ['still wanted', 'a status', (on) => on.writeStatus({ attempts: 2 })],
    ['wanted no more', 'an edit', (on) => on.edit()],
    [
      'wanted no more',
      'a deletion',
      (on) => {
        on.annotate({ finalizers: ['test.dev/held'] });
        on.delete();
      },
    ],
  ])('%s after %s', async (expected, _what, change) => {
    const { contexts } = held();
    engine.given('orders');
    await engine.start();
    let heard = 'still wanted';
    contexts[0]?.onUnwanted(() => (heard = 'wanted no more'));
    expect([contexts[0]?.stillWanted(), heard]).toEqual([true, 'still wanted']);
    change(engine);
    engine.hear();
    expect(heard).toBe(expected);
    expect(contexts[0]?.stillWanted()).toBe(expected === 'still wanted');
  });

  test.each<[string, (on: Engine) => void]>([
    ['gone', (on) => on.hearGone()],
    ['not ours any more', (on) => (on.leads = false)],
    ['left where the process ends', (on) => on.stop()],
  ])('wanted no more once its object is %s, whenever that is asked', async (_what, change) => {
    const { contexts } = held();
    engine.given('orders');
    await engine.start();
    let heard = '';
    contexts[0]?.onUnwanted(() => (heard = 'at once'));
    change(engine);
    expect([contexts[0]?.stillWanted(), heard]).toEqual([false, 'at once']);
    contexts[0]?.onUnwanted(() => (heard = 'later'));
    expect(heard).toBe('later');
  });
});

describe('of places', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

  test('there are fifty', async () => {
    const { end } = held();
    engine.given(...names(60));
    await engine.start();
    expect([engine.began.length, engine.worker.busy]).toEqual([50, 50]);
    end();
    await settle();
    expect(engine.began).toHaveLength(60);
  });

  test('none is held by who waits for its turn, who then waits for one ahead of new keys', async () => {
    const [turn, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const after: number[] = [];
    engine.reconcile = async ({ metadata }, context) => {
      const number = Number(metadata.name);
      if (number < 50) await context.parked(() => turn.promise);
      after.push(number);
      await gate.promise;
      return NOTHING;
    };
    engine.given(...names(110));
    await engine.start();
    for (const then of [turn.resolve, gate.resolve]) {
      expect([engine.began.length, after.length, engine.worker.busy]).toEqual([100, 50, 50]);
      then();
      await settle();
    }
    expect(engine.began).toHaveLength(110);
    expect(Math.max(...after.slice(50, 100))).toBeLessThan(50);
    expect(engine.worker.busy).toBe(0);
  });
});

test('a worker that is told to end takes no new key, and ends after the last reconcile', async () => {
  const { end } = held();
  engine.given('a');
  await engine.start();
  engine.stop();
  engine.given('b');
  await settle();
  expect([engine.began, engine.did]).toEqual([['ns/a'], []]);
  end();
  await settle();
  expect([engine.began, engine.did, engine.queue.depth]).toEqual([
    ['ns/a'],
    ['nothing', 'ended'],
    1,
  ]);
});
