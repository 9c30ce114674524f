import { type Mutation, seenInLife } from '../mutation.ts';

const DUE = 'test/unit/pipe-settings-due.test.ts';
const FAILURES = 'test/unit/pipe-settings-failures.test.ts';
const PIPE_WAITS = 'test/unit/pipe-settings-waits.test.ts';
const COMMON = 'test/unit/kinds-common-status.test.ts';
const CANONICAL = 'test/unit/kinds-canonical.test.ts';
const SELECTED_SECRETS = 'test/unit/kube-secrets-selected.test.ts';
const SECRET_VALUES = 'test/unit/secret-values.test.ts';
const CREDENTIALS = 'test/unit/kinds-credentials.test.ts';
const CALL = 'test/unit/engine-call.test.ts';

/** When something is sent, and what a status says of it. */
const SENDING: readonly Mutation[] = [
  {
    name: 'not-before-its-time',
    rule: 'What has failed is not tried again before the time on record.',
    file: 'kinds/status/due.ts',
    from: 'const at = Date.parse(status.nextAttemptTime);',
    to: 'const at = 0;',
    seenBy: { test: DUE, title: 'sends nothing before its time' },
  },
  {
    name: 'record-of-another-key-proves-nothing',
    rule: 'A status proves the key that it was written with, and no other one of the same Secret.',
    file: 'kinds/target/proof.ts',
    from: ' &&\n    applied.generation === metadata.generation',
    to: '',
    seenBy: { test: CALL, title: 'a key has a pace of its own where the status tells of' },
  },
  {
    name: 'record-of-another-api-proves-nothing',
    rule: 'A key that worked at another --api-url has not worked at this one.',
    file: 'kinds/target/proof.ts',
    from: 'isProven(status as ProvableStatus | undefined, apiHash) &&',
    to: '',
    seenBy: { test: CALL, title: 'a key has a pace of its own where the status tells of' },
  },
  seenInLife('restart-forgets-waits', 'A restart does not send at once what waits for its time.'),
  seenInLife(
    'unknown-secret-counts-as-changed',
    'A restart does not try refused keys before their Secret is known to be another one.',
  ),
  seenInLife(
    'far-off-retry-not-pulled-in',
    'A clock that was wrong puts no attempt off for hours.',
  ),
  {
    name: 'new-secret-is-tried-once',
    rule: 'A new version of a refused Secret is tried at once, the same one is not.',
    file: 'kinds/status/due.ts',
    from: 'return age > 0;',
    to: 'return true;',
    seenBy: { test: DUE, title: 'sends nothing before its time' },
  },
  {
    name: 'request-on-demand-is-tried-once',
    rule: 'What the annotation asks for is tried once, not for ever.',
    file: 'kinds/status/common-status.ts',
    from: 'requested !== lastHandledReconcileAt',
    to: "requested !== ''",
    seenBy: { test: DUE, title: 'is sent for a user who asks, once per value' },
  },
  {
    name: 'edit-counts-failures-anew',
    rule: 'After an edit the waits begin anew.',
    file: 'kinds/status/common-status.ts',
    from: 'const before = currentReady(object, previous)?.reason;',
    to: 'const before = readyOf(previous)?.reason;',
    seenBy: { test: COMMON, title: 'count on while the cause is the same' },
  },
  {
    name: 'last-request-stays-on-record',
    rule: 'status.lastRequest stays until there is another request.',
    file: 'kinds/status/common-status.ts',
    from: 'say.lastRequest ?? previous?.lastRequest',
    to: 'say.lastRequest',
    seenBy: { test: COMMON, title: 'keep the last request, and drop attempts' },
  },
  seenInLife('no-http-status-of-refusals', 'status.lastRequest has the status of a refusal.'),
  seenInLife('own-request-id-quoted', "Messages quote the provider's request id, and no other."),
  {
    name: 'promise-is-rounded-up',
    rule: 'nextAttemptTime does not promise an earlier second than that of the attempt.',
    file: 'kinds/status/canonical.ts',
    from: 'Math.ceil(epochMs / 1000)',
    to: 'Math.floor(epochMs / 1000)',
    seenBy: { test: CANONICAL, title: 'a time is cut to whole seconds, a promise is rounded up' },
  },
  {
    name: 'order-of-keys-is-no-change',
    rule: 'The same settings in another order are not sent again.',
    file: 'kinds/status/canonical.ts',
    from: '\n    .sort()',
    to: '',
    seenBy: { test: CANONICAL, title: 'is one text for equal values, and parses to the value' },
  },
  {
    name: 'wish-to-wait-is-heard',
    rule: 'An object waits for as long as the API asks on 429 and 503.',
    file: 'kinds/engine/failure-report.ts',
    from: 'Math.max(own, failure.atLeastMs ?? 0)',
    to: 'Math.max(own, 0)',
    seenBy: { test: PIPE_WAITS, title: 'beyond the own back-off' },
  },
  {
    name: 'same-failure-warns-once',
    rule: 'A failure that goes on is told in one event, not at each attempt.',
    file: 'kinds/engine/failure-report.ts',
    from: 'const news = !known ||',
    to: 'const news = known ||',
    seenBy: { test: FAILURES, title: 'warns once, and not again while the cause is the same' },
  },
  seenInLife(
    'gated-waits-for-no-number',
    'An object whose key is refused waits without breaking its reconcile.',
  ),
];

