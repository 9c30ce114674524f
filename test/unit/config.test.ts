import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { type Config, parseConfig } from '../../src/config/config.ts';
import { FLAG_LIST, flagOf } from '../../src/config/flags.ts';

const URL_FLAG = '--api-url=https://api.example.com';
const folder = mkdtempSync(join(tmpdir(), 'pipewright-config-'));

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function parse(
  argv: readonly string[],
  env: Record<string, string> = {},
): ReturnType<typeof parseConfig> {
  return parseConfig({ argv, env, version: '1.2.3' });
}

function accepted(argv: readonly string[], env: Record<string, string> = {}): Config {
  const parsed = parse([URL_FLAG, ...argv], env);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.config;
}

function refused(argv: readonly string[], env: Record<string, string> = {}): string[] {
  const parsed = parse(argv, env);
  expect(parsed.ok, 'should have been refused').toBe(false);
  if (parsed.ok) return [];
  expect(parsed.exitCode).toBe(2);
  return parsed.message
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
}

describe('without flags', () => {
  test('every value has the documented default', () => {
    expect(accepted([])).toEqual({
      apiUrl: new URL('https://api.example.com'),
      apiAllowHttp: false,
      apiRate: { calls: 10, perMs: 10_000 },
      apiRateTotal: { calls: 0, perMs: 1_000 },
      apiInFlight: 4,
      apiTimeout: 35_000,
      apiTimeoutMs: 35_000,
      namespaces: [],
      leaderElect: false,
      leaderElectName: 'pipewright',
      planOnly: false,
      cleanupDeadline: 600_000,
      cleanupDeadlineMs: 600_000,
      listen: { port: 8080 },
      logLevel: 'info',
    });
  });

  test('only --api-url is missing', () => {
    expect(refused([])).toEqual(['--api-url is missing; give one like https://api.example.com']);
  });
});

describe('how a value is given', () => {
  test.each([[['--api-in-flight', '7']], [['--api-in-flight=7']], [['--api-in-flight', ' 7 ']]])(
    '%j',
    (argv) => {
      expect(accepted(argv).apiInFlight).toBe(7);
    },
  );

  test('by the environment, where no flag gives it', () => {
    expect(accepted([], { PIPEWRIGHT_API_IN_FLIGHT: '7' }).apiInFlight).toBe(7);
    expect(accepted(['--api-in-flight=8'], { PIPEWRIGHT_API_IN_FLIGHT: '7' }).apiInFlight).toBe(8);
    expect(accepted([], { PIPEWRIGHT_PLAN_ONLY: 'true' }).planOnly).toBe(true);
  });

  test('an empty value means the default, and an empty flag takes back the environment', () => {
    expect(accepted(['--selector='], { PIPEWRIGHT_NAMESPACES: '' })).toMatchObject({
      namespaces: [],
    });
    expect(accepted(['--selector='], { PIPEWRIGHT_SELECTOR: 'a=b' }).selector).toBeUndefined();
  });

  test.each([
    [['--leader-elect', '--leader-elect-namespace=ops'], true],
    [['--leader-elect=true', '--leader-elect-namespace=ops'], true],
    [['--leader-elect', 'true', '--leader-elect-namespace=ops'], true],
    [['--leader-elect=false'], false],
    [['--leader-elect', 'false'], false],
  ])('boolean %j', (argv, value) => {
    expect(accepted(argv).leaderElect).toBe(value);
  });

  test('a value may hold an equals sign and begin with one dash', () => {
    expect(accepted(['--selector', 'shard=a']).selector).toBe('shard=a');
    expect(refused([URL_FLAG, '--api-in-flight', '-1'])[0]).toContain('"-1" is not a whole number');
  });
});

