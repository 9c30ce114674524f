import { expect, test } from 'vitest';
import { Queue } from '../../../src/controller/queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { rows } from '../kinds/rows.ts';

/** `due` and `edited`: added as scheduled, and by a user. `taken`: what each `take` gives. */
const LAWS = rows<'law' | 'steps' | 'taken'>(`
  law | steps | taken
  gives what came first           | a due, b due, take, take, take                     | a b –
  gives first what a user edited  | a due, b edited, c edited, take, take, take        | b c a
  moves up what a user edited     | a due, b due, b edited, take, take, take           | b a –
  moves down nothing              | a edited, b edited, a due, take, take, take        | a b –
  keeps the place of a due key    | a due, b due, a due, take, take, take              | a b –
  keeps the place of an edited key
    | a edited, b edited, a edited, take, take, take                                   | a b –
  gives no key twice at a time    | a due, take, a edited, take, a done, take          | a – a
  gives again what was added while it was out, and once
    | a due, take, a due, a due, a done, take, a done, take                            | a a –
  gives it as it was edited, though it was due since
    | a due, take, a edited, a due, b due, a done, take, take                          | a a b
  gives it as it was edited, though it was due before
    | a due, take, a due, a edited, b due, a done, take, take                          | a a b
  gives it as due, though it was edited the last time
    | a edited, take, a due, b edited, a done, take, take                              | a b a
  gives it behind others that are due | a due, take, b due, a due, a done, take, take  | a b a
  gives a delayed key as due      | a later 5, pass 4.9, take, pass 0.1, b edited, take, take
    | – b a
  gives the earlier of two delays first | a later 9, b later 5, pass 9, take, take     | b a
  keeps the earlier of two delays for a key
    | a later 9, a later 5, a later 7, pass 5, take, a done, pass 9, take              | a –
  drops the delay of what is taken | a later 5, a due, take, a done, pass 5, take      | a –
  keeps a delay that was asked for while it was out
    | a later 5, a due, take, a later 9, a done, take, pass 9, take                    | a – a
  gives again what became due while it was out
    | a due, take, a later 5, pass 5, take, a done, take                               | a – a
  takes a key for done only where it is out | a due, a done, b due, b done, take, take | a b
`);

test.each(LAWS)('a queue $law', async ({ steps, taken }) => {
  const clock = new FakeClock();
  const queue = new Queue(clock);
  const gave: string[] = [];
  for (const step of steps.split(', ')) {
    const [key = '', act = '', ms = ''] = step.split(' ');
    if (key === 'take') gave.push(queue.take() ?? '–');
    else if (key === 'pass') await clock.advance(Number(act));
    else if (act === 'due') queue.add(key, 'scheduled');
    else if (act === 'edited') queue.add(key, 'user');
    else if (act === 'later') queue.addAfter(key, Number(ms));
    else if (act === 'done') queue.done(key);
    else throw new Error(`"${step}" does nothing`);
  }
  expect(gave.join(' ')).toBe(taken);
  expect([queue.depth, clock.pending]).toEqual([0, 0]);
});

test('a queue is as deep as keys wait in it, each once, and not those that are delayed', () => {
  const queue = new Queue(new FakeClock());
  for (const key of ['a', 'b', 'a', 'c']) queue.add(key, key === 'b' ? 'user' : 'scheduled');
  queue.addAfter('d', 5);
  expect(queue.depth).toBe(3);
});
