import fc from 'fast-check';
import { Client, EnvHttpProxyAgent } from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { readProxy } from '../../src/config/proxy-environment.ts';

afterEach(() => vi.unstubAllEnvs());

const chosen = (
  env: Record<string, string>,
  target = 'https://api.example.com',
): string | undefined => {
  const reading = readProxy(env, new URL(target));
  return 'value' in reading ? reading.value?.href : reading.problem;
};

describe('the proxy for an address', () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ['none without a variable', {}, undefined],
    [
      'HTTPS_PROXY for https',
      { HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://h:1' },
      'http://s:1/',
    ],
    ['HTTP_PROXY where there is no other', { HTTP_PROXY: 'http://h:1' }, 'http://h:1/'],
    [
      'lower case before upper case',
      { https_proxy: 'http://low:1', HTTPS_PROXY: 'http://up:1' },
      'http://low:1/',
    ],
    [
      'none by an empty one in lower case',
      { https_proxy: '', HTTPS_PROXY: 'http://up:1' },
      undefined,
    ],
    ['with TLS to itself', { HTTPS_PROXY: 'https://s:1' }, 'https://s:1/'],
    ['without a scheme', { HTTPS_PROXY: 'proxy.corp:3128' }, 'http://proxy.corp:3128/'],
    [
      'with credentials, without a scheme',
      { HTTPS_PROXY: 'u:p@proxy.corp:3128' },
      'http://u:p@proxy.corp:3128/',
    ],
    [
      'none by NO_PROXY',
      { HTTPS_PROXY: 'http://s:1', NO_PROXY: 'other.test, .example.com' },
      undefined,
    ],
    [
      'none by NO_PROXY, whatever the other says',
      { HTTPS_PROXY: 'socks5://s:1', no_proxy: '*' },
      undefined,
    ],
  ])('is %s', (_, env, proxy) => {
    expect(chosen(env)).toBe(proxy);
  });

  test('is HTTP_PROXY alone for http', () => {
    const env = { HTTPS_PROXY: 'http://s:1' };
    expect(chosen(env, 'http://api.example.com')).toBeUndefined();
    expect(chosen({ ...env, HTTP_PROXY: 'http://h:1' }, 'http://api.example.com')).toBe(
      'http://h:1/',
    );
  });

  test.each(['http://127.0.0.1:8443', 'https://localhost', 'https://[::1]:8443'])(
    'is none for %s',
    (target) => {
      expect(
        chosen({ HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'http://h:1' }, target),
      ).toBeUndefined();
    },
  );
});

