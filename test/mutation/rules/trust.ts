import type { Mutation } from '../mutation.ts';

const TLS = 'test/tables/api/tls.test.ts';

/** Whom the process trusts. */
const TRUST: readonly Mutation[] = [
  {
    name: 'least-tls',
    rule: 'No connection is made with a TLS older than 1.2, whatever Node is told.',
    file: 'least-tls.ts',
    from: "minVersion: 'TLSv1.2'",
    to: "minVersion: 'TLSv1'",
    seenBy: { test: TLS, title: 'whatever Node is told to allow' },
  },
];

/** Whoever can reach the ports. */
const STRANGERS: readonly Mutation[] = [];

export const TRUSTED: readonly Mutation[] = [...TRUST, ...STRANGERS];
