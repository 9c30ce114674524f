import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import { FLAGS } from '../../../src/config/flag-table.ts';
import { environmentName, type Flag } from '../../../src/config/flags.ts';

/** People have these in manifests. What the help says of them may change. */

const TABLE: readonly (readonly [flag: string, variable: string, fallback: string])[] = [
  ['api-url', 'PIPEWRIGHT_API_URL', ''],
  ['api-allow-http', 'PIPEWRIGHT_API_ALLOW_HTTP', 'false'],
  ['api-ca-file', 'PIPEWRIGHT_API_CA_FILE', ''],
  ['api-rate', 'PIPEWRIGHT_API_RATE', '10/10s'],
  ['api-rate-total', 'PIPEWRIGHT_API_RATE_TOTAL', '0'],
  ['api-in-flight', 'PIPEWRIGHT_API_IN_FLIGHT', '4'],
  ['api-timeout', 'PIPEWRIGHT_API_TIMEOUT', '35s'],
  ['kubeconfig', 'PIPEWRIGHT_KUBECONFIG', ''],
  ['context', 'PIPEWRIGHT_CONTEXT', ''],
  ['namespaces', 'PIPEWRIGHT_NAMESPACES', ''],
  ['selector', 'PIPEWRIGHT_SELECTOR', ''],
  ['secret-selector', 'PIPEWRIGHT_SECRET_SELECTOR', ''],
  ['plan-only', 'PIPEWRIGHT_PLAN_ONLY', 'false'],
  ['concurrency', 'PIPEWRIGHT_CONCURRENCY', '10'],
  ['leader-elect', 'PIPEWRIGHT_LEADER_ELECT', ''],
  ['leader-elect-namespace', 'PIPEWRIGHT_LEADER_ELECT_NAMESPACE', ''],
  ['leader-elect-name', 'PIPEWRIGHT_LEADER_ELECT_NAME', ''],
  ['cleanup-deadline', 'PIPEWRIGHT_CLEANUP_DEADLINE', '10m'],
  ['listen', 'PIPEWRIGHT_LISTEN', ':8080'],
  ['log-level', 'PIPEWRIGHT_LOG_LEVEL', 'info'],
  ['help', '', ''],
  ['version', '', ''],
];

const SWITCHES = ['api-allow-http', 'plan-only', 'leader-elect', 'help', 'version'];

test('each flag has its name, its variable and its default, in this order', () => {
  const flags: readonly Flag[] = FLAGS;
  expect(
    flags.map(({ name, commandLineOnly, default: fallback = '' }) => [
      name,
      commandLineOnly ? '' : environmentName(name),
      fallback,
    ]),
  ).toEqual(TABLE);
  const switches = flags.filter(({ placeholder }) => placeholder === undefined);
  expect(switches.map(({ name }) => name)).toEqual(SWITCHES);
});

const DEFAULTS = {
  apiUrl: new URL('https://api.example.com'),
  apiRate: { calls: 10, perMs: 10_000 },
  apiRateTotal: { calls: 0, perMs: 1_000 },
  apiInFlight: 4,
  apiTimeoutMs: 35_000,
  namespaces: [],
  concurrency: 10,
  leaderElectName: 'pipewright',
  planOnly: false,
  cleanupDeadlineMs: 600_000,
  listen: { port: 8080 },
  logLevel: 'info',
};

describe('what a process does', () => {
  const api = ['--api-url=https://api.example.com/v1'];

  test('outside a cluster with no other flag', () => {
    const parsed = parseConfig({ argv: api, env: {}, version: 'test' });
    expect(parsed).toEqual({ ok: true, config: { ...DEFAULTS, leaderElect: false } });
  });

  test('in a cluster with no other flag', () => {
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    const parsed = parseConfig({ argv: api, env, version: 'test' });
    expect(parsed).toEqual({ ok: true, config: { ...DEFAULTS, leaderElect: true } });
  });

  test('with every variable', () => {
    const given: Record<string, string> = {
      'api-url': 'http://api.internal:8080/eu/v1/',
      'api-allow-http': 'true',
      'api-rate': '5/1m',
      'api-rate-total': '100/1m',
      'api-in-flight': '2',
      'api-timeout': '1m',
      context: 'staging',
      namespaces: 'b,a',
      selector: 'x==1',
      'plan-only': 'true',
      concurrency: '3',
      'leader-elect': 'true',
      'leader-elect-namespace': 'pw',
      'leader-elect-name': 'mine',
      'cleanup-deadline': '2h',
      listen: '127.0.0.1:9090',
      'log-level': 'debug',
    };
    const variables = new Map<string, string>(TABLE.map(([flag, variable]) => [flag, variable]));
    const texts = Object.entries(given);
    const env = Object.fromEntries(texts.map(([flag, text]) => [variables.get(flag) ?? '', text]));
    expect(parseConfig({ argv: [], env, version: 'test' })).toEqual({
      ok: true,
      config: {
        apiUrl: new URL('http://api.internal:8080/eu'),
        apiRate: { calls: 5, perMs: 60_000 },
        apiRateTotal: { calls: 100, perMs: 60_000 },
        apiInFlight: 2,
        apiTimeoutMs: 60_000,
        context: 'staging',
        namespaces: ['b', 'a'],
        selector: 'x=1',
        concurrency: 3,
        leaderElect: true,
        leaderElectName: 'mine',
        leaderElectNamespace: 'pw',
        planOnly: true,
        cleanupDeadlineMs: 7_200_000,
        listen: { host: '127.0.0.1', port: 9090 },
        logLevel: 'debug',
      },
    });
  });
});