describe('one error lists every problem', () => {
  test('of the command line, the environment, values and combinations at once', () => {
    const problems = refused(
      [
        '--rate=1',
        '--concurency',
        '5',
        'stray',
        '--api-in-flight=1000',
        '--leader-elect',
        '--context',
        '--log-level=warning',
      ],
      { PIPEWRIGHT_API_RATES: '3', PIPEWRIGHT_API_TIMEOUT: '10h' },
    );
    expect(problems).toEqual([
      '--rate is no flag; --help lists all',
      '--concurency is no flag; --help lists all',
      '"5" belongs to no flag; every value follows a flag, as in --log-level debug',
      '"stray" belongs to no flag; every value follows a flag, as in --log-level debug',
      'the environment variable PIPEWRIGHT_API_RATES belongs to no flag; --help lists all',
      '--api-url is missing; give one like https://api.example.com',
      '--api-in-flight: "1000" is not a whole number from 1 to 100; give one',
      'PIPEWRIGHT_API_TIMEOUT: "10h" is not a time from 1s to 5m; give one, such as 90s or 1m30s',
      '--context has no value; --help says what to write',
      '--log-level: "warning" is not a level; give one of trace, debug, info, warn, error, fatal, silent',
      '--leader-elect-namespace is missing; outside a cluster give the namespace of the Lease, or --leader-elect=false where only one process runs',
    ]);
  });

  test.each([
    '--zzz=x',
    '--api_url=x',
    '-api-url=x',
    '--API-URL=x',
    '-u=x',
    '--no-plan-only=x',
    '--__proto__=x',
  ])('%s is no flag, and is named without its value', (written) => {
    expect(refused([URL_FLAG, written, '--api-in-flight=x'])).toEqual([
      `${written.replace('=x', '')} is no flag; --help lists all`,
      '--api-in-flight: "x" is not a whole number from 1 to 100; give one',
    ]);
  });

  test.each([
    ['http://bob:pa=ss@proxy.example.com', '"http://***@proxy.example.com" belongs to no flag;'],
    ['bob:pa=ss@proxy.example.com', '"***@proxy.example.com" belongs to no flag;'],
    ['-http://bob:pa=ss@proxy.example.com', '-http is no flag;'],
    ['--http://bob:pass@proxy.example.com', '--http is no flag;'],
    ['--proxy-password pass', '--proxy-password is no flag;'],
  ])('no part of the password in %s is repeated', (written, begin) => {
    const [first, ...others] = refused([URL_FLAG, written]);
    expect(first?.startsWith(begin)).toBe(true);
    expect(others).toEqual([]);
  });

  test('what stands apart from flags is named without what follows its =', () => {
    const problem =
      '"password=…" belongs to no flag; every value follows a flag, as in --log-level debug';
    expect(refused([URL_FLAG, 'password=pass'])).toEqual([problem]);
  });

  test('nothing stands apart from flags, behind two dashes neither', () => {
    expect(refused([URL_FLAG, '--', '--api-in-flight=1', ''])).toEqual([
      '--api-in-flight is no flag; --help lists all',
      '"" belongs to no flag; every value follows a flag, as in --log-level debug',
    ]);
  });

  test('a flag given twice is refused: which one is meant?', () => {
    expect(refused([URL_FLAG, '--api-in-flight=1', '--api-in-flight=2'])).toEqual([
      '--api-in-flight is given twice; leave one of them out',
    ]);
  });

  test('the variables that Kubernetes sets for a Service named pipewright are no mistake', () => {
    const links = {
      PIPEWRIGHT_SERVICE_HOST: '10.0.0.7',
      PIPEWRIGHT_SERVICE_PORT: '8080',
      PIPEWRIGHT_SERVICE_PORT_METRICS: '8080',
      PIPEWRIGHT_PORT: 'tcp://10.0.0.7:8080',
      PIPEWRIGHT_PORT_8080_TCP: 'tcp://10.0.0.7:8080',
      PIPEWRIGHT_PORT_8080_TCP_ADDR: '10.0.0.7',
      PIPEWRIGHT_METRICS_SERVICE_HOST: '10.0.0.8',
    };
    expect(accepted([], links)).toEqual(accepted([]));
  });
});

