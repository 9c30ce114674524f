import type { Mutation } from '../mutation.ts';

const OF_SPECS = 'test/tables/kinds/specs.test.ts';

/** What a spec may say. */
const SPECS: readonly Mutation[] = [
  {
    name: 'value-out-of-range-is-not-sent',
    rule: 'A stored value that is out of its range is refused, not sent.',
    file: 'kinds/schema/schema.ts',
    from: ', z.maximum(max, { error })',
    to: '',
    seenBy: { test: OF_SPECS, title: 'is SpecInvalid, and no call is made' },
  },
  {
    name: 'unknown-field-is-not-sent',
    rule: 'A stored field that nobody knows is left out of what is sent.',
    file: 'kinds/schema/schema.ts',
    from: 'const schema = z.object(shape, {',
    to: 'const schema = z.looseObject(shape, {',
    seenBy: {
      test: OF_SPECS,
      title: 'fields that nobody knows are not sent',
    },
  },
  {
    name: 'one-id-is-listed-once',
    rule: 'An endpoint that is listed twice, in other letters too, is refused.',
    file: 'kinds/schema/schema.ts',
    from: 'value.map(({ id }) => id.toLowerCase())',
    to: 'value.map(({ id }) => id)',
    seenBy: {
      test: OF_SPECS,
      title: 'is SpecInvalid, and no call is made',
    },
  },
];

/** Endpoints in replies and requests. */
const ENDPOINTS: readonly Mutation[] = [
  {
    name: 'unreadable-list-is-unknown',
    rule: 'A list that cannot be read is unknown, not empty.',
    file: 'kinds/organization/endpoints.ts',
    from: 'return entries.length === 0 && list.length > 0 ? undefined : entries;',
    to: 'return entries;',
    seenBy: { test: 'test/tables/organization/reports.test.ts', title: 'is unknown, not empty' },
  },
  {
    name: 'order-of-endpoints-is-no-change',
    rule: 'The same endpoints in another order are not sent again.',
    file: 'kinds/organization/remote.ts',
    from: 'sameKey(a) < sameKey(b) ? -1 : 1',
    to: '0',
    seenBy: {
      test: 'test/tables/organization/attempt.test.ts',
      title: 'is not made again of what is confirmed',
    },
  },
];

export const KINDS: readonly Mutation[] = [...SPECS, ...ENDPOINTS];
