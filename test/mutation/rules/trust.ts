import type { Mutation } from '../mutation.ts';

const CONFIG = 'test/tables/process/config.test.ts';
const TLS = 'test/tables/api/tls.test.ts';
const RUNNING = 'test/tables/process/running.test.ts';

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
  {
    name: 'least-tls-of-kubernetes',
    rule: 'Kubernetes is not reached over a TLS older than 1.2 either.',
    file: 'kube/cluster.ts',
    from: '{ ...LEAST_TLS, allowH2',
    to: '{ allowH2',
    seenBy: { test: TLS, title: 'Kubernetes is not spoken to over TLS 1.1' },
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
    seenBy: { test: RUNNING, title: 'a certificate that is not checked is warned of once' },
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
    seenBy: { test: RUNNING, title: 'closes the oldest of more than 1,100 connections' },
  },
  {
    name: 'connections-are-bounded',
    rule: 'No more connections than the bound stay open, whatever they send.',
    file: 'telemetry/health.ts',
    from: 'oldest?.destroy();',
    to: 'void oldest;',
    seenBy: { test: RUNNING, title: 'closes the oldest of more than 1,100 connections' },
  },
  {
    name: 'answer-ends-its-connection',
    rule: 'A connection is for one answer.',
    file: 'telemetry/health.ts',
    from: "connection: 'close',",
    to: "connection: 'keep-alive',",
    seenBy: { test: RUNNING, title: 'ends a connection with its one answer' },
  },
  {
    name: 'page-is-made-once-a-second',
    rule: 'Whoever asks for the metrics often does not make the process render them as often.',
    file: 'telemetry/health.ts',
    from: 'page ??= options.metrics();',
    to: 'page = options.metrics();',
    seenBy: { test: RUNNING, title: 'of metrics is made once a second' },
  },
];

export const TRUSTED: readonly Mutation[] = [...TRUST, ...STRANGERS];
