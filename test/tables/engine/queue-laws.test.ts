import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Queue } from '../../../src/controller/queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { QueueModel } from './queue-model.ts';

const [OFTEN, AT_TIMES] = [
  ['user', 'take', 'done'] as const,
  ['scheduled', 'later', 'pass'] as const,
];
const ACTS = [...OFTEN, ...OFTEN, ...AT_TIMES] as const;
const step = fc.tuple(
  fc.constantFrom(...ACTS),
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.constantFrom(0, 1, 2, 5, 10, 50),
);

/** Does what a step says, and gives what comes out. */
function act(
  queue: Pick<Queue, 'add' | 'addAfter' | 'take' | 'done'>,
  what: (typeof ACTS)[number],
  key: string,
  ms: number,
): string | undefined {
  if (what === 'take') return queue.take();
  if (what === 'later') queue.addAfter(key, ms);
  else if (what === 'done') queue.done(key);
  else if (what !== 'pass') queue.add(key, what);
  return undefined;
}

test('a queue gives the keys that a simple model gives, for any sequence of steps', async () => {
  const steps = fc.array(step, { maxLength: 120 });
  const end = ['done', 'done', 'done', 'done', 'pass', 'take', 'take', 'take', 'take'] as const;
  const law = fc.asyncProperty(steps, async (drawn) => {
    const clock = new FakeClock();
    const [queue, model] = [new Queue(clock), new QueueModel()];
    const last = end.map((what, index) => [what, 'abcd'[index] ?? '', 100] as const);
    for (const [index, [what, key, ms]] of [...drawn, ...last].entries()) {
      // Delays differ by part of a millisecond, so that no two tie.
      const delay = ms + index / 1_000;
      expect(act(queue, what, key, delay)).toBe(act(model, what, key, delay));
      if (what === 'pass') {
        await clock.advance(ms);
        model.advance(ms);
      }
      expect([queue.depth, clock.pending]).toEqual([model.depth, model.delayed]);
    }
    expect(queue.take()).toBeUndefined();
  });
  await fc.assert(law, { numRuns: 300 });
});
