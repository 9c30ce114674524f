import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Lane, Queue } from '../../src/controller/queue.ts';
import type { FakeClock } from '../support/fake-clock.ts';
import { QueueModel } from '../support/queue-model.ts';

import { aQueue, drain, takeNow } from '../support/queue-taking.ts';

type Step =
  | {
      readonly do: 'add';
      readonly key: string;
      readonly lane: Lane;
      readonly holdsSlot: boolean;
    }
  | { readonly do: 'addAfter'; readonly key: string; readonly ms: number }
  | { readonly do: 'forget'; readonly key: string }
  | { readonly do: 'take' }
  | { readonly do: 'done'; readonly which: number }
  | { readonly do: 'advance'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const lane = fc.constantFrom<Lane>('user', 'scheduled');
const ms = fc.constantFrom(0, 1, 2, 5, 10, 50);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('add' as const), key, lane, holdsSlot: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('addAfter' as const), key, ms }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), key }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('done' as const), which: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('advance' as const), ms }) },
);

describe('against a simple model', () => {
  test('gives the same keys in the same order for any sequence of steps, and loses none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const { queue, clock } = aQueue();
        const model = new QueueModel();
        for (const [index, each] of steps.entries()) {
          const [taken, expected] = await both(each, index / 1_000, { queue, clock, model });
          expect(taken).toBe(expected);
          expect(queue.depth).toBe(model.depth);
          expect(clock.pending).toBeLessThanOrEqual(1);
        }
        for (const running of model.running) {
          queue.done(running);
          model.done(running);
        }
        await clock.advance(100);
        model.advance(100);
        const left: string[] = [];
        for (let next = model.take(); next !== undefined; next = model.take()) {
          left.push(next);
          model.done(next);
        }
        expect(await drain(queue)).toEqual(left);
      }),
      { numRuns: 400 },
    );
  });
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
  switch (each.do) {
    case 'add':
      queue.add(each.key, each.lane, each.holdsSlot);
      model.add(each.key, each.lane, each.holdsSlot);
      return [];
    case 'addAfter':
      queue.addAfter(each.key, each.ms + part);
      model.addAfter(each.key, each.ms + part);
      return [];
    case 'forget':
      queue.forget(each.key);
      model.forget(each.key);
      return [];
    case 'take':
      return [await takeNow(queue), model.take()];
    case 'done': {
      const running = model.running[each.which % Math.max(1, model.running.length)] ?? 'none';
      queue.done(running);
      model.done(running);
      return [];
    }
    case 'advance':
      await clock.advance(each.ms);
      model.advance(each.ms);
      return [];
  }
}
