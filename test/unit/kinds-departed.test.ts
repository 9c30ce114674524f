import { expect, test } from 'vitest';
import { Departed } from '../../src/kinds/departed.ts';

test('of several that are gone the last call counts', () => {
  const departed = new Departed();
  for (const at of [2, 3, 1]) departed.leaves('pipe', at);
  expect(departed.calledAt('pipe')).toBe(3);
  expect(departed.calledAt('another pipe')).toBeUndefined();
});

test('of ten thousand targets at most, the oldest is forgotten first', () => {
  const departed = new Departed();
  for (let n = 0; n <= 10_000; n += 1) departed.leaves(`pipe-${n}`, n);
  expect([0, 1, 10_000].map((n) => departed.calledAt(`pipe-${n}`))).toEqual([undefined, 1, 10_000]);
});