describe('--api-url', () => {
  test.each([
    ['https://api.example.com', 'https://api.example.com/'],
    ['https://api.example.com/', 'https://api.example.com/'],
    ['https://api.example.com/v1', 'https://api.example.com/'],
    ['https://api.example.com/v1/', 'https://api.example.com/'],
    ['https://API.example.com:443/base/v1/', 'https://api.example.com/base'],
    ['http://localhost:8081', 'http://localhost:8081/'],
    ['http://127.0.0.1:8081/v1', 'http://127.0.0.1:8081/'],
    ['http://[::1]:8081', 'http://[::1]:8081/'],
  ])('%s is %s', (written, meant) => {
    const parsed = parse(['--api-url', written]);
    expect(parsed.ok && parsed.config.apiUrl.href).toBe(meant);
  });

  test.each([
    ['http://api.example.com', /http would send the keys in clear text/],
    ['http://127.0.0.1.example.com', /clear text/],
    ['http://localhost.example.com', /clear text/],
    ['ftp://api.example.com', /use https/],
    ['api.example.com', /not a URL/],
    ['https://api.example.com?x=1', /query/],
    ['https://api.example.com#x', /fragment/],
  ])('%s is refused', (written, why) => {
    const problems = refused(['--api-url', written]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(why);
  });

  test('http elsewhere needs --api-allow-http', () => {
    const parsed = parse(['--api-url=http://api.internal', '--api-allow-http']);
    expect(parsed.ok && parsed.config.apiUrl.href).toBe('http://api.internal/');
  });

  test.each([
    'https://key:hunter22@api.example.com',
    'https://key:hunter/22@host',
    'http://key:hunter22@api.example.com',
    'https://api.example.com?token=hunter22',
  ])('a password in %s is not repeated', (written) => {
    for (const argv of [
      [`--api-url=${written}`],
      ['--api-url', written],
      [`--apiurl=${written}`],
      ['--apiurl', written],
      [written],
    ]) {
      expect(refused(argv).join('\n')).not.toMatch(/hunter/);
    }
  });
});

describe('values', () => {
  test.each([
    ['10/10s', { calls: 10, perMs: 10_000 }],
    ['1/500ms', { calls: 1, perMs: 500 }],
    ['300/1m', { calls: 300, perMs: 60_000 }],
    ['0', { calls: 0, perMs: 1000 }],
  ])('--api-rate %s', (text, rate) => {
    expect(accepted([`--api-rate=${text}`]).apiRate).toEqual(rate);
  });

  test.each([
    ['1s', 1000],
    ['1m30s', 90_000],
    ['1.5s', 1500],
    ['1500ms', 1500],
    ['5m', 300_000],
  ])('--api-timeout %s', (text, ms) => {
    expect(accepted([`--api-timeout=${text}`]).apiTimeoutMs).toBe(ms);
  });

  test.each([
    [':8080', { port: 8080 }],
    ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
    ['[::1]:9090', { host: '::1', port: 9090 }],
    ['localhost:65535', { host: 'localhost', port: 65_535 }],
  ])('--listen %s', (text, address) => {
    expect(accepted([`--listen=${text}`]).listen).toEqual(address);
  });

  test('--namespaces drops duplicates and spaces', () => {
    expect(accepted(['--namespaces', 'b, a,b']).namespaces).toEqual(['b', 'a']);
  });

  test.each([
    ['a=b', 'a=b'],
    ['b!=2, a == 1', 'a=1,b!=2'],
    ['env in (dev, qa),!legacy,team', '!legacy,env in (dev,qa),team'],
    ['example.com/tier notin (x)', 'example.com/tier notin (x)'],
    ['a=', 'a='],
  ])('--selector %s', (text, canonical) => {
    expect(accepted(['--selector', text]).selector).toBe(canonical);
  });

  test('--secret-selector is labels', () => {
    const { secretSelector } = accepted(['--secret-selector=team=data, example.com/tier=']);
    expect(secretSelector).toEqual({ team: 'data', 'example.com/tier': '' });
  });

  test('--api-ca-file gives the certificates of the file and leaves a private key behind', () => {
    const [certificate = ''] = rootCertificates;
    const path = file(
      'ca.pem',
      `-----BEGIN PRIVATE KEY-----\nhunter22\n-----END PRIVATE KEY-----\n${certificate}\n`,
    );
    const [only, ...others] =
      accepted(['--api-ca-file', path]).apiCa?.match(/BEGIN [A-Z ]+/g) ?? [];
    expect([only, others]).toEqual(['BEGIN CERTIFICATE', []]);
    expect(new X509Certificate(accepted(['--api-ca-file', path]).apiCa ?? '').raw).toEqual(
      new X509Certificate(certificate).raw,
    );
  });

  test.each([
    ['--api-rate-total', ['fast', '10', '0/10s', '10/25h']],
    ['--api-rate', ['fast', '10', '0/10s', '-1/1s', '10/0s', '10/25h', '1.5/1s']],
    ['--api-timeout', ['35', '0s', '999ms', '5m1s', '1d', 's', '-1s', '1e3s', ' s']],
    ['--secret-selector', ['a', 'a!=b', 'a in (b)', 'a=b,', '=b']],
    ['--cleanup-deadline', ['59s', '24h1s', '0']],
    ['--api-in-flight', ['0', '101', '1.5', 'four', '0x10', '1e2']],
    [
      '--listen',
      ['8080', ':65536', '::1:80', '[::1]', '[zz]:80', 'host:', 'a b:80', 'http://x:80'],
    ],
    ['--namespaces', ['A', 'a,', '-a', 'a.b', 'a'.repeat(64)]],
    [
      '--selector',
      [
        'a in b',
        'a in ()',
        '=b',
        'a=b c',
        'a,,b',
        'a=b,',
        'UP.com/a/b=c',
        `a=${'x'.repeat(64)}`,
        'a>1',
      ],
    ],
    ['--leader-elect', ['yes', '1', 'True']],
    ['--leader-elect-name', ['Pipe', 'a_b', '.a']],
    ['--leader-elect-namespace', ['a.b', 'A']],
    ['--log-level', ['loud', 'INFO']],
    [
      '--api-ca-file',
      [
        '/nowhere/ca.pem',
        tmpdir(),
        file('empty.pem', ''),
        file('bad.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'),
      ],
    ],
    ['--kubeconfig', ['/nowhere/config', tmpdir()]],
  ])('%s refuses nonsense, naming the flag, the value and what is allowed', (flag, texts) => {
    for (const text of texts) {
      const problems = refused([URL_FLAG, `${flag}=${text}`]).filter(
        (line) => !line.startsWith('--leader-elect-namespace is missing'),
      );
      expect(problems, `${flag}=${text}`).toHaveLength(1);
      expect(problems[0]).toContain(`${flag}: `);
      expect(problems[0]).toMatch(/"[^"]*".*(give|check|from \d|one of|neither|with a letter)/);
    }
  });
});

describe('leader election', () => {
  const cluster = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

  test('is on in a cluster, off outside, and off where a kubeconfig points elsewhere', () => {
    expect(accepted([], cluster).leaderElect).toBe(true);
    expect(accepted([]).leaderElect).toBe(false);
    expect(accepted(['--kubeconfig', file('kubeconfig', '{}')], cluster).leaderElect).toBe(false);
    expect(accepted(['--context=dev'], cluster).leaderElect).toBe(false);
    expect(accepted(['--leader-elect=false'], cluster).leaderElect).toBe(false);
  });

  test('outside a cluster needs a namespace, inside it does not', () => {
    expect(refused([URL_FLAG, '--leader-elect'])[0]).toMatch(
      /^--leader-elect-namespace is missing/,
    );
    expect(accepted(['--leader-elect', '--leader-elect-namespace=ops']).leaderElectNamespace).toBe(
      'ops',
    );
    expect(accepted([], cluster).leaderElectNamespace).toBeUndefined();
  });

  test('shards get Leases of their own, and equal shards the same one however they are spelled', () => {
    const name = (...argv: string[]): string => accepted(argv).leaderElectName;
    expect(name('--selector=a=1,b=2')).toBe(name('--selector=b==2, a=1'));
    expect(name('--namespaces=x,y')).toBe(name('--namespaces=y,x,y'));
    const names = [
      name(),
      name('--selector=a=1'),
      name('--selector=a=2'),
      name('--namespaces=a'),
      name('--namespaces=a,b'),
    ];
    expect(new Set(names).size).toBe(names.length);
    expect(name('--selector=a=1')).toMatch(/^pipewright-[0-9a-f]{8}$/);
    expect(name('--selector=a=1', '--leader-elect-name=mine')).toBe('mine');
  });

  // After an update that changes it, the old process and the new one would both work.
  test.each([
    ['pipewright-704ed201', ['--namespaces=ingest']],
    ['pipewright-642bf600', ['--namespaces=ingest,audit,data']],
    ['pipewright-3780068e', ['--selector=team=data']],
    ['pipewright-ac424559', ['--selector=env in (prod,  stage )']],
    ['pipewright-693e70c7', ['--selector=team=data', '--namespaces=data,ingest']],
  ])('the Lease is named %s with %j', (name, flags) => {
    expect(accepted(flags).leaderElectName).toBe(name);
  });
});

describe('a proxy variable', () => {
  test.each(['socks5://bob:hunter22@h:1', 'proxy.corp:3128', 'http//h', 'bob:hunter22@h'])(
    '%s stops the start, without its password',
    (value) => {
      const problems = refused([URL_FLAG], { HTTPS_PROXY: value, http_proxy: 'http://h:1' });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/^HTTPS_PROXY: .* is no http or https URL; write it like http/);
      expect(problems[0]).not.toContain('hunter');
    },
  );
});

