import type { Mutation } from '../mutation.ts';

const CONFIG = 'test/unit/config.test.ts';
const LEAST_TLS = 'test/unit/least-tls.test.ts';
const HEALTH = 'test/unit/health.test.ts';

/** Whom the process trusts. */
const TRUST: readonly Mutation[] = [
  {
    name: 'least-tls',
    rule: 'No connection is made with a TLS older than 1.2, whatever Node is told.',
    file: 'least-tls.ts',
    from: "minVersion: 'TLSv1.2'",
    to: "minVersion: 'TLSv1'",
    seenBy: { test: LEAST_TLS, title: 'carries no call to an API over' },
  },
  {
    name: 'least-tls-of-kubernetes',
    rule: 'Kubernetes is not reached over a TLS older than 1.2 either.',
    file: 'kube/cluster.ts',
    from: '{ ...LEAST_TLS, allowH2',
    to: '{ allowH2',
    seenBy: { test: LEAST_TLS, title: 'is not reached over' },
  },
  {
    name: 'certificates-are-checked',
    rule: 'NODE_TLS_REJECT_UNAUTHORIZED=0 stops the start.',
    file: 'config/config.ts',
    from: "if (env[unchecked] === '0')",
    to: 'if (false)',
    seenBy: { test: CONFIG, title: 'of the command line, the environment, values and' },
  },
  {
    name: 'unverified-is-told',
    rule: 'insecure-skip-tls-verify is in the log.',
    file: 'process.ts',
    from: 'if (cluster.isUnverified)',
    to: 'if (false)',
    seenBy: {
      test: 'test/unit/process-unverified.test.ts',
      title: 'a certificate that is not checked is warned of once at the start',
    },
  },
];

/** Whoever can reach the ports. */
const STRANGERS: readonly Mutation[] = [
  {
    name: 'oldest-connection-gives-way',
    rule: 'Connections that say nothing, or not enough, keep nobody out.',
    file: 'telemetry/health.ts',
    from: 'server.maxRequestsPerSocket = 1;',
    to: 'server.maxRequestsPerSocket = 1; server.maxConnections = MOST_CONNECTIONS;',
    seenBy: { test: HEALTH, title: 'leave the probes answered' },
  },
  {
    name: 'connections-are-bounded',
    rule: 'No more connections than the bound stay open, whatever they send.',
    file: 'telemetry/health.ts',
    from: 'oldest?.destroy();',
    to: 'void oldest;',
    seenBy: { test: HEALTH, title: 'are closed from the oldest on' },
  },
  {
    name: 'answer-ends-its-connection',
    rule: 'A connection is for one answer.',
    file: 'telemetry/health.ts',
    from: "connection: 'close',",
    to: "connection: 'keep-alive',",
    seenBy: { test: HEALTH, title: 'one answer ends its connection' },
  },
  {
    name: 'page-is-made-once-a-second',
    rule: 'Whoever asks for the metrics often does not make the process render them as often.',
    file: 'telemetry/health.ts',
    from: 'page ??= options.metrics();',
    to: 'page = options.metrics();',
    seenBy: { test: HEALTH, title: 'of metrics is text of Prometheus, and made once a second' },
  },
];

export const TRUSTED: readonly Mutation[] = [...TRUST, ...STRANGERS];
