import type { Mutation } from '../mutation.ts';

const CONFIG = 'test/unit/config.test.ts';
const LEAST_TLS = 'test/unit/least-tls.test.ts';
const BESIEGED = 'test/unit/server-besieged.test.ts';
const METRICS_SERVER = 'test/unit/metrics-server.test.ts';
const SCRAPE_ACCESS = 'test/unit/scrape-access.test.ts';
const TOKEN_REVIEW = 'test/unit/kube-token-review.test.ts';

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
    file: 'kube/client/transport.ts',
    from: '...LEAST_TLS,',
    to: '',
    seenBy: { test: LEAST_TLS, title: 'is not reached over' },
  },
  {
    name: 'certificates-are-checked',
    rule: 'NODE_TLS_REJECT_UNAUTHORIZED=0 stops the start.',
    file: 'config/config.ts',
    from: '...weakening(env),',
    to: '',
    seenBy: { test: CONFIG, title: 'stops the start where it turns the check of certificates off' },
  },
  {
    name: 'unverified-is-told',
    rule: 'insecure-skip-tls-verify is in the log and the metrics.',
    file: 'process.ts',
    from: 'cluster.isUnverified?.() === true',
    to: 'false',
    seenBy: {
      test: 'test/unit/process-unverified.test.ts',
      title: 'a certificate of Kubernetes that is not checked',
    },
  },
];

/** Whoever can reach the ports. */
const STRANGERS: readonly Mutation[] = [
  {
    name: 'oldest-connection-gives-way',
    rule: 'Connections that say nothing, or not enough, keep nobody out.',
    file: 'telemetry/listener.ts',
    from: 'server.maxRequestsPerSocket = 1;',
    to: 'server.maxRequestsPerSocket = 1; server.maxConnections = MOST_CONNECTIONS;',
    seenBy: { test: BESIEGED, title: 'leave the probes answered' },
  },
  {
    name: 'connections-are-bounded',
    rule: 'No more connections than the bound stay open, whatever they send.',
    file: 'telemetry/listener.ts',
    from: 'oldest?.destroy();',
    to: 'void oldest;',
    seenBy: { test: BESIEGED, title: 'are closed from the oldest on' },
  },
  {
    name: 'answer-ends-its-connection',
    rule: 'A connection is for one answer.',
    file: 'telemetry/answer.ts',
    from: "connection: 'close',",
    to: "connection: 'keep-alive',",
    seenBy: { test: BESIEGED, title: 'as it says, to ' },
  },
  {
    name: 'page-is-made-once-a-second',
    rule: 'Whoever asks for the metrics often does not make the process render them as often.',
    file: 'telemetry/metrics-page.ts',
    from: 'now - made.at >= LASTS_MS',
    to: 'now - made.at >= 0',
    seenBy: { test: BESIEGED, title: 'the page is made once a second' },
  },
];