describe('NODE_TLS_REJECT_UNAUTHORIZED', () => {
  test('stops the start where it turns the check of certificates off, beside all else that is wrong', () => {
    const problems = refused([URL_FLAG, '--api-in-flight=x'], {
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    });
    expect(problems).toHaveLength(2);
    expect(problems[1]).toMatch(/^NODE_TLS_REJECT_UNAUTHORIZED: "0" .* remove it, .*--api-ca-file/);
  });

  test.each(['', '1', 'false'])('%j, which turns nothing off, does not', (value) => {
    expect(parse([URL_FLAG], { NODE_TLS_REJECT_UNAUTHORIZED: value }).ok).toBe(true);
  });
});

describe('help, version and the table', () => {
  test('--help and --version end well, whatever else is wrong', () => {
    expect(parse(['--version', '--nonsense'])).toEqual({
      ok: false,
      exitCode: 0,
      message: 'pipewright 1.2.3\n',
    });
    const help = parse(['--help', '--api-in-flight=x']);
    expect(help).toMatchObject({ ok: false, exitCode: 0 });
  });

  test('the help names every flag', () => {
    const help = parse(['--help']);
    for (const [name] of FLAG_LIST)
      expect(help).toMatchObject({ message: expect.stringContaining(`\n  ${flagOf(name)} [`) });
  });

  test('--help and --version cannot be asked for by the environment', () => {
    expect(refused([URL_FLAG], { PIPEWRIGHT_VERSION: 'true' })).toEqual([
      'the environment variable PIPEWRIGHT_VERSION belongs to no flag; --help lists all',
    ]);
  });
});
