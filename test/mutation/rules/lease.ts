import type { Mutation } from '../mutation.ts';

const LEASE = 'test/tables/kube/lease.test.ts';

/** One leader at a time. */
export const LEASES: readonly Mutation[] = [
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
    name: 'lost-lease-stops-the-work',
    rule: 'A process that has lost the Lease begins nothing any more.',
    file: 'kube/lease.ts',
    from: '          lost.abort();\n',
    to: '',
    seenBy: { test: LEASE, title: 'is used for 10 s after its last renewal was sent' },
  },
];
