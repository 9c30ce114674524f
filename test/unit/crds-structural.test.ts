import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  choice,
  fields,
  flag,
  integer,
  list,
  listByKey,
  optional,
  scalar,
  someFields,
  text,
} from '../../src/kinds/schema/schema.ts';
import { type Structural, toStructural } from '../../src/kinds/schema/structural.ts';

test('every piece becomes a node with type, description and bounds', () => {
  const schema = fields('All pieces.', {
    text: text({ about: 'Text.', min: 1, max: 5, pattern: /^a+$/ }),
    time: optional(text({ about: 'Time.', max: 32, format: 'date-time' })),
    count: optional(integer({ about: 'Count.', min: 0, max: 9 })),
    flag: optional(flag('Flag.')),
    word: optional(choice('Word.', ['On', 'Off'])),
    value: optional(scalar({ about: 'Value.', max: 5 })),
    list: optional(list('List.', 3, text({ about: 'Item.', max: 5 }))),
    some: optional(someFields('Some.', { a: optional(flag('A.')) })),
  });
  expect(toStructural(schema, 'spec')).toEqual({
    description: 'All pieces.',
    type: 'object',
    required: ['text'],
    properties: {
      text: { description: 'Text.', type: 'string', minLength: 1, maxLength: 5, pattern: '^a+$' },
      time: { description: 'Time.', type: 'string', format: 'date-time', maxLength: 32 },
      count: { description: 'Count.', type: 'integer', format: 'int64', minimum: 0, maximum: 9 },
      flag: { description: 'Flag.', type: 'boolean' },
      word: { description: 'Word.', type: 'string', enum: ['On', 'Off'] },
      value: {
        description: 'Value.',
        maxLength: 5,
        maxItems: 0,
        maxProperties: 0,
        'x-kubernetes-preserve-unknown-fields': true,
      },
      list: {
        description: 'List.',
        type: 'array',
        maxItems: 3,
        'x-kubernetes-list-type': 'atomic',
        items: { description: 'Item.', type: 'string', maxLength: 5 },
      },
      some: {
        description: 'Some.',
        type: 'object',
        minProperties: 1,
        properties: { a: { description: 'A.', type: 'boolean' } },
      },
    },
  } satisfies Structural);
});

test('a list map names its key, and rules stay with their node', () => {
  const rule = { rule: 'self.a == oldSelf.a', message: 'is immutable', fieldPath: '.a' };
  const entry = fields('Entry.', { a: text({ about: 'A.', max: 5 }) }, [rule]);
  expect(toStructural(listByKey('List.', 2, 'a', entry), 'status.x')).toMatchObject({
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['a'],
    items: { 'x-kubernetes-validations': [rule] },
  });
});

const about = { description: 'There.' };

test.for<[string, z.core.$ZodType, string]>([
  ['no description', z.string(), 'spec.x has no description'],
  ['text without a bound', z.string().meta(about), 'spec.x has no maxLength'],
  ['a whole number without a format', z.int().meta(about), 'spec.x says no format'],
  ['a number with a fraction', z.number().meta(about), 'spec.x has type "number"'],
  ['a list without a bound', z.array(flag('F.')).meta(about), 'spec.x says no maxItems'],
  [
    'a list without a list type',
    z.array(flag('F.')).max(2).meta(about),
    'spec.x says no x-kubernetes-list-type',
  ],
  [
    'closed objects',
    z.strictObject({ a: flag('A.') }).meta(about),
    'spec.x says additionalProperties',
  ],
  [
    'open objects',
    z.looseObject({ a: flag('A.') }).meta(about),
    'spec.x says additionalProperties',
  ],
  ['records', z.record(z.string(), flag('A.')).meta(about), 'spec.x says'],
  ['a default in spec', z.boolean().default(true).meta(about), 'spec.x says default'],
  ['null', z.boolean().nullable().meta(about), 'spec.x'],
  [
    'a union of objects',
    z.union([fields('A.', {}), fields('B.', {})]).meta(about),
    'spec.x is a union',
  ],
  [
    'a scalar without a bound',
    z.union([z.string(), z.number(), z.boolean()]).meta(about),
    'spec.x has no maxLength',
  ],
  ['two patterns', z.string().regex(/a/).regex(/b/).max(3).meta(about), 'spec.x says allOf'],
  [
    'references',
    z.object({ a: z.boolean().meta({ id: 'named', ...about }) }).meta(about),
    'spec.x',
  ],
  ['anything', z.unknown().meta(about), 'spec.x has type undefined'],
  [
    'a mistake deep inside',
    fields('A.', { list: list('L.', 2, fields('I.', { deep: z.string() })) }),
    'spec.x.list[].deep has',
  ],
])('%s is refused with its place', ([, schema, message]) => {
  expect(() => toStructural(schema, 'spec.x')).toThrow(message);
});
