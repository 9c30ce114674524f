import { describe, expect, test } from 'vitest';
import * as changes from '../../src/kinds/pipe-settings/changes.ts';
import type { FieldChange } from '../../src/kinds/shared/preview.ts';

describe('planned changes', () => {
  test('are the declared values that differ from the last reply, from nothing where it is not known', () => {
    const declared = {
      engine_max_threads: 8,
      engine_max_insert_threads: 2,
      engine_parallel_view_processing: false,
    };
    expect(
      changes.plannedChanges(declared, { engine_max_threads: 8, engine_max_insert_threads: 1 }),
    ).toEqual([
      { field: 'engine_max_insert_threads', from: 1, to: 2 },
      { field: 'engine_parallel_view_processing', to: false },
    ]);
    expect(changes.plannedChanges({ engine_max_threads: 0 }, undefined)).toEqual([
      { field: 'engine_max_threads', to: 0 },
    ]);
  });
});

describe('confirmed changes', () => {
  const declared = { engine_max_threads: 8 };
  test.for<[string, changes.Replies & { sameRequest: boolean }, readonly FieldChange[]]>([
    [
      'another value',
      {
        declared,
        before: { engine_max_threads: 4 },
        after: { engine_max_threads: 8 },
        sameRequest: false,
      },
      [{ field: 'engine_max_threads', from: 4, to: 8 }],
    ],
    [
      'the same value',
      {
        declared,
        before: { engine_max_threads: 8 },
        after: { engine_max_threads: 8 },
        sameRequest: false,
      },
      [],
    ],
    [
      'a first value',
      { declared, before: undefined, after: { engine_max_threads: 8 }, sameRequest: false },
      [{ field: 'engine_max_threads', to: 8 }],
    ],
    [
      'silence about a new request',
      { declared, before: { engine_max_threads: 4 }, after: {}, sameRequest: false },
      [{ field: 'engine_max_threads', from: 4, to: 8 }],
    ],
    [
      'silence about the same request',
      { declared, before: undefined, after: {}, sameRequest: true },
      [],
    ],
    [
      'an undeclared value',
      {
        declared: {},
        before: { engine_max_threads: 4 },
        after: { engine_max_threads: 8 },
        sameRequest: false,
      },
      [],
    ],
    [
      'a value put right by a re-assert',
      {
        declared,
        before: { engine_max_threads: 4 },
        after: { engine_max_threads: 8 },
        sameRequest: true,
      },
      [{ field: 'engine_max_threads', from: 4, to: 8 }],
    ],
  ])('of %s', ([, { sameRequest, ...replies }, expected]) => {
    expect(changes.confirmedChanges(replies, sameRequest)).toEqual(expected);
  });
});

test('changes and differences are told in one line', () => {
  const told = [
    { field: 'a', from: 1, to: 2 },
    { field: 'b', to: true },
  ];
  expect(changes.describeChanges(told)).toBe('a 1 → 2, b → true');
  expect(changes.describeDifferences([{ field: 'a', declared: 8, reported: 'x\ny' }])).toBe(
    'a is x y, not 8',
  );
});
