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
];

export const KINDS: readonly Mutation[] = [...SPECS, ...ENDPOINTS];
