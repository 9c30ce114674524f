import { describe, expect, test } from 'vitest';
import { Lanes } from '../../src/controller/lanes.ts';
import type { Lane } from '../../src/waiting-queue.ts';

describe('lanes', () => {
  test('a user key that comes again as scheduled keeps its place among user keys', () => {
    const lanes = new Lanes();
    for (const key of ['a', 'b']) lanes.push(key, 'user');
    lanes.push('a', 'scheduled');
    expect([lanes.size, lanes.shift(), lanes.shift(), lanes.shift()]).toEqual([
      2,
      'a',
      'b',
      undefined,
    ]);
  });

  test('a key that gets a slot while it waits keeps the place of its namespace in the round', () => {
    const lanes = new Lanes();
    lanes.push('k/a/one', 'user');
    for (let nth = 0; nth < 50; nth += 1) lanes.push(`k/other-${nth}/one`, 'user');
    lanes.push('k/a/one', 'user', true);
    expect(lanes.shift()).toBe('k/a/one');
    expect(lanes.size).toBe(50);
  });

  test('asking an empty line does not use up a turn', () => {
    const lanes = new Lanes();
    for (let index = 0; index < 4; index += 1) lanes.shift();
    lanes.push('s', 'scheduled');
    for (const key of ['a', 'b', 'c', 'd', 'e']) lanes.push(key, 'user');
    expect(Array.from({ length: 6 }, () => lanes.shift())).toEqual(['a', 'b', 'c', 'd', 's', 'e']);
  });

  test('a scheduled key waits for at most four others, whenever it comes', () => {
    for (let before = 0; before < 10; before += 1) {
      const lanes = new Lanes();
      for (let index = 0; index < 100; index += 1) lanes.push(`u${index}`, 'user');
      for (let index = 0; index < before; index += 1) lanes.shift();
      lanes.push('s', 'scheduled');
      expect(Array.from({ length: 5 }, () => lanes.shift())).toContain('s');
    }
  });

  test('keeps its order over many thousand keys, in both lanes at once', () => {
    const lanes = new Lanes();
    const order: Record<Lane, string[]> = { user: [], scheduled: [] };
    for (let index = 0; index < 6_000; index += 1) {
      const lane = index % 3 === 0 ? 'scheduled' : 'user';
      lanes.push(`${lane} ${index}`, lane);
      if (index % 2 === 1) note(lanes.shift());
    }
    for (let key = lanes.shift(); key !== undefined; key = lanes.shift()) note(key);
    for (const keys of Object.values(order)) {
      const numbers = keys.map((key) => Number(key.split(' ')[1]));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
    expect(order.user.length + order.scheduled.length).toBe(6_000);
    expect(lanes.size).toBe(0);

    function note(key: string | undefined): void {
      order[key?.startsWith('user') ? 'user' : 'scheduled'].push(key ?? 'none');
    }
  });
});