/** What undici's own agent does with a request: the origin of the proxy it asks, or undefined. */
async function asUndici(target: string): Promise<string | undefined> {
  let asked: string | undefined;
  class Spy extends Client {
    override connect(): never {
      asked = new URL(this.#url).origin;
      throw new Error('seen');
    }
    readonly #url: string;
    constructor(url: URL) {
      super(url);
      this.#url = url.href;
    }
  }
  const agent = new EnvHttpProxyAgent({
    proxyTunnel: true,
    clientFactory: (url) => new Spy(url),
    connect: (_, callback) => callback(new Error('direct'), null),
  });
  await agent.request({ origin: target, path: '/', method: 'GET' }).catch(() => undefined);
  await agent.destroy();
  return asked;
}

test("is the one that undici's EnvHttpProxyAgent takes, whatever the variables say", async () => {
  const host = fc.constantFrom(
    'api.example.com',
    'example.com',
    'com',
    'pi.example.com',
    'API.Example.com',
    'x.y.',
    '::2',
  );
  const entry = fc
    .tuple(
      fc.constantFrom('', '.', '*.', '*'),
      host,
      fc.constantFrom('', ':443', ':80', ':8443', '.'),
    )
    .map((parts) => parts.join(''));
  const special = fc.constantFrom(
    '*',
    '*:443',
    '*:80',
    '10.0.0.0/8',
    '10.1.2.3',
    '[fd00::2]',
    '[fd00::2]:443',
    'fd00::2',
  );
  const noProxy = fc
    .tuple(
      fc.array(fc.oneof(entry, special), { maxLength: 3 }),
      fc.constantFrom(',', ' ', ', ', '\n'),
    )
    .map(([entries, separator]) => entries.join(separator));
  const variables = fc.record(
    {
      https_proxy: fc.constantFrom('', 'http://low-s:1'),
      HTTPS_PROXY: fc.constantFrom('', 'http://up-s:1'),
      http_proxy: fc.constantFrom('', 'http://low-h:1'),
      HTTP_PROXY: fc.constantFrom('', 'https://up-h:1'),
      no_proxy: noProxy,
      NO_PROXY: noProxy,
    },
    { requiredKeys: [] },
  );
  const target = fc
    .tuple(
      fc.constantFrom('http://', 'https://'),
      fc.constantFrom(
        'api.example.com',
        'example.com',
        'api.example.com.',
        '10.1.2.3',
        '[fd00::2]',
        'x.y',
      ),
      fc.constantFrom('', ':8443', ':80'),
    )
    .map((parts) => parts.join(''));
  const NAMES = [
    'https_proxy',
    'HTTPS_PROXY',
    'http_proxy',
    'HTTP_PROXY',
    'no_proxy',
    'NO_PROXY',
  ] as const;
  await fc.assert(
    fc.asyncProperty(variables, target, async (env, address) => {
      for (const name of NAMES) vi.stubEnv(name, env[name]);
      const reading = readProxy(env, new URL(address));
      expect('value' in reading ? reading.value?.origin : reading).toBe(await asUndici(address));
    }),
    { seed: 7, numRuns: 600 },
  );
}, 60_000);

describe('a proxy that cannot be used stops the start', () => {
  const refusal = (env: Record<string, string>): string => {
    const parsed = parseConfig({ argv: ['--api-url=https://api.example.com'], env, version: '0' });
    expect(parsed).toMatchObject({ ok: false, exitCode: 2 });
    return parsed.ok ? '' : (parsed.message.split('\n')[1]?.trim() ?? '');
  };
  const EXAMPLE = 'write it like http://proxy.example.com:3128';
  const NO_URL = `is not the URL of a proxy; ${EXAMPLE}, with the special characters of a password percent-encoded`;
  const TOO_LONG = `must end with the port, and the special characters of a password be percent-encoded; ${EXAMPLE}`;

  test.each([
    ['http://', `"http://" ${NO_URL}`],
    ['http://proxy:99999', `"http://proxy:99999" ${NO_URL}`],
    [
      'socks5://proxy:1080',
      '"socks5://proxy:1080" has the scheme socks5, which is not supported; use an http or https proxy',
    ],
    ['http://proxy:3128/proxy.pac', `"http://proxy:3128/proxy.pac" ${TOO_LONG}`],
    ['http://proxy:3128?a=b', `"http://proxy:3128?…" ${TOO_LONG}`],
    ['http://me:canary@proxy:99999', `"http://***@proxy:99999" ${NO_URL}`],
    ['http://me:can%ary@proxy:3128', `"http://***@proxy:3128" ${NO_URL}`],
    ['http://me:can/ary@proxy:3128', `"http://***@proxy:3128" ${NO_URL}`],
    ['http://me:12/canary@proxy:3128', `"http://***@proxy:3128" ${TOO_LONG}`],
    ['http://me:12#canary@proxy:3128', `"http://***@proxy:3128" ${TOO_LONG}`],
    ['http://me:can@ary@proxy:99999', `"http://***@proxy:99999" ${NO_URL}`],
    ['me:canary@proxy:99999', `"***@proxy:99999" ${NO_URL}`],
  ])('%s', (value, problem) => {
    expect(refusal({ https_proxy: value })).toBe(`https_proxy: ${problem}`);
    expect(refusal({ HTTP_PROXY: value })).toBe(`HTTP_PROXY: ${problem}`);
  });

  test('and one that would not be used does not', () => {
    const env = { HTTPS_PROXY: 'http://s:1', HTTP_PROXY: 'nonsense://' };
    const parsed = parseConfig({ argv: ['--api-url=https://api.example.com'], env, version: '0' });
    expect(parsed).toMatchObject({ ok: true, config: { apiProxy: new URL('http://s:1') } });
  });
});
