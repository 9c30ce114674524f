import type { Mutation } from '../mutation.ts';

const FAILURES = 'test/tables/kinds/failures.test.ts';
const DUE = 'test/tables/kinds/due.test.ts';
const CREDENTIALS = 'test/tables/kinds/secrets.test.ts';

/** When something is sent, and what a status says of it. */
const SENDING: readonly Mutation[] = [
  {
    name: 'edit-counts-failures-anew',
    rule: 'After an edit the waits begin anew.',
    file: 'kinds/shared/common-status.ts',
    from: 'const before = currentReady(object)?.reason;\n  const { attempts = 0 }',
    to: 'const before = readyOf(object.status ?? {})?.reason;\n  const { attempts = 0 }',
    seenBy: { test: FAILURES, title: 'begins anew after an edit' },
  },
  {
    name: 'order-of-keys-is-no-change',
    rule: 'The same settings in another order are not sent again.',
    file: 'kinds/shared/canonical.ts',
    from: '\n    .sort()',
    to: '',
    seenBy: { test: DUE, title: 'an edit that only has another order' },
  },
];

/** A key on its way from the Secret to the header. */
const KEYS: readonly Mutation[] = [
  {
    name: 'rotated-key-is-used',
    rule: 'A new version of the Secret is used for the next call.',
    file: 'kinds/shared/credentials.ts',
    from: 'if (known?.read.resourceVersion === resourceVersion) return known.read;',
    to: 'if (known) return known.read;',
    seenBy: { test: CREDENTIALS, title: 'is made once for each version' },
  },
  {
    name: 'key-is-kept-out-of-the-log',
    rule: 'The secret of a key is looked for in each line of the log.',
    file: 'kinds/shared/credentials.ts',
    from: 'guard([pair.keySecret, ',
    to: 'guard([',
    seenBy: {
      test: CREDENTIALS,
      title: 'is made once for each version',
    },
  },
  {
    name: 'key-is-masked-in-names',
    rule: 'A key is hidden in the names of fields too.',
    file: 'api/json.ts',
    from: '[mask(name), ',
    to: '[name, ',
    seenBy: { test: 'test/tables/api/reply.test.ts', title: 'is masked in values and names' },
  },
];

export const CALLS_OF_KINDS: readonly Mutation[] = [...SENDING, ...KEYS];
