import type { Mutation } from '../mutation.ts';

const FAILURES = 'test/tables/kinds/failures.test.ts';
const DUE = 'test/tables/kinds/due.test.ts';
const CREDENTIALS = 'test/tables/kinds/secrets.test.ts';
const OF_SPECS = 'test/tables/kinds/specs.test.ts';

export const KINDS: readonly Mutation[] = [
  {
    name: 'After an edit the waits begin anew.',
    file: 'kinds/shared/common-status.ts',
    from: 'const before = currentReady(object)?.reason;\n  const { attempts = 0 }',
    to: 'const before = readyOf(object.status ?? {})?.reason;\n  const { attempts = 0 }',
    seenBy: { test: FAILURES, title: 'begins anew after an edit' },
  },
  {
    name: 'The same settings in another order are not sent again.',
    file: 'kinds/shared/canonical.ts',
    from: '\n    .sort()',
    to: '',
    seenBy: { test: DUE, title: 'an edit that only has another order' },
  },
  {
    name: 'A new version of the Secret is used for the next call.',
    file: 'kinds/shared/credentials.ts',
    from: 'if (known?.read.resourceVersion === resourceVersion) return known.read;',
    to: 'if (known) return known.read;',
    seenBy: { test: CREDENTIALS, title: 'is made once for each version' },
  },
  {
    name: 'The secret of a key is looked for in each line of the log.',
    file: 'kinds/shared/credentials.ts',
    from: 'guard([pair.keySecret, ',
    to: 'guard([',
    seenBy: { test: CREDENTIALS, title: 'is made once for each version' },
  },
  {
    name: 'A key is hidden in the names of fields too.',
    file: 'api/json.ts',
    from: '[mask(name), ',
    to: '[name, ',
    seenBy: { test: 'test/tables/api/reply.test.ts', title: 'is masked in values and names' },
  },
  {
    name: 'A stored value that is out of its range is refused, not sent.',
    file: 'kinds/schema/schema.ts',
    from: ', z.maximum(max, { error })',
    to: '',
    seenBy: { test: OF_SPECS, title: 'is SpecInvalid, and no call is made' },
  },
  {
    name: 'A list that cannot be read is unknown, not empty.',
    file: 'kinds/organization/endpoints.ts',
    from: 'return entries.length === 0 && list.length > 0 ? undefined : entries;',
    to: 'return entries;',
    seenBy: { test: 'test/tables/organization/reports.test.ts', title: 'is unknown, not empty' },
  },
];
