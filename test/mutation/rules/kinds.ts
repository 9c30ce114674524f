import type { Mutation } from '../mutation.ts';

const PIPE_SPEC = 'test/unit/pipe-settings-resource.test.ts';
const ORGANIZATION_SPEC = 'test/unit/organization-resource.test.ts';

/** Settings of pipes, and records of activities. */
const SMALL_KINDS: readonly Mutation[] = [
  {
    name: 'deep-spec-is-none',
    rule: 'A spec nested without end overflows no stack.',
    file: 'kinds/schema/parser.ts',
    from: 'return nestsDeeper(spec, DEEPEST) ? undefined : spec;',
    to: 'return spec;',
    seenBy: { test: 'test/unit/hostile-objects.test.ts', title: 'takes a spec without a bottom' },
  },
];

/** What a spec may say. */
const SPECS: readonly Mutation[] = [
  {
    name: 'value-out-of-range-is-not-sent',
    rule: 'A stored value that is out of its range is refused, not sent.',
    file: 'kinds/schema/schema.ts',
    from: ', z.maximum(max, { error })',
    to: '',
    seenBy: { test: PIPE_SPEC, title: 'the message names every problem with its field and value' },
  },
  {
    name: 'unknown-field-is-not-sent',
    rule: 'A stored field that nobody knows is left out of what is sent.',
    file: 'kinds/schema/schema.ts',
    from: 'const object = z.object(shape,',
    to: 'const object = z.looseObject(shape,',
    seenBy: {
      test: PIPE_SPEC,
      title: 'a good spec comes back as it is, without the fields nobody',
    },
  },
  {
    name: 'one-id-is-listed-once',
    rule: 'An endpoint that is listed twice, in other letters too, is refused.',
    file: 'kinds/schema/schema.ts',
    from: 'if (seen.has(plain))',
    to: 'if (seen.has(value))',
    seenBy: {
      test: ORGANIZATION_SPEC,
      title: 'is told in one line',
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
    seenBy: { test: 'test/unit/organization-lists.test.ts', title: 'is unknown' },
  },
  {
    name: 'order-of-endpoints-is-no-change',
    rule: 'The same endpoints in another order are not sent again.',
    file: 'kinds/organization/remote.ts',
    from: 'goal.endpoints?.toSorted((a, b) => (tupleKey(a) < tupleKey(b) ? -1 : 1))',
    to: 'goal.endpoints',
    seenBy: {
      test: 'test/unit/kinds-canonical.test.ts',
      title: 'does not tell the order of the endpoints',
    },
  },
];

export const KINDS: readonly Mutation[] = [...SMALL_KINDS, ...SPECS, ...ENDPOINTS];
