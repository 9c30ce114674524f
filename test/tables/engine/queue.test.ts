import { expect, test } from 'vitest';
import { Queue } from '../../../src/controller/queue.ts';
import { FakeClock } from '../../support/fake-clock.ts';

// Steps, and then what can be taken, in order. A number is a delay in ms; `+5` lets 5 ms pass.
test.each([
  ['is never out twice at a time', 'user a, take a, user a', ''],
  ['added twice while out comes back once', 'user a, take a, user a, user a, done a', 'a'],
  ['comes back for a user', 'user a, take a, scheduled b, user a, scheduled a, done a', 'a b'],
  ['moves up when a user wants it', 'scheduled a, scheduled b, user b', 'b a'],
  ['comes by the earlier of two delays, given first', '100 a, 500 a, +100', 'a'],
  ['comes by the earlier of two delays, given last', '500 a, 100 a, +100', 'a'],
  ['comes not before its delay', '100 a, +99', ''],
  ['loses its delay when it is taken before', '100 a, user a, take a, done a, +1000', ''],
  ['keeps the delay that its reconcile sets', 'user a, take a, 100 a, done a, +100', 'a'],
  ['with a delay in the past comes now', '-5 a, +0', 'a'],
])('a key %s', async (_what, script, expected) => {
  const clock = new FakeClock();
  const queue = new Queue(clock);
  const went: string[] = [];
  for (const step of script.split(', ')) {
    const [act = '', key = ''] = step.split(' ');
    went.push(act === 'take' ? `take ${queue.take()}` : step);
    if (act === 'done') queue.done(key);
    else if (act === 'user' || act === 'scheduled') queue.add(key, act);
    else if (act.startsWith('+')) await clock.advance(Number(act));
    else if (act !== 'take') queue.addAfter(key, Number(act));
  }
  const keys: string[] = [];
  for (let key = queue.take(); key !== undefined; key = queue.take()) keys.push(key);
  expect([went.join(', '), keys.join(' ')]).toEqual([script, expected]);
});

test('what is no number is refused as a delay: the key would be lost', () => {
  expect(() => new Queue(new FakeClock()).addAfter('b', Number.NaN)).toThrow(/"b"/);
});
