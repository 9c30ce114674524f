import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { accepted, refused, URL_FLAG } from './flags.ts';

const POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
const folder = mkdtempSync(join(tmpdir(), 'pipewright-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

it('without flags every value has the documented default', () => {
  expect(accepted([])).toEqual({
    apiUrl: new URL('https://api.example.com'),
    apiAllowHttp: false,
    apiRate: { calls: 10, perMs: 10_000 },
    apiRateTotal: { calls: 0, perMs: 1_000 },
    apiInFlight: 4,
    apiTimeoutMs: 35_000,
    namespaces: [],
    leaderElect: false,
    leaderElectName: 'pipewright',
    planOnly: false,
    cleanupDeadlineMs: 600_000,
    listen: { port: 8080 },
    logLevel: 'info',
  });
});

describe('what is given is taken', () => {
  it.each<[argv: string, env: Readonly<Record<string, string>>, taken: object]>([
    ['--api-in-flight=7', { PIPEWRIGHT_API_IN_FLIGHT: '8' }, { apiInFlight: 7 }],
    ['', { PIPEWRIGHT_API_IN_FLIGHT: ' 7 ' }, { apiInFlight: 7 }],
    ['--plan-only', {}, { planOnly: true }],
    ['', { PIPEWRIGHT_API_TIMEOUT: '', PIPEWRIGHT_NAMESPACES: '' }, { apiTimeoutMs: 35_000 }],
    ['--api-rate 1/500ms', {}, { apiRate: { calls: 1, perMs: 500 } }],
    ['--api-rate-total 300/1m', {}, { apiRateTotal: { calls: 300, perMs: 60_000 } }],
    ['--api-timeout 1m30s', {}, { apiTimeoutMs: 90_000 }],
    ['--listen [::1]:9090', {}, { listen: { host: '::1', port: 9090 } }],
    ['--namespaces b,a,b', {}, { namespaces: ['b', 'a'] }],
    ['--selector=example.com/tier==x', {}, { selector: 'example.com/tier=x' }],
    ['', { PIPEWRIGHT_SELECTOR: 'n>3, !l , a in( y,x ,y)' }, { selector: '!l,a in (x,y),n>3' }],
    ['--secret-selector=a=b,c.io/d=', {}, { secretSelector: { a: 'b', 'c.io/d': '' } }],
    ['--leader-elect --leader-elect-namespace=ops', {}, { leaderElectNamespace: 'ops' }],
    ['', POD, { leaderElect: true, leaderElectNamespace: undefined }],
    ['--leader-elect=false', POD, { leaderElect: false }],
    ['', { PIPEWRIGHT_KUBECONFIG: file('kubeconfig', '{}'), ...POD }, { leaderElect: false }],
    ['', { PIPEWRIGHT_SERVICE_HOST: 'x', PIPEWRIGHT_PORT_80_TCP: 'x' }, { apiInFlight: 4 }],
    ['', { HTTPS_PROXY: 'http://me:p%40ss@proxy:3128/', http_proxy: 'https://[::1]' }, {}],
  ])('%j with %j', (argv, env, taken) => {
    expect(accepted(argv === '' ? [] : argv.split(' '), env)).toMatchObject(taken);
  });

  it.each([
    ['https://API.example.com:443/base//v1//', 'https://api.example.com/base'],
    ['http://localhost:8081', 'http://localhost:8081/'],
    ['http://127.9.9.9', 'http://127.9.9.9/'],
    ['http://api.internal --api-allow-http', 'http://api.internal/'],
  ])('--api-url=%s', (written, meant) => {
    const { apiUrl } = accepted(`--api-url=${written}`.split(' '));
    expect(apiUrl).toEqual(new URL(meant));
  });

  it('the certificates of --api-ca-file, and no private key beside them', () => {
    const [certificate = ''] = rootCertificates;
    const key = '-----BEGIN PRIVATE KEY-----\nhunter22\n-----END PRIVATE KEY-----\n';
    const { apiCa = '' } = accepted([`--api-ca-file=${file('ca.pem', key + certificate)}`]);
    expect(apiCa.match(/BEGIN [A-Z ]+/g)).toEqual(['BEGIN CERTIFICATE']);
    expect(new X509Certificate(apiCa).raw).toEqual(new X509Certificate(certificate).raw);
  });
});

const UNNAMED = 'belongs to no flag; every value follows a flag, as in --log-level debug';
const NO_FLAG = 'is no flag; --help lists all';
const NO_NAMESPACE = expect.stringMatching(
  /^--leader-elect-namespace is missing; outside a cluster give .*, or --leader-elect=false/,
) as string;

describe('one error lists every problem', () => {
  it('of the command line, the environment, values and combinations at once', () => {
    const line = `stray --rate=1 --concurency 5 left --api-in-flight -1 --listen=:1 --listen=:2
      --leader-elect --context --log-level=warning`;
    const problems = refused(line.split(/\s+/), {
      PIPEWRIGHT_API_RATES: '3',
      PIPEWRIGHT_API_TIMEOUT: '10h',
      PIPEWRIGHT_VERSION: 'true',
      HTTPS_PROXY: 'proxy:3128',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    });
    expect(problems).toEqual([
      '--listen is given twice; leave one of them out',
      `"stray" ${UNNAMED}`,
      `--rate ${NO_FLAG}`,
      `--concurency ${NO_FLAG}`,
      `"left" ${UNNAMED}`,
      'the environment variable PIPEWRIGHT_API_RATES belongs to no flag; --help lists all',
      'the environment variable PIPEWRIGHT_VERSION belongs to no flag; --help lists all',
      '--api-url is missing; give one like https://api.example.com',
      '--api-in-flight: "-1" is not a whole number from 1 to 100; give one',
      'PIPEWRIGHT_API_TIMEOUT: "10h" is not a time from 1s to 5m; give one, such as 90s or 1m30s',
      '--context has no value; write --context=NAME',
      expect.stringMatching(/^--log-level: "warning" is not a level; give one of trace, debug/),
      NO_NAMESPACE,
      expect.stringMatching(/^HTTPS_PROXY: "proxy:3128" is not the address of an http or https/),
      expect.stringMatching(/^NODE_TLS_REJECT_UNAUTHORIZED: "0" .* remove it/),
    ]);
  });

  it.each<[words: string[], ...problems: string[]]>([
    [['--api_url=x'], `--api_url ${NO_FLAG}`],
    [['--', '', '--plan-only'], `"" ${UNNAMED}`, `--plan-only ${NO_FLAG}`],
    [['--proxy-password', 'hunter22'], `--proxy-password ${NO_FLAG}`],
    [['password=hunter22'], `"password=…" ${UNNAMED}`],
    [['bob:hunt@er22@h'], `"***@h" ${UNNAMED}`],
  ])('%j', (words, ...problems) => {
    expect(refused([URL_FLAG, ...words])).toEqual(problems);
  });

  it.each<[flag: string, what: RegExp, ...texts: string[]]>([
    ['--api-url', /use https, or --api-allow-http/, 'http://api.example.com', 'http://127.a.b'],
    ['--api-url', /use https/, 'ftp://api.example.com', 'http://localhost.example.com'],
    ['--api-url', /not a URL; write it like/, 'api.example.com', 'https://'],
    ['--api-url', /end with the path/, 'https://api.example.com?x=1', 'https://a#x'],
    ['--api-url', /user name/, 'https://key:hunter22@h', 'https://key@h', 'https://:x@h'],
    ['--api-rate', /give calls per time/, 'fast', '10', '0/10s', '-1/1s', '10/0s', '10/25h'],
    ['--api-timeout', /from 1s to 5m; give/, '35', '0s', '999ms', '5m1s', '1d', '-1s', '1e3s'],
    ['--cleanup-deadline', /from 1m to 24h; give/, '59s', '24h1s', '0'],
    ['--api-in-flight', /from 1 to 100/, '0', '101', '1.5', 'four', '0x10'],
    ['--listen', /give host:port/, '8080', ':65536', '::1:80', '[zz]:80', 'host:', 'a b:80'],
    ['--namespaces', /names of namespaces/, 'A', 'a,', '-a', 'a.b', 'a-b'.repeat(22)],
    ['--selector', /give requirements/, 'a in b', 'a in ()', '=b', 'a=b c', 'a,,b', 'a=b,', 'a>x'],
    ['--selector', /give requirements/, 'UP.com/a/b=c', `a=${'x-y'.repeat(22)}`, '!a=b'],
    ['--secret-selector', /list of labels/, 'a', 'a!=b', 'a in (b)', 'a=b,', '=b', 'a=b,a=c'],
    ['--plan-only', /true nor false/, 'yes', '1', 'True'],
    ['--leader-elect-name', /name of a Lease; give/, 'Pipe', 'a_b', '.a'],
    ['--leader-elect-namespace', /name of a namespace; give/, 'a.b', 'A'],
    ['--log-level', /give one of trace/, 'loud', 'INFO'],
    ['--kubeconfig', /can be read; check the path/, '/nowhere/config', tmpdir()],
    ['--api-ca-file', /can be read; check the path/, '/nowhere/ca.pem', tmpdir()],
    ['--api-ca-file', /certificate, or a damaged one; give/, file('empty.pem', 'x')],
  ])('%s that is wrong: flag, value, and %s', (flag, what, ...texts) => {
    const others = flag === '--api-url' ? [] : [URL_FLAG];
    for (const text of texts) {
      const [problem = '', ...more] = refused([...others, `${flag}=${text}`]);
      expect(more, problem).toEqual([]);
      expect(problem.startsWith(`${flag}: "`), problem).toBe(true);
      expect(problem).toMatch(what);
      expect(problem).not.toContain('hunter22');
    }
  });

  it.each(['socks5://h:1', 'http://bob:hunter/22@h:1', 'http://bob:1#hunter22@h:1'])(
    'a proxy %s',
    (text) => {
      for (const name of ['https_proxy', 'HTTP_PROXY']) {
        const [problem, ...more] = refused([URL_FLAG], { [name]: text, NO_PROXY: '*', http: 'x' });
        expect(more).toEqual([]);
        expect(problem).toMatch(
          RegExp(`^${name}: ".* write it like http://proxy.example.com:3128`),
        );
        expect(problem).not.toMatch(/hunter|22/);
      }
    },
  );
});

describe('the name of the Lease', () => {
  it.each([
    ['--selector=a=1,b in (x,y)', '--selector=b in (y, x,x) , a==1,a=1'],
    ['--namespaces=x,y', '--namespaces=y,x,y'],
  ])('%s and %s are one shard', (one, other) => {
    expect(accepted([one]).leaderElectName).toBe(accepted([other]).leaderElectName);
  });

  // After an update that changes one, the old process and the new one would both work.
  it.each([
    ['pipewright', []],
    ['pipewright-642bf600', ['--namespaces=ingest,audit,data']],
    ['pipewright-693e70c7', ['--selector=team=data', '--namespaces=data,ingest']],
  ])('is %s with %j', (name, flags) => {
    expect(accepted(flags).leaderElectName).toBe(name);
  });
});
