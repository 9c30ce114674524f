import { type Mutation, seenInLife } from '../mutation.ts';

const TARGET = 'test/unit/kinds-target.test.ts';
const PROOF = 'test/unit/kinds-proof.test.ts';
const LOCKS = 'test/unit/kinds-locks.test.ts';

/** Who may act for a pipe or an organization. */
export const TARGETS: readonly Mutation[] = [
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
    from: 'return status?.proof?.apiHash === apiHash;',
    to: "return status?.proof !== undefined && apiHash !== '';",
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
    from: '(this.#targets.get(target) ?? uid) !== uid',
    to: 'this.#targets.get(target) === uid',
    seenBy: {
      test: 'test/unit/kinds-unrecorded.test.ts',
      title:
        'a write that no status tells of is unrecorded for its target until the next call for it',
    },
  },
  seenInLife('target-told-by-object', 'Two objects for one pipe never call at once.'),
];
