import type { Mutation } from '../mutation.ts';

const LEASE = 'test/unit/kube-lease.test.ts';
const LAW = 'two may never call at once, none past its deadline, and one does when it is over';

/** One leader at a time. */
export const LEASES: readonly Mutation[] = [
  {
    name: 'no-call-past-the-deadline',
    rule: 'No call begins later than 10 s after the last renewal was sent.',
    file: 'kube/lease.ts',
    from: '=> isLeader && isFresh(),',
    to: '=> isLeader,',
    seenBy: { test: LEASE, title: LAW },
  },
  {
    name: 'renewal-counts-from-when-it-was-sent',
    rule: 'A renewal counts from when it was sent, not from its answer.',
    file: 'kube/lease.ts',
    from: 'renewedAt = sentAt;',
    to: 'renewedAt = clock.monotonic();',
    seenBy: { test: LEASE, title: LAW },
  },
  {
    name: 'living-holder-is-left-alone',
    rule: 'A Lease is taken a whole term after its holder was last seen to renew, and not sooner.',
    file: 'kube/lease.ts',
    from: 'if (lease?.metadata.resourceVersion !== before?.metadata.resourceVersion)',
    to: 'if (!before)',
    seenBy: { test: LEASE, title: 'leaves it alone while it is renewed' },
  },
  {
    name: 'late-renewal-is-none',
    rule: 'A renewal whose answer is read after the deadline is none.',
    file: 'kube/lease.ts',
    from: 'if (!isLeader || isFresh()) renewedAt',
    to: 'renewedAt',
    seenBy: { test: LEASE, title: 'counts no renewal whose answer comes after the deadline' },
  },
  {
    name: 'other-holder-ends-the-lead',
    rule: 'A leader that sees another holder stops at once.',
    file: 'kube/lease.ts',
    from: "const isOurs = isFresh() && otherHolder() === '';",
    to: 'const isOurs = isFresh();',
    seenBy: { test: LEASE, title: 'ends as soon as it sees another holder' },
  },
  {
    name: 'lost-lease-stops-the-work',
    rule: 'A process that has lost the Lease begins nothing any more.',
    file: 'kube/lease.ts',
    from: '          lost.abort();\n',
    to: '',
    seenBy: { test: LEASE, title: 'that cannot renew makes no call later than 10 s' },
  },
  {
    name: 'told-to-end-begins-nothing',
    rule: 'A process that wins the Lease as it is told to end begins no work.',
    file: 'kube/lease.ts',
    from: 'if (!isLeader && isOurs && !stop.aborted) {',
    to: 'if (!isLeader && isOurs) {',
    seenBy: { test: LEASE, title: 'that wins the Lease as it is told to end begins no work' },
  },
  {
    name: 'frozen-winner-renews-first',
    rule: 'Who was frozen while it took the Lease renews it before it works.',
    file: 'kube/lease.ts',
    from: 'const isOurs = isFresh() &&',
    to: 'const isOurs = (!isLeader || isFresh()) &&',
    seenBy: { test: LEASE, title: 'was frozen while it took it' },
  },
];
