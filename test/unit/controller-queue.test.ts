import { describe, expect, test } from 'vitest';
import { Queue } from '../../src/controller/queue.ts';
import { FakeClock } from '../support/fake-clock.ts';

function aQueue(): { readonly clock: FakeClock; readonly queue: Queue } {
  const clock = new FakeClock();
  return { clock, queue: new Queue(clock) };
}

function drain(queue: Queue): string[] {
  const keys: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) {
    keys.push(key);
    queue.done(key);
  }
  return keys;
}

describe('a key', () => {
  test('waits once however often it is added', () => {
    const { queue } = aQueue();
    for (const priority of ['user', 'scheduled', 'user'] as const) queue.add('a', priority);
    expect(drain(queue)).toEqual(['a']);
  });

  test('is never out twice at a time, and comes back once when added while out', () => {
    const { queue } = aQueue();
    queue.add('a', 'user');
    expect(queue.take()).toBe('a');
    queue.add('a', 'user');
    queue.add('a', 'scheduled');
    expect(queue.take()).toBeUndefined();
    queue.done('a');
    expect(drain(queue)).toEqual(['a']);
  });

  test('added for a user while out comes back ahead of scheduled ones', () => {
    const { queue } = aQueue();
    queue.add('a', 'user');
    queue.take();
    queue.add('b', 'scheduled');
    queue.add('a', 'user');
    queue.add('a', 'scheduled');
    queue.done('a');
    expect(drain(queue)).toEqual(['a', 'b']);
  });

  test('that waits as scheduled moves up when a user wants it', () => {
    const { queue } = aQueue();
    for (const key of ['a', 'b', 'c']) queue.add(key, 'scheduled');
    queue.add('c', 'user');
    expect(drain(queue)).toEqual(['c', 'a', 'b']);
  });
});

describe('a delay', () => {
  test.each([
    [100, 500],
    [500, 100],
  ])('of %i and then of %i ms for one key is the earlier one', async (first, second) => {
    const { queue, clock } = aQueue();
    queue.addAfter('a', first);
    queue.addAfter('a', second);
    await clock.advance(99);
    expect(queue.depth).toBe(0);
    await clock.advance(1);
    expect(drain(queue)).toEqual(['a']);
    await clock.advance(1_000);
    expect(queue.depth).toBe(0);
  });

  test('is dropped when its key is taken before', async () => {
    const { queue, clock } = aQueue();
    queue.addAfter('a', 100);
    queue.add('a', 'user');
    expect(drain(queue)).toEqual(['a']);
    await clock.advance(1_000);
    expect([queue.depth, clock.pending]).toEqual([0, 0]);
  });

  test('stays where the reconcile sets it before it is done', async () => {
    const { queue, clock } = aQueue();
    queue.add('a', 'user');
    queue.take();
    queue.addAfter('a', 100);
    queue.done('a');
    await clock.advance(100);
    expect(queue.depth).toBe(1);
  });

  test('in the past is now, and what is no number is refused', async () => {
    const { queue, clock } = aQueue();
    queue.addAfter('a', -5);
    await clock.advance(0);
    expect(queue.depth).toBe(1);
    expect(() => queue.addAfter('b', Number.NaN)).toThrow(/"b"/);
  });
});

test('failures are counted for each key, and forgotten after a success', () => {
  const { queue } = aQueue();
  expect(['a', 'a', 'b'].map((key) => queue.countFailure(key))).toEqual([1, 2, 1]);
  queue.forgetFailures('a');
  expect(queue.countFailure('a')).toBe(1);
});

test('an observer hears once of each key that can be taken', () => {
  let heard = 0;
  const queue = new Queue(new FakeClock(), () => void (heard += 1));
  queue.add('a', 'user');
  queue.add('a', 'user');
  queue.take();
  queue.add('a', 'user');
  expect(heard).toBe(1);
  queue.done('a');
  expect(heard).toBe(2);
});

test('20,000 keys are added, delayed and drained within seconds', async () => {
  const queue = new Queue({ now: () => 0, monotonic: () => 0, at: () => () => undefined });
  for (let index = 0; index < 20_000; index += 1) {
    queue.addAfter(`k${index}`, index);
    queue.add(`k${index}`, 'scheduled');
  }
  expect(drain(queue)).toHaveLength(20_000);
}, 5_000);