/** The metrics on a listener of their own. */
const SCRAPES: readonly Mutation[] = [
  {
    name: 'scrape-is-let-in-by-a-yes-alone',
    rule: 'Where nobody can say who scrapes, nobody gets the metrics.',
    file: 'telemetry/metrics-server.ts',
    from: "standing.is === 'allowed' ?",
    to: "standing.is === 'allowed' || standing.is === 'unknown' ?",
    seenBy: { test: METRICS_SERVER, title: 'of which Kubernetes says' },
  },
  {
    name: 'unjudged-scrape-is-told-seldom',
    rule: 'That nobody can say who scrapes is told once in a while, not at each scrape.',
    file: 'telemetry/metrics-server.ts',
    from: 'toldAt = clock.monotonic();',
    to: '',
    seenBy: { test: METRICS_SERVER, title: 'that nobody can judge is told once in 10 minutes' },
  },
  {
    name: 'metrics-with-tls-of-today-from-the-start',
    rule: 'No TLS before 1.2 from the first certificate on, whatever Node is told.',
    file: 'telemetry/listener.ts',
    from: '...LIMITS, ...LEAST_TLS, ',
    to: '...LIMITS, ',
    seenBy: { test: METRICS_SERVER, title: 'is not shown to TLS before 1.2' },
  },
  {
    name: 'metrics-with-tls-of-today',
    rule: 'Nor with the certificate that comes after it.',
    file: 'telemetry/listener.ts',
    from: 'server.setSecureContext({ ...LEAST_TLS, ...pair })',
    to: 'server.setSecureContext(pair)',
    seenBy: { test: METRICS_SERVER, title: 'is not shown to TLS before 1.2' },
  },
  {
    name: 'certificate-fits-its-key',
    rule: 'A certificate without its key is not taken.',
    file: 'telemetry/certificate.ts',
    from: 'if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))',
    to: 'if (cert === key && cert !== "")',
    seenBy: { test: METRICS_SERVER, title: 'that is none stops the start' },
  },
  {
    name: 'certificate-that-is-over-replaces-none',
    rule: 'A certificate that is over does not take the place of another.',
    file: 'telemetry/certificate.ts',
    from: 'checkDate(pair, clock);',
    to: '',
    seenBy: { test: METRICS_SERVER, title: 'stays where the files hold' },
  },
  {
    name: 'certificate-that-is-not-valid-yet-replaces-none',
    rule: 'Nor does one that is not valid yet.',
    file: 'telemetry/certificate.ts',
    from: 'Date.parse(validFrom) > clock.now()',
    to: 'Date.parse(validFrom) < 0',
    seenBy: { test: METRICS_SERVER, title: 'stays where the files hold' },
  },
  {
    name: 'certificate-that-becomes-valid-is-taken',
    rule: 'It is taken as soon as it is valid, without another change of its file.',
    file: 'telemetry/certificate.ts',
    from: 'checkDate(pair, clock);',
    to: 'used = textOf(pair); checkDate(pair, clock);',
    seenBy: { test: METRICS_SERVER, title: 'that is not valid yet is shown once it is' },
  },
  {
    name: 'certificate-is-looked-at-again',
    rule: 'A renewed certificate is shown without a restart.',
    file: 'telemetry/certificate.ts',
    from: 'LOOK_AGAIN_MS = 1_000',
    to: 'LOOK_AGAIN_MS = 100_000',
    seenBy: { test: METRICS_SERVER, title: 'is the new one a second after the files have changed' },
  },
  {
    name: 'right-that-is-gone-counts-soon',
    rule: 'Who may no longer read the metrics does so for 10 s at most.',
    file: 'telemetry/scrape-access.ts',
    from: 'ANSWER_LASTS_MS = 10_000',
    to: 'ANSWER_LASTS_MS = 60_000',
    seenBy: { test: SCRAPE_ACCESS, title: 'holds for 10 s' },
  },
  {
    name: 'strangers-are-few',
    rule: 'Whoever tries tokens makes the operator ask Kubernetes only so often.',
    file: 'telemetry/scrape-access.ts',
    from: 'strangers >= STRANGERS_AT_ONCE',
    to: 'strangers >= 1_000',
    seenBy: { test: SCRAPE_ACCESS, title: 'has ten a second tried at most' },
  },
  {
    name: 'known-ones-pass-strangers',
    rule: 'Who was let in before is not kept out by those who try tokens.',
    file: 'telemetry/scrape-access.ts',
    from: 'const isStranger = !proven.has(digest);',
    to: 'const isStranger = true;',
    seenBy: { test: SCRAPE_ACCESS, title: 'has ten a second tried at most' },
  },
  {
    name: 'token-counts-by-authenticated-alone',
    rule: 'A token counts where the API server says so, and by nothing else in its answer.',
    file: 'kube/client/token-review.ts',
    from: 'known?.authenticated !== true',
    to: 'known?.authenticated === false',
    seenBy: { test: TOKEN_REVIEW, title: 'for nothing else that an answer may say' },
  },
  {
    name: 'denied-is-not-allowed',
    rule: 'A right that is denied is none.',
    file: 'kube/client/token-review.ts',
    from: ' && right.denied !== true',
    to: '',
    seenBy: { test: TOKEN_REVIEW, title: 'for nothing else that an answer may say' },
  },
  {
    name: 'metrics-flags-go-together',
    rule: 'Metrics on a listener of their own are never without TLS by mistake.',
    file: 'config/config.ts',
    from: 'if (missing.length === SECURE_METRICS.length) return [];',
    to: 'if (missing.length > 0) return [];',
    seenBy: { test: CONFIG, title: 'alone lack' },
  },
];

export const TRUSTED: readonly Mutation[] = [...TRUST, ...STRANGERS, ...SCRAPES];
