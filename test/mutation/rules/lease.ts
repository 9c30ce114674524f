import type { Mutation } from '../mutation.ts';

const LEASE_ACQUIRING = 'test/unit/kube-lease-acquiring.test.ts';
const LEADERSHIP = 'test/unit/leadership.test.ts';
const LEASE_FORMER = 'test/unit/kube-lease-former.test.ts';
const LEASE_LEADING = 'test/unit/kube-lease-leading.test.ts';
const LEASE_STOPPING = 'test/unit/kube-lease-stopping.test.ts';

/** One leader at a time. */
export const LEASES: readonly Mutation[] = [
  {
    name: 'missing-lease-namespace-is-said',
    rule: 'That the namespace of the Lease does not exist is said, not taken for another candidate.',
    file: 'kube/lease/standby.ts',
    from: 'isNotFound(error) && draft.metadata.resourceVersion !== undefined',
    to: 'isNotFound(error)',
    seenBy: {
      test: LEASE_ACQUIRING,
      title: 'says once that the namespace of its Lease does not exist, and leads when it does',
    },
  },
  {
    name: 'living-holder-is-left-alone',
    rule: 'A Lease is taken a whole term after its holder was last seen to renew, and not later.',
    file: 'kube/lease/lease-view.ts',
    from: 'if (record === this.#record) return;',
    to: '',
    seenBy: { test: LEASE_ACQUIRING, title: 'takes a change of labels for no sign of life' },
  },
  {
    name: 'deleted-lease-frees-nobody',
    rule: 'Who deletes the Lease does not make two processes lead.',
    file: 'kube/lease/lease-view.ts',
    from: 'this.#freeAt = now + this.#promisedMs(this.#lease);',
    to: 'this.#freeAt = now;',
    seenBy: {
      test: LEASE_LEADING,
      title: 'makes a deleted Lease again as it was, before a standby',
    },
  },
  {
    name: 'late-renewal-is-none',
    rule: 'A renewal whose answer is read after the deadline is none.',
    file: 'kube/lease/renewal.ts',
    from: 'if (this.ageMs() >= this.#options.renewMs) return this.#lose(',
    to: 'if (this.ageMs() < 0) return this.#lose(',
    seenBy: {
      test: LEASE_LEADING,
      title: 'takes no renewal whose answer is read after the deadline',
    },
  },
  {
    name: 'other-holder-ends-the-lead',
    rule: 'A leader that sees another holder stops at once.',
    file: 'kube/lease/renewal.ts',
    from: "if (holder !== '' && holder !== identity)",
    to: "if (holder === '')",
    seenBy: { test: LEASE_LEADING, title: 'ends at once when another holds the Lease' },
  },
  {
    name: 'only-own-lease-is-released',
    rule: 'A process that ends does not take the Lease from another one.',
    file: 'kube/lease/election.ts',
    from: 'if (seen?.spec?.holderIdentity !== identity) return true;',
    to: 'if (!seen) return true;',
    seenBy: { test: LEASE_STOPPING, title: 'takes nothing away from another holder' },
  },
  {
    name: 'silent-holder-may-have-written',
    rule: 'Of a leader that never gave the Lease back, all is to be known that it wrote until the Lease was taken.',
    file: 'kube/lease/standby.ts',
    from: 'former && isReleased(former) ? former : lease',
    to: 'former ?? lease',
    seenBy: { test: LEASE_FORMER, title: 'is all before our own write, where its holder never' },
  },
  {
    name: 'leader-knows-the-former-one',
    rule: 'Who leads reads first what a former leader did.',
    file: 'leadership.ts',
    from: 'working = work(stopWork.signal, formerVersion);',
    to: 'working = work(stopWork.signal);',
    seenBy: {
      test: LEADERSHIP,
      title: 'is told what a former leader may have written',
    },
  },
  {
    name: 'frozen-winner-renews-first',
    rule: 'Who was frozen while it took the Lease renews it before it calls.',
    file: 'kube/lease/standby.ts',
    from: 'if (clock.monotonic() - since < renewMs) {',
    to: 'if (renewMs > 0) {',
    seenBy: { test: LEASE_LEADING, title: 'begins with a fresh renewal when it was frozen' },
  },
];
