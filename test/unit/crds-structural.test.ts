import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  choice,
  fields,
  flag,
  immutable,
  integer,
  list,
  matching,
  optional,
  scalar,
  someOf,
  text,
  timestamp,
} from '../../src/kinds/schema/schema.ts';
import { type Structural, toStructural } from '../../src/kinds/schema/structural.ts';

const letters = matching(/^a\.+$/, 'be a and dots');
const entry = fields('Entry.', { a: text('A.', 5) });

test.for<[string, z.ZodMiniType, Structural]>([
  ['text', text('T.', 5), { description: 'T.', type: 'string', maxLength: 5 }],
  [
    'a time',
    timestamp('T.'),
    { description: 'T.', type: 'string', format: 'date-time', maxLength: 32 },
  ],
  [
    'a whole number',
    integer('N.', 0, 9),
    { description: 'N.', type: 'integer', format: 'int64', minimum: 0, maximum: 9 },
  ],
  ['a flag', flag('F.'), { description: 'F.', type: 'boolean' }],
  [
    'a choice',
    choice('C.', ['On', 'Off']),
    { description: 'C.', type: 'string', enum: ['On', 'Off'] },
  ],
  [
    'a scalar',
    scalar('S.', 5),
    {
      description: 'S.',
      maxLength: 5,
      maxItems: 0,
      maxProperties: 0,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ],
  [
    'a scalar of whole numbers',
    scalar('S.', 5, 'whole'),
    {
      description: 'S.',
      maxLength: 5,
      maxItems: 0,
      maxProperties: 0,
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      multipleOf: 1,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ],
  [
    'a list',
    list('L.', 3, text('I.', 5)),
    {
      description: 'L.',
      type: 'array',
      maxItems: 3,
      'x-kubernetes-list-type': 'atomic',
      items: { description: 'I.', type: 'string', maxLength: 5 },
    },
  ],
  [
    'a list by key',
    list('L.', 2, entry, 'a'),
    {
      description: 'L.',
      type: 'array',
      maxItems: 2,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
      items: toStructural(entry),
    },
  ],
  [
    'an object says what is required',
    fields('O.', { a: flag('A.'), b: optional(flag('B.')) }),
    {
      description: 'O.',
      type: 'object',
      required: ['a'],
      properties: {
        a: { description: 'A.', type: 'boolean' },
        b: { description: 'B.', type: 'boolean' },
      },
    },
  ],
  [
    'an object of which something must be there',
    someOf('O.', { a: flag('A.') }, 1),
    {
      description: 'O.',
      type: 'object',
      minProperties: 1,
      properties: { a: { description: 'A.', type: 'boolean' } },
    },
  ],
  [
    'a pattern is a rule in words, with the name of its field',
    fields('O.', { id: optional(text('I.', 5, letters)) }),
    {
      description: 'O.',
      type: 'object',
      properties: {
        id: {
          description: 'I.',
          type: 'string',
          maxLength: 5,
          'x-kubernetes-validations': [
            { rule: 'self.matches("^a\\\\.+$")', message: 'id must be a and dots' },
          ],
        },
      },
    },
  ],
  [
    'rules of the server and checks of both',
    fields('O.', { a: flag('A.') }, [immutable('a', 'thing')], {
      must: 'be true',
      accepts: ({ a }) => a,
      rule: 'self.a',
    }),
    {
      description: 'O.',
      type: 'object',
      required: ['a'],
      properties: { a: { description: 'A.', type: 'boolean' } },
      'x-kubernetes-validations': [
        {
          rule: 'self.a == oldSelf.a',
          message: 'is immutable; create another object for another thing',
          reason: 'FieldValueForbidden',
          fieldPath: '.a',
        },
        { rule: 'self.a', message: 'must be true' },
      ],
    },
  ],
])('in a CRD: %s', ([, schema, node]) => {
  expect(toStructural(schema)).toEqual(node);
});

test('what is no piece is refused, since the API server would not check it', () => {
  expect(() => toStructural(z.string())).toThrow('not made of the pieces');
  const shape = { a: z.string() };
  expect(() => fields('O.', shape)).toThrow('not made of the pieces');
});

test.for<[string, z.ZodMiniType, readonly unknown[], readonly unknown[]]>([
  ['text counts code points', text('T.', 3), ['', '🙂🙂🙂', 'abc'], ['🙂🙂🙂🙂', 'abcd', 5, null]],
  [
    'a time is RFC 3339 in UTC',
    timestamp('T.'),
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z'],
    ['soon', '2026-99-01T00:00:00Z', '2026-01-01T00:00:00+01:00', ''],
  ],
  ['a scalar', scalar('S.', 2), ['ab', 5.5, true], ['abc', [], {}, null, Number.NaN]],
  ['a scalar of whole numbers', scalar('S.', 2, 'whole'), ['ab', -5, false], [5.5, 2 ** 53, []]],
  ['a checked text', text('T.', 3, letters), ['a.', 'a..'], ['a', '', 'a...', 'b.']],
  ['a list', list('L.', 1, flag('F.')), [[], [true]], [[true, false], ['x'], {}, null]],
  ['some fields', someOf('O.', { a: flag('A.') }, 1), [{ a: true }], [{}, { b: 1 }, { a: 1 }]],
])('the parser: %s', ([, schema, taken, refused]) => {
  for (const value of taken)
    expect([value, schema.safeParse(value).success]).toEqual([value, true]);
  for (const value of refused)
    expect([value, schema.safeParse(value).success]).toEqual([value, false]);
});
