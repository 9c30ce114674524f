import { expect, test } from 'vitest';
import { Departed } from '../../src/kinds/target/departed.ts';
import type { Calls } from '../../src/kinds/target/target.ts';

function calls(calledAt: number): Calls {
  const never = { appliedAt: undefined, provenAt: undefined, unknownAt: undefined };
  return { created: '2026-03-01T11:00:00Z', ...never, calledAt };
}

test('tells of all that are gone of a target, but not of the object that asks: a restored backup may have brought it back', () => {
  const departed = new Departed();
  departed.leaves('pipe', 'a', calls(1));
  departed.leaves('pipe', 'b', calls(2));
  departed.leaves('pipe', 'a', calls(3));
  expect(departed.of('pipe', 'c')).toEqual([calls(2), calls(3)]);
  expect(departed.of('pipe', 'a')).toEqual([calls(2)]);
  expect(departed.of('another pipe', 'c')).toEqual([]);
});

test('of ten thousand targets at most, and ten objects of one, the oldest is forgotten first', () => {
  const departed = new Departed();
  for (let n = 0; n <= 10_000; n += 1) departed.leaves(`pipe-${n}`, 'a', calls(n));
  expect([0, 1, 10_000].map((n) => departed.of(`pipe-${n}`, 'b').length)).toEqual([0, 1, 1]);
  for (let n = 0; n <= 10; n += 1) departed.leaves('pipe', `a-${n}`, calls(n));
  expect(departed.of('pipe', 'b').map(({ calledAt }) => calledAt)).toEqual(
    Array.from({ length: 10 }, (_, n) => n + 1),
  );
});
