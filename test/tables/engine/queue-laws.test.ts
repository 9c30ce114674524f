import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Priority, Queue } from '../../../src/controller/queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { QueueModel } from './queue-model.ts';

type Step =
  | { readonly type: 'add'; readonly key: string; readonly priority: Priority }
  | { readonly type: 'addAfter'; readonly key: string; readonly ms: number }
  | { readonly type: 'take' }
  | { readonly type: 'done'; readonly which: number }
  | { readonly type: 'advance'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const priority = fc.constantFrom<Priority>('user', 'scheduled');
const ms = fc.constantFrom(0, 1, 2, 5, 10, 50);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('add' as const), key, priority }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('addAfter' as const), key, ms }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('take' as const) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('done' as const), which: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('advance' as const), ms }) },
);

test('a queue gives the same keys in the same order as a simple model, for any sequence of steps, and loses none', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
      const clock = new FakeClock();
      const queue = new Queue(clock);
      const model = new QueueModel();
      for (const [index, each] of steps.entries()) {
        const [taken, expected] = await both(each, index / 1_000, { queue, clock, model });
        expect(taken).toBe(expected);
        expect([queue.depth, clock.pending]).toEqual([model.depth, model.delayed]);
      }
      for (const out of model.out) {
        queue.done(out);
        model.done(out);
      }
      await clock.advance(100);
      model.advance(100);
      for (let expected = model.take(); expected !== undefined; expected = model.take()) {
        expect(queue.take()).toBe(expected);
        queue.done(expected);
        model.done(expected);
      }
      expect(queue.take()).toBeUndefined();
    }),
    { numRuns: 400 },
  );
});

/**
 * Does one step to both; what each of them gave out. Delays differ by `part` of a millisecond, so
 * that no two tie.
 */
async function both(
  each: Step,
  part: number,
  { queue, clock, model }: { queue: Queue; clock: FakeClock; model: QueueModel },
): Promise<readonly (string | undefined)[]> {
  switch (each.type) {
    case 'add':
      queue.add(each.key, each.priority);
      model.add(each.key, each.priority);
      return [];
    case 'addAfter':
      queue.addAfter(each.key, each.ms + part);
      model.addAfter(each.key, each.ms + part);
      return [];
    case 'take':
      return [queue.take(), model.take()];
    case 'done': {
      const out = model.out[each.which % Math.max(1, model.out.length)] ?? 'none';
      queue.done(out);
      model.done(out);
      return [];
    }
    case 'advance':
      await clock.advance(each.ms);
      model.advance(each.ms);
      return [];
  }
}
