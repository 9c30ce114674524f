import type { Mutation } from '../mutation.ts';

const LEASE = 'test/tables/kube/lease.test.ts';

/** One leader at a time. */
export const LEASES: readonly Mutation[] = [
  {
    name: 'no-call-past-the-deadline',
    rule: 'No call begins later than 10 s after the last renewal was sent.',
    file: 'kube/lease.ts',
    from: '=> isLeader && isFresh(),',
    to: '=> isLeader,',
    seenBy: { test: LEASE, title: 'is used for 10 s after its last renewal was sent' },
  },
  {
    name: 'renewal-counts-from-when-it-was-sent',
    rule: 'A renewal counts from when it was sent, not from its answer.',
    file: 'kube/lease.ts',
    from: 'renewedAt = sentAt;',
    to: 'renewedAt = clock.monotonic();',
    seenBy: { test: LEASE, title: 'is used for 10 s after its last renewal was sent' },
  },
  {
    name: 'living-holder-is-left-alone',
    rule: 'A Lease is taken a whole term after its holder was last seen to renew, and not sooner.',
    file: 'kube/lease.ts',
    from: 'if (lease?.metadata.resourceVersion !== before?.metadata.resourceVersion)',
    to: 'if (!before)',
    seenBy: { test: LEASE, title: 'is left alone while it is renewed' },
  },
  {
    name: 'late-renewal-is-none',
    rule: 'A renewal whose answer is read after the deadline is none.',
    file: 'kube/lease.ts',
    from: 'if (!isLeader || isFresh()) renewedAt',
    to: 'renewedAt',
    seenBy: { test: LEASE, title: 'is not renewed by an answer that comes after the deadline' },
  },
  {
    name: 'other-holder-ends-the-lead',
    rule: 'A leader that sees another holder stops at once.',
    file: 'kube/lease.ts',
    from: "const isOurs = isFresh() && otherHolder() === '';",
    to: 'const isOurs = isFresh();',
    seenBy: { test: LEASE, title: 'is lost where another holder is seen' },
  },
  {
    name: 'lost-lease-stops-the-work',
    rule: 'A process that has lost the Lease begins nothing any more.',
    file: 'kube/lease.ts',
    from: '          lost.abort();\n',
    to: '',
    seenBy: { test: LEASE, title: 'is used for 10 s after its last renewal was sent' },
  },
  {
    name: 'told-to-end-begins-nothing',
    rule: 'A process that wins the Lease as it is told to end begins no work.',
    file: 'kube/lease.ts',
    from: 'if (!isLeader && isOurs && !stop.aborted) {',
    to: 'if (!isLeader && isOurs) {',
    seenBy: { test: LEASE, title: 'is released by who wins it as it is told to end' },
  },
  {
    name: 'frozen-winner-renews-first',
    rule: 'Who was frozen while it took the Lease is renewed before it is used.',
    file: 'kube/lease.ts',
    from: 'const isOurs = isFresh() &&',
    to: 'const isOurs = (!isLeader || isFresh()) &&',
    seenBy: { test: LEASE, title: 'is renewed before it is used' },
  },
];
