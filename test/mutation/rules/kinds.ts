import type { Mutation } from '../mutation.ts';

const PIPE_SPEC = 'test/unit/pipe-settings-resource.test.ts';
const ORGANIZATION_SPEC = 'test/unit/organization-resource.test.ts';

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
    from: 'const schema = z.object(shape, {',
    to: 'const schema = z.looseObject(shape, {',
    seenBy: {
      test: PIPE_SPEC,
      title: 'a good spec comes back as it is, without the fields nobody',
    },
  },
  {
    name: 'one-id-is-listed-once',
    rule: 'An endpoint that is listed twice, in other letters too, is refused.',
    file: 'kinds/schema/schema.ts',
    from: 'value.map(({ id }) => id.toLowerCase())',
    to: 'value.map(({ id }) => id)',
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
    from: 'sameKey(a) < sameKey(b) ? -1 : 1',
    to: '0',
    seenBy: {
      test: 'test/unit/kinds-canonical.test.ts',
      title: 'does not tell the order of the endpoints',
    },
  },
];

export const KINDS: readonly Mutation[] = [...SPECS, ...ENDPOINTS];
