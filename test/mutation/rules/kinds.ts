import { type Mutation, seenInLife } from '../mutation.ts';

const TARGET = 'test/unit/kinds-target.test.ts';
const PROOF = 'test/unit/kinds-proof.test.ts';
const LOCKS = 'test/unit/kinds-locks.test.ts';
const DUE = 'test/unit/pipe-settings-due.test.ts';
const FAILURES = 'test/unit/pipe-settings-failures.test.ts';
const COMMON = 'test/unit/kinds-common-status.test.ts';
const CANONICAL = 'test/unit/kinds-canonical.test.ts';
const CREDENTIALS = 'test/unit/kinds-credentials.test.ts';
const CALL = 'test/unit/engine-call.test.ts';

/** Who may act for a pipe or an organization. */
const HOLDING: readonly Mutation[] = [
  {
    name: 'one-object-holds-a-target',
    rule: 'Of several objects for one pipe only the one that is proven acts.',
    file: 'kinds/target/target.ts',
    from: 'if (holder && holder.uid !== own.uid)',
    to: 'if (holder && holder.uid === own.uid)',
    seenBy: { test: TARGET, title: 'is told who holds the target' },
  },
  {
    name: 'others-namespaces-are-not-named',
    rule: 'Nobody is told the name of an object in a namespace that he may not see.',
    file: 'kinds/target/target.ts',
    from: 'return namespace === own.namespace ?',
    to: 'return namespace !== undefined ?',
    seenBy: { test: TARGET, title: 'but not of objects of another namespace' },
  },
  {
    name: 'unseen-holder-is-waited-for',
    rule: 'Who waits for a holder goes on waiting while a namespace cannot be listed.',
    file: 'kinds/target/target.ts',
    from: 'if (waits && unlisted)',
    to: 'if (waits && !unlisted)',
    seenBy: { test: TARGET, title: 'goes on waiting while a namespace is out of sight' },
  },
  {
    name: 'write-of-another-is-waited-for',
    rule: 'While the write of another object may be at work nobody calls for its target.',
    file: 'kinds/target/target.ts',
    from: 'if (unsettledMs !== undefined)',
    to: 'if (unsettledMs === -1)',
    seenBy: { test: TARGET, title: 'does not come before the write of another is settled' },
  },
  {
    name: 'lost-write-of-a-rival-is-overwritten',
    rule: 'What a rival may have sent since is overwritten by whoever holds the pipe.',
    file: 'kinds/target/target.ts',
    from: 'if (called > since || (taken > 0 && taken >= since))',
    to: 'if (taken > 0 && taken > since)',
    seenBy: {
      test: 'test/unit/kinds-owed-to-rivals.test.ts',
      title: 'was refused since: the holder sends once',
    },
  },
  {
    name: 'proof-is-of-this-api',
    rule: 'What another API has accepted proves nothing here.',
    file: 'kinds/target/proof.ts',
    from: 'status.proof.apiHash === apiHash',
    to: "status.proof.apiHash !== ''",
    seenBy: { test: PROOF, title: 'is of one API' },
  },
  {
    name: 'suspended-object-keeps-its-target',
    rule: 'A suspended object keeps its pipe, whatever becomes of its key.',
    file: 'kinds/target/proof.ts',
    from: "return suspend === true || mode === 'Plan';",
    to: 'return false;',
    seenBy: { test: PROOF, title: 'and is counted anew after it' },
  },
  {
    name: 'fast-clock-ends-no-proof',
    rule: 'A time that a fast clock has written does not take the pipe from its object.',
    file: 'kinds/target/proof.ts',
    from: "Date.parse(since ?? '') <= now ? since : undefined",
    to: 'since',
    seenBy: {
      test: PROOF,
      title: 'is counted from now where the time on record lies in the future',
    },
  },
  {
    name: 'lost-write-locks-its-target',
    rule: 'A write without an answer keeps others waiting until it can be at work no more.',
    file: 'kinds/target/locks.ts',
    from: 'how.isUnknown ? call : 0',
    to: 'how.isUnknown ? 0 : 0',
    seenBy: { test: LOCKS, title: 'of this one does so from when it was sent' },
  },
  {
    name: 'intent-locks-its-target',
    rule: 'What is about to be sent by its status keeps others waiting.',
    file: 'kinds/target/locks.ts',
    from: 'if (intent !== intentOf(before))',
    to: "if (intent === '')",
    seenBy: {
      test: LOCKS,
      title: 'what is about to be sent by its status keeps the others waiting',
    },
  },
  {
    name: 'untold-write-is-made-good',
    rule: 'A write that no status tells of is overwritten by the next call for its pipe.',
    file: 'kinds/target/unrecorded.ts',
    from: '(this.#owed.get(target) ?? uid) !== uid',
    to: 'this.#owed.get(target) === uid',
    seenBy: {
      test: 'test/unit/kinds-unrecorded.test.ts',
      title: 'a write that nobody is told of is owed to its target until the next call for it',
    },
  },
  seenInLife('target-told-by-object', 'Two objects for one pipe never call at once.'),
];

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
    from: '.sort(([a], [b]) => (a < b ? -1 : 1))',
    to: '',
    seenBy: { test: CANONICAL, title: 'is one text for equal values, and parses to the value' },
  },
  {
    name: 'wish-to-wait-is-heard',
    rule: 'An object waits for as long as the API asks on 429 and 503.',
    file: 'kinds/engine/failure-report.ts',
    from: 'Math.max(own, failure.atLeastMs ?? 0)',
    to: 'Math.max(own, 0)',
    seenBy: { test: FAILURES, title: 'beyond the own back-off' },
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
    from: ' || !using.stillWanted(wish.object)) return',
    to: ') return',
    seenBy: { test: CALL, title: 'a call whose object has changed is called off' },
  },
  {
    name: 'late-call-does-not-leave',
    rule: 'An intent that waited too long for its connection does not leave any more.',
    file: 'kinds/engine/api-call.ts',
    from: 'wish.isTooLate?.() || ',
    to: '',
    seenBy: { test: CALL, title: 'a call that comes too late is called off' },
  },
  {
    name: 'locked-call-does-not-leave',
    rule: 'A call does not leave while the write of another for its pipe may be at work.',
    file: 'kinds/engine/api-call.ts',
    from: 'using.locks.remainingMs(call.target, call.uid) !== undefined || ',
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

const PIPE_PLAN = 'test/unit/pipe-settings-plan.test.ts';
const ACTIVITY_PLAN = 'test/unit/activity-plan.test.ts';
const ACTIVITY_REPORT = 'test/unit/activity-report.test.ts';

/** Settings of pipes, and records of activities. */
const SMALL_KINDS: readonly Mutation[] = [
  seenInLife('zero-and-false-never-sent', 'Declared zeros and false are sent like other values.'),
  seenInLife('request-hash-without-base-url', 'Another --api-url gets what is declared.'),
  seenInLife('reassert-by-default', 'Without reassertInterval nothing is sent again by itself.'),
  {
    name: 'other-echo-is-not-applied',
    rule: 'Settings that the API reports otherwise than declared are not said to be applied.',
    file: 'kinds/pipe-settings/confirmed.ts',
    from: 'shown.comparison.differences.length > 0',
    to: 'shown.comparison.differences.length > 99',
    seenBy: { test: FAILURES, title: 'names the difference, keeps the last confirmed write' },
  },
  {
    name: 'late-request-is-overwritten',
    rule: 'What is declared is sent once more when an earlier lost request can act no more.',
    file: 'kinds/pipe-settings/confirmed.ts',
    from: 'return settledAt === undefined',
    to: 'return settledAt !== 0',
    seenBy: {
      test: 'test/unit/pipe-settings-unsettled.test.ts',
      title: 'an edit after a lost answer is sent at once, and once more',
    },
  },
  {
    name: 'plan-only-holds-for-pipes',
    rule: 'With --plan-only no setting is sent, whatever the mode of the object.',
    file: 'kinds/pipe-settings/plan.ts',
    from: "spec.mode === 'Plan' || planOnly",
    to: "spec.mode === 'Plan'",
    seenBy: { test: PIPE_PLAN, title: 'before mode Apply' },
  },
  {
    name: 'record-is-fetched-once',
    rule: 'A record that was fetched is not fetched again.',
    file: 'kinds/activity/plan.ts',
    from: 'record && !isRequested(object)',
    to: 'record && isRequested(object)',
    seenBy: { test: ACTIVITY_PLAN, title: 'nothing is ever done again, whatever the time' },
  },
  seenInLife('fetched-activity-ignores-edit', 'After an edit a fetched Activity is Ready again.'),
  {
    name: 'late-record-is-waited-for',
    rule: 'A young record that is not there yet is waited for, also where the API says 400.',
    file: 'kinds/activity/report.ts',
    from: ' || attempt.verdict.httpStatus === 400',
    to: '',
    seenBy: {
      test: ACTIVITY_REPORT,
      title: 'is waited for likewise where the API answers with 400',
    },
  },
];

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

export const KINDS: readonly Mutation[] = [
  ...HOLDING,
  ...SENDING,
  ...KEYS,
  ...SMALL_KINDS,
  ...SPECS,
];
