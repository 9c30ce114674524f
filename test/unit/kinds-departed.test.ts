import { expect, test } from 'vitest';
import { Departed } from '../../src/kinds/departed.ts';
import type { Calls } from '../../src/kinds/target.ts';

function calls(more: Partial<Calls>): Calls {
  const never = { appliedAt: undefined, provenAt: undefined, unknownAt: undefined, calledAt: undefined };
  return { created: '2026-03-01T11:00:00Z', ...never, ...more };
}

test('of several that are gone the last calls count, each of its sort', () => {
  const departed = new Departed();
  departed.leaves('pipe', calls({ appliedAt: 2, calledAt: 2 }), 10);
  departed.leaves('pipe', calls({ created: '2026-03-01T11:00:01Z', calledAt: 3 }), 10);
  departed.leaves('pipe', calls({ appliedAt: 1, calledAt: 1 }), 10);
  expect(departed.of('pipe')).toEqual(calls({ created: '2026-03-01T11:00:01Z', appliedAt: 2, calledAt: 3 }));
  expect(departed.of('another pipe')).toBeUndefined();
});

test('a time of one that lies in the future hides no later call of another: it counts as long past', () => {
  const departed = new Departed();
  departed.leaves('pipe', calls({ appliedAt: 70, unknownAt: 8 }), 10);
  departed.leaves('pipe', calls({ appliedAt: 9, unknownAt: 80 }), 10);
  expect(departed.of('pipe')).toEqual(calls({ appliedAt: 9, unknownAt: 8 }));
});

test('of ten thousand targets at most, the oldest is forgotten first', () => {
  const departed = new Departed();
  for (let n = 0; n <= 10_000; n += 1) departed.leaves(`pipe-${n}`, calls({ calledAt: n }), n);
  expect([0, 1, 10_000].map((n) => departed.of(`pipe-${n}`)?.calledAt)).toEqual([undefined, 1, 10_000]);
});
