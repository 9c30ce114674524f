import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DelayHeap } from '../../src/controller/delay-heap.ts';

describe('a heap of delays', () => {
  test('keeps the earlier of two times for a key', () => {
    const heap = new DelayHeap();
    heap.set('a', 5);
    heap.set('a', 9);
    expect(heap.earliest()).toBe(5);
    heap.set('a', 3);
    expect(heap.takeDue(10)).toEqual(['a']);
    expect(heap.earliest()).toBeUndefined();
  });

  test('gives nothing of a deleted key, and takes a later time for it afterwards', () => {
    const heap = new DelayHeap();
    heap.set('a', 5);
    heap.delete('a');
    heap.set('a', 7);
    expect([heap.takeDue(6), heap.takeDue(7)]).toEqual([[], ['a']]);
  });

  test('gives a key that was deleted and set to its old time once only', () => {
    const heap = new DelayHeap();
    heap.set('a', 5);
    heap.delete('a');
    heap.set('a', 5);
    expect(heap.takeDue(5)).toEqual(['a']);
    expect(heap.takeDue(5)).toEqual([]);
  });

  test('gives what is due, soonest first, for any sequence of sets, deletes and takes', () => {
    const key = fc.integer({ min: 0, max: 200 }).map((number) => `k${number}`);
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('set' as const),
          key,
          due: fc.integer({ min: 0, max: 60 }),
        }),
      },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), key }) },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('take' as const),
          now: fc.integer({ min: 0, max: 60 }),
        }),
      },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400, size: 'max' }), (steps) => {
        const heap = new DelayHeap();
        const model = new Map<string, number>();
        for (const each of steps) {
          const due =
            each.do === 'take'
              ? [...model].filter(([, at]) => at <= each.now).map(([name]) => name)
              : [];
          const taken = each.do === 'take' ? heap.takeDue(each.now) : [];
          expect(taken.toSorted()).toEqual(due.toSorted());
          const times = taken.map((name) => model.get(name) ?? Number.NaN);
          expect(times).toEqual(times.toSorted((a, b) => a - b));
          for (const name of taken) model.delete(name);
          if (each.do === 'set') {
            heap.set(each.key, each.due);
            model.set(
              each.key,
              Math.min(model.get(each.key) ?? Number.POSITIVE_INFINITY, each.due),
            );
          }
          if (each.do === 'delete') {
            heap.delete(each.key);
            model.delete(each.key);
          }
          expect(heap.earliest()).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
        }
      }),
      { numRuns: 150 },
    );
  });

  test('keeps its order when most of its keys have been deleted', () => {
    const heap = new DelayHeap();
    for (let due = 200; due > 0; due -= 1) heap.set(`k${due}`, due);
    for (let due = 200; due > 0; due -= 1) if (due % 20 !== 0) heap.delete(`k${due}`);
    const dues = heap.takeDue(1_000).map((key) => Number(key.slice(1)));
    expect(dues).toEqual([20, 40, 60, 80, 100, 120, 140, 160, 180, 200]);
  });

  test('does not grow with keys that are set and deleted again and again', () => {
    const heap = new DelayHeap();
    heap.set('stays', 1_000_000);
    for (let round = 0; round < 20_000; round += 1) {
      heap.set(`k${round % 10}`, round);
      heap.delete(`k${round % 10}`);
    }
    expect(heap.takeDue(999_999)).toEqual([]);
    expect(heap.takeDue(1_000_000)).toEqual(['stays']);
  });
});
