import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Cancel, Clock } from '../../src/clock.ts';
import { Queue } from '../../src/controller/queue.ts';
import { FakeClock } from '../support/fake-clock.ts';

import { aQueue, drain, takeNow } from '../support/queue-taking.ts';

describe('a key', () => {
  test('waits once however often it is added', async () => {
    const { queue } = aQueue();
    for (const lane of ['user', 'scheduled', 'user'] as const) queue.add('a', lane);
    expect(await drain(queue)).toEqual(['a']);
  });

  test('is never out twice at a time, and comes back once when added while out', async () => {
    const { queue } = aQueue();
    queue.add('a', 'user');
    expect(await takeNow(queue)).toBe('a');
    queue.add('a', 'user');
    queue.add('a', 'scheduled');
    expect(await takeNow(queue)).toBeUndefined();
    queue.done('a');
    expect(await drain(queue)).toEqual(['a']);
  });

  test('added for a user while out comes back in the user lane', async () => {
    const { queue } = aQueue();
    queue.add('a', 'user');
    await takeNow(queue);
    queue.add('b', 'scheduled');
    queue.add('a', 'user');
    queue.add('a', 'scheduled');
    queue.done('a');
    expect(await drain(queue)).toEqual(['a', 'b']);
  });

  test('that waits as scheduled moves up when a user wants it, and loses its old place', async () => {
    const { queue } = aQueue();
    for (const key of ['a', 'b', 'c']) queue.add(key, 'scheduled');
    queue.add('c', 'user');
    expect(await takeNow(queue)).toBe('c');
    queue.done('c');
    queue.add('c', 'scheduled');
    expect(await drain(queue)).toEqual(['a', 'b', 'c']);
  });

  test('moved up and added again as scheduled stands behind those that waited', async () => {
    const { queue } = aQueue();
    for (const key of ['a', 'b']) queue.add(key, 'scheduled');
    queue.add('a', 'user');
    await takeNow(queue);
    queue.done('a');
    queue.add('a', 'scheduled');
    expect(await drain(queue)).toEqual(['b', 'a']);
  });
});

describe('delays', () => {
  test('keeps the earlier of two delays for one key, in either order', async () => {
    for (const [first, second] of [
      [100, 500],
      [500, 100],
    ] as const) {
      const { queue, clock } = aQueue();
      queue.addAfter('a', first);
      queue.addAfter('a', second);
      await clock.advance(99);
      expect(queue.depth).toBe(0);
      await clock.advance(1);
      expect(await drain(queue)).toEqual(['a']);
      await clock.advance(1_000);
      expect(queue.depth).toBe(0);
    }
  });

  test('drops the delay of a key that is taken before', async () => {
    const { queue, clock } = aQueue();
    queue.addAfter('a', 100);
    queue.add('a', 'user');
    expect(await drain(queue)).toEqual(['a']);
    await clock.advance(1_000);
    expect(queue.depth).toBe(0);
  });

  test('keeps the delay that a pass sets before it is done', async () => {
    const { queue, clock } = aQueue();
    queue.add('a', 'user');
    await takeNow(queue);
    queue.addAfter('a', 100);
    queue.done('a');
    await clock.advance(100);
    expect(queue.depth).toBe(1);
  });

  test('has at most one timer, whatever is set, taken and forgotten', async () => {
    const { queue, clock } = aQueue();
    const most: number[] = [];
    for (let index = 0; index < 1_000; index += 1) {
      queue.addAfter(`key-${index}`, (index * 7919) % 1_000);
      if (index % 3 === 0) queue.forget(`key-${(index * 31) % 1_000}`);
      most.push(clock.pending);
    }
    expect(Math.max(...most)).toBe(1);
    await clock.advance(1_000);
    expect(clock.pending).toBe(0);
  });

  test('takes a delay in the past for now, and none that is no number', async () => {
    const { queue, clock } = aQueue();
    queue.addAfter('a', -5);
    await clock.advance(0);
    expect(queue.depth).toBe(1);
    expect(() => queue.addAfter('b', Number.NaN)).toThrow(/"b"/);
  });

  test('survives a timer that runs a little early, as those of the platform do', async () => {
    const fake = new FakeClock();
    const early: Clock = {
      now: () => fake.now(),
      monotonic: () => fake.monotonic(),
      at: (delayMs: number, run: () => void): Cancel => fake.at(Math.max(1, delayMs - 1), run),
    };
    const queue = new Queue({ clock: early });
    queue.addAfter('a', 1_000);
    await fake.advance(1_001);
    expect(queue.depth).toBe(1);
  });
});

describe('lanes', () => {
  test('user keys go ahead, and of five keys in a row one is a scheduled one while any waits', async () => {
    const { queue } = aQueue();
    for (let index = 0; index < 40; index += 1) {
      queue.add(`s${index}`, 'scheduled');
      queue.add(`u${index}`, 'user');
    }
    const order = await drain(queue);
    expect(order.filter((key) => key.startsWith('u')).slice(0, 8)).toEqual(
      order.slice(0, 10).filter((key) => key.startsWith('u')),
    );
    for (let start = 0; start + 5 <= 50; start += 1) {
      const scheduled = order.slice(start, start + 5).filter((key) => key.startsWith('s'));
      expect(scheduled).toHaveLength(1);
    }
  });
});