/** A key on its way from the Secret to the header. */
const KEYS: readonly Mutation[] = [
  seenInLife(
    'credential-told-by-key-id-alone',
    'Keys are told apart by id, secret and address: a wrong secret stops nobody else.',
  ),
  seenInLife(
    'edited-secret-ref-not-followed',
    'After an edit of credentialsSecretRef the new Secret is watched.',
  ),
  {
    name: 'rotated-key-is-used',
    rule: 'A new version of the Secret is used for the next call.',
    file: 'kinds/engine/credentials.ts',
    from: 'if (known?.resourceVersion === resourceVersion) return known;',
    to: 'if (known) return known;',
    seenBy: { test: CREDENTIALS, title: 'is another for the next version, and the old one' },
  },
  {
    name: 'key-is-kept-out-of-the-log',
    rule: 'The secret of a key is looked for in each line of the log.',
    file: 'kinds/engine/credentials.ts',
    from: 'read, [pair.keySecret, ',
    to: 'read, [',
    seenBy: {
      test: CREDENTIALS,
      title: 'is made once per version and choice of keys, and guarded',
    },
  },
  {
    name: 'long-values-are-no-keys',
    rule: 'A value that is longer than a key can be is refused before anything is made of it.',
    file: 'kinds/engine/credentials.ts',
    from: 'if (value.length > longest) {',
    to: 'if (value.length > 100 * longest) {',
    seenBy: { test: SECRET_VALUES, title: 'a longer one is refused, and no part of it told' },
  },
  {
    name: 'other-secrets-are-not-read',
    rule: 'A Secret without the labels of --secret-selector is not read, whoever names it.',
    file: 'kube/secrets/secret-get.ts',
    from: 'if (refusal) return refusal;',
    to: '',
    seenBy: { test: SELECTED_SECRETS, title: 'nor is it while no watch tells of its labels' },
  },
  {
    name: 'key-goes-with-its-objects',
    rule: 'The key of a Secret to which nobody refers any more is not kept.',
    file: 'kinds/engine/credentials.ts',
    from: 'if (!isReferred) return read;',
    to: '',
    seenBy: { test: CREDENTIALS, title: 'is not kept where nobody refers to the Secret any more' },
  },
  {
    name: 'credential-id-tells-nothing',
    rule: 'What stands for a key in logs cannot be used to guess it.',
    file: 'kinds/engine/credentials.ts',
    from: '.update(options.salt)',
    to: '',
    seenBy: { test: CREDENTIALS, title: 'is salted anew in each process' },
  },
  {
    name: 'stale-call-does-not-leave',
    rule: 'Nothing leaves for an object that was edited, suspended or deleted meanwhile.',
    file: 'kinds/engine/api-call.ts',
    from: ' || !using.stillWanted(object)) return',
    to: ') return',
    seenBy: { test: CALL, title: 'a call whose object has changed is called off' },
  },
  {
    name: 'late-call-does-not-leave',
    rule: 'An intent that waited too long for its connection does not leave any more.',
    file: 'kinds/engine/api-call.ts',
    from: 'isTooLate?.() || ',
    to: '',
    seenBy: { test: CALL, title: 'a call that comes too late is called off' },
  },
  {
    name: 'locked-call-does-not-leave',
    rule: 'A call does not leave while the write of another for its pipe may be at work.',
    file: 'kinds/engine/api-call.ts',
    from: 'isLocked || ',
    to: '',
    seenBy: { test: CALL, title: 'a call is called off while a write for another object' },
  },
  {
    name: 'slot-comes-back-after-a-bug',
    rule: 'A call that breaks by a bug gives its slot back.',
    file: 'kinds/engine/api-call.ts',
    from: 'permit.finish();',
    to: '',
    seenBy: { test: CALL, title: 'gives the slot back and passes the error on' },
  },
  {
    name: 'echoed-key-is-masked',
    rule: 'A key that the API echoes does not get into a status.',
    file: 'kinds/engine/api-call.ts',
    from: 'maskFor(wish.object, (text) => read.credential.mask(text))',
    to: '(text) => text',
    seenBy: { test: CALL, title: 'masks what the API echoes of the credential' },
  },
  seenInLife('keys-inside-lists-not-masked', 'A key is hidden inside lists of a reply too.'),
  {
    name: 'key-is-masked-in-names',
    rule: 'A key is hidden in the names of fields too.',
    file: 'kinds/engine/masked.ts',
    from: '[mask(name), ',
    to: '[name, ',
    seenBy: { test: CANONICAL, title: 'texts are masked wherever they stand in a result' },
  },
  {
    name: 'own-texts-are-not-masked',
    rule: 'What an object itself declares is known again, though it looks like a key.',
    file: 'kinds/engine/masked.ts',
    from: 'return shown.has(text) ? text : masked;',
    to: 'return masked;',
    seenBy: { test: CANONICAL, title: 'but for what the object itself shows' },
  },
];

export const CALLS_OF_KINDS: readonly Mutation[] = [...SENDING, ...KEYS];