describe('a key that holds a slot', () => {
  test('goes ahead of all others of its namespace and lane, first in first out', async () => {
    const { queue } = aQueue();
    for (const name of ['a', 'b', 'c', 'd', 'e']) queue.add(`K/n/${name}`, 'user');
    queue.add('K/n/scheduled', 'scheduled', true);
    queue.add('K/n/slot 1', 'user', true);
    // One that waits moves up.
    queue.add('K/n/d', 'scheduled', true);
    queue.add('K/n/slot 2', 'user', true);
    queue.add('K/n/slot 1', 'user');
    const order = ['slot 1', 'd', 'slot 2', 'a', 'scheduled', 'b', 'c', 'e'];
    expect(await drain(queue)).toEqual(order.map((name) => `K/n/${name}`));
  });

  test('goes ahead where it comes back after its reconcile', async () => {
    const { queue } = aQueue();
    queue.add('K/n/slot', 'user');
    await takeNow(queue);
    for (const name of ['a', 'b']) queue.add(`K/n/${name}`, 'user');
    queue.add('K/n/slot', 'user', true);
    queue.add('K/n/slot', 'user');
    queue.done('K/n/slot');
    expect(await drain(queue)).toEqual(['K/n/slot', 'K/n/a', 'K/n/b']);
  });

  test('takes no turn of another namespace', async () => {
    const { queue } = aQueue();
    for (const name of ['a', 'b']) queue.add(`K/other/${name}`, 'user');
    for (const name of ['a', 'b']) queue.add(`K/n/${name}`, 'user', true);
    expect(await drain(queue)).toEqual(['K/other/a', 'K/n/a', 'K/other/b', 'K/n/b']);
  });
});

describe('failures', () => {
  test('are counted per key, forgotten after success and with the object', () => {
    const { queue } = aQueue();
    expect([queue.countFailure('a'), queue.countFailure('a'), queue.countFailure('b')]).toEqual([
      1, 2, 1,
    ]);
    queue.forgetFailures('a');
    expect(queue.countFailure('a')).toBe(1);
    queue.forget('a');
    expect(queue.countFailure('a')).toBe(1);
  });
});

describe('taking', () => {
  test('ends with undefined when its signal is raised, before or while waiting', async () => {
    const { queue, stop } = aQueue();
    const waiting = queue.take(stop.signal);
    stop.abort();
    expect(await waiting).toBeUndefined();
    queue.add('a', 'user');
    expect(await queue.take(stop.signal)).toBeUndefined();
    expect(queue.depth).toBe(1);
  });

  test('leaves nobody behind who would swallow a key', async () => {
    const { queue, stop } = aQueue();
    const other = new AbortController();
    const [left, stays] = [queue.take(stop.signal), queue.take(other.signal)];
    stop.abort();
    queue.add('a', 'user');
    expect(await Promise.all([left, stays])).toEqual([undefined, 'a']);
  });

  test('serves who asked first', async () => {
    const { queue, stop } = aQueue();
    const takers = [queue.take(stop.signal), queue.take(stop.signal), queue.take(stop.signal)];
    for (const key of ['a', 'b', 'c']) queue.add(key, 'user');
    expect(await Promise.all(takers)).toEqual(['a', 'b', 'c']);
  });

  test('leaves no listener on a signal that serves 10,000 takes', async () => {
    const { queue, stop } = aQueue();
    for (let index = 0; index < 10_000; index += 1) {
      const taken = queue.take(stop.signal);
      queue.add('a', 'user');
      queue.done((await taken) ?? '');
    }
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  });
});

describe('10,000 keys', () => {
  test('are added, delayed and drained with work in proportion to their number', async () => {
    const counts = await Promise.all([clockReadsFor(1_000), clockReadsFor(10_000)]);
    expect(counts[1] / counts[0]).toBeLessThan(11);
  });

  test('are told of to the observer once each', async () => {
    const seen = { added: 0, taken: [] as number[], finished: [] as number[] };
    const clock = new FakeClock();
    const queue = new Queue({
      clock,
      observer: {
        added: () => (seen.added += 1),
        taken: (waitedMs) => seen.taken.push(waitedMs),
        finished: (workedMs) => seen.finished.push(workedMs),
      },
    });
    queue.add('a', 'user');
    await clock.advance(30);
    await takeNow(queue);
    await clock.advance(12);
    queue.done('a');
    expect(seen).toEqual({ added: 1, taken: [30], finished: [12] });
  });
});

/**
 * How often the queue asks for the time while `keys` keys come and go: once per step, not once per
 * key and step.
 */
async function clockReadsFor(keys: number): Promise<number> {
  const clock = new FakeClock();
  let reads = 0;
  const counting: Clock = {
    now: () => clock.now(),
    monotonic: () => {
      reads += 1;
      return clock.monotonic();
    },
    at: (delayMs, run) => clock.at(delayMs, run),
  };
  const queue = new Queue({ clock: counting });
  for (let index = 0; index < keys; index += 1) queue.addAfter(`k${index}`, (index * 7919) % 1_000);
  await clock.advance(1_000);
  expect(await drain(queue)).toHaveLength(keys);
  return reads;
}
