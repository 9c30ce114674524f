import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ApiClientOptions, type ApiRequest, createApiClient, type Reply } from '../../src/api/client.ts';
import { proxySecrets, tunnelThrough } from '../../src/api/proxy.ts';
import { systemClock } from '../../src/clock.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { type ConnectProxy, type ConnectProxyOptions, startConnectProxy } from '../support/connect-proxy.ts';
import { answerText, type RawServer, startRawServer } from '../support/raw-server.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const identity = selfSigned();
const OK = answerText(200, '{"result":{"x":1}}');

async function proxyWith(options: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(options);
  cleanups.push(() => proxy.stop());
  return proxy;
}

async function rawApi(answer: (socket: Socket, count: number) => void): Promise<RawServer> {
  const server = await startRawServer((_, socket) => answer(socket, server.requests.length));
  cleanups.push(() => server.stop());
  return server;
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/** An API over http, or over TLS as one that would rather speak HTTP/2. */
async function realApi(scheme: string): Promise<{ base: string; seen: IncomingHttpHeaders[]; versions: string[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const versions: string[] = [];
  const answer = (
    request: { httpVersion: string; headers: IncomingHttpHeaders },
    response: { end(text: string): unknown },
  ): void => {
    seen.push(request.headers);
    versions.push(request.httpVersion);
    response.end('{"result":{"x":1}}');
  };
  const server =
    scheme === 'http' ? createHttpServer(answer) : createSecureServer({ ...identity, allowHTTP1: true }, answer);
  return { base: `${scheme}://127.0.0.1:${await listening(server)}`, seen, versions };
}

const put: ApiRequest = {
  operation: 'put-settings',
  method: 'PUT',
  path: ['v1', 'pipes'],
  body: '{"a":1}',
  credential: { id: 'c', authorization: 'Basic aWQ6c2VjcmV0', mask: (text) => text },
};

function client(base: string, proxy: string, more: Partial<ApiClientOptions> = {}) {
  const made = createApiClient({
    baseUrl: new URL(base),
    proxy: new URL(proxy),
    ca: identity.cert,
    timeoutMs: 5_000,
    clock: systemClock,
    version: '1.2.3',
    mayStart: () => true,
    ...more,
  });
  cleanups.push(() => made.close());
  return made;
}

describe.each(['http', 'https'])('to an API with %s', (scheme) => {
  test.each([
    ['http', {}],
    ['https', { tls: identity }],
  ])('through a proxy with %s: calls share a tunnel, and the proxy is asked for nothing else', async (_, options) => {
    const proxy = await proxyWith(options);
    const { base, seen, versions } = await realApi(scheme);
    const api = client(base, proxy.url);
    for (let i = 0; i < 10; i++) expect(await api.call(put)).toMatchObject({ httpStatus: 200, result: { x: 1 } });
    expect(new Set(versions)).toEqual(new Set(['1.1']));
    expect(seen).toHaveLength(10);
    expect(seen[0]).not.toHaveProperty('proxy-authorization');
    expect(new Set(proxy.asked.map(({ authority }) => authority))).toEqual(new Set([new URL(base).host]));
    expect(proxy.asked.length).toBeLessThanOrEqual(2);
    expect(proxy.asked[0]?.headers).toMatchObject({ host: new URL(base).host });
    expect(proxy.asked[0]?.headers).not.toHaveProperty('authorization');
    expect(proxy.forwarded).toEqual([]);
  });
});

test('through https the proxy sees neither the key nor what is sent', async () => {
  const proxy = await proxyWith();
  const { base } = await realApi('https');
  await client(base, proxy.url).call(put);
  expect(proxy.passed()).not.toMatch(/aWQ6c2VjcmV0|pipes/);
});

test('user name and password of its URL go to the proxy and nowhere else', async () => {
  const proxy = await proxyWith();
  const { base, seen } = await realApi('http');
  const withKey = proxy.url.replace('//', '//mailman:s%40fe-canary@');
  await client(base, withKey).call(put);
  const pair = Buffer.from('mailman:s@fe-canary').toString('base64');
  expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${pair}`);
  expect(JSON.stringify(seen)).not.toMatch(new RegExp(`canary|${pair}`));
  expect(proxySecrets(new URL(withKey))).toEqual(['s%40fe-canary', 's@fe-canary', `Basic ${pair}`]);
  expect(proxySecrets(new URL(proxy.url))).toEqual([]);
});

describe('at most one request', () => {
  test.each([
    ['closes', (socket: Socket) => socket.destroy()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('arrives where the API %s as it reads it', async (_, leave) => {
    const proxy = await proxyWith();
    const api = await rawApi((socket, count) => (count === 1 ? socket.write(OK) : leave(socket)));
    const calls = client(api.url, proxy.url);
    expect(await calls.call(put)).toMatchObject({ httpStatus: 200 });
    const cause = `${new URL(api.url).host} through the proxy ${proxy.url} closed the connection before it answered`;
    expect(await calls.call({ ...put, method: 'GET' })).toEqual({ answered: false, sent: true, cause });
    expect(api.requests).toHaveLength(2);
  });

  test('arrives where the proxy is restarted meanwhile', async () => {
    const proxy = await proxyWith();
    const api = await rawApi(() => proxy.cutTunnels());
    expect(await client(api.url, proxy.url).call(put)).toMatchObject({ answered: false, sent: true });
    expect(api.requests).toHaveLength(1);
  });

  test('arrives per call where each tunnel is closed while it is idle', async () => {
    const proxy = await proxyWith();
    const api = await rawApi((socket) => {
      socket.write(OK);
      setImmediate(() => socket.destroy());
    });
    const calls = client(api.url, proxy.url);
    for (let i = 0; i < 30; i++) await calls.call(put);
    expect(api.requests).toHaveLength(30);
  });

  test('and a redirect is not followed', async () => {
    const proxy = await proxyWith();
    const api = await rawApi((socket) => socket.write(answerText(307, '', { location: 'http://elsewhere.test/' })));
    const reply = await client(api.url, proxy.url).call(put);
    expect(reply).toMatchObject({ httpStatus: 307, redirectHost: 'elsewhere.test' });
    expect(proxy.asked).toHaveLength(1);
  });
});

describe('leave to send', () => {
  test.each(['http', 'https'])('is asked for when the tunnel stands, over %s', async (scheme) => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const proxy = await proxyWith({ before: () => opened });
    const { base, seen } = await realApi(scheme);
    const asked: string[] = [];
    const call = client(base, proxy.url).call({ ...put, begin: () => asked.push('begin') > 0 });
    await vi.waitFor(() => expect(proxy.asked).toHaveLength(1), { timeout: 30_000 });
    expect(asked).toEqual([]);
    open();
    expect(await call).toMatchObject({ httpStatus: 200 });
    expect(asked).toEqual(['begin']);
    expect(seen).toHaveLength(1);
  });

  test('where it is not given nothing is sent, and the tunnel serves the next call', async () => {
    const proxy = await proxyWith();
    const { base, seen } = await realApi('https');
    const api = client(base, proxy.url);
    expect(await api.call({ ...put, begin: () => false })).toMatchObject({ sent: false, aborted: 'not-permitted' });
    expect(seen).toEqual([]);
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(proxy.asked).toHaveLength(1);
  });
});

const API = 'http://api.test:8443';
const TUNNEL = 'to the request for a tunnel to api.test:8443';
const KEY = 'mailman:canary-password@';

describe('a proxy that opens no tunnel', () => {
  const answering = (status: number) => (_: unknown, socket: NodeJS.WritableStream) => {
    socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: 4\r\n\r\nnope`);
    return true;
  };

  test.each([
    [403, '', ': its rules do not allow this address'],
    [404, '', ''],
    [407, '', ': it wants a user name and password; put them into its URL, as in http://user:password@host:port'],
    [407, KEY, ': it does not take the user name and password of its URL'],
    [502, '', ': it could not reach this address'],
    [504, KEY, ': it could not reach this address'],
  ])('but answers %i %s', async (status, key, advice) => {
    const proxy = await proxyWith({ instead: answering(status) });
    const told = await refused(proxy.url.replace('//', `//${key}`));
    expect(told).toBe(`the proxy ${proxy.url} answered ${status} ${TUNNEL}${advice}`);
    expect(proxy.asked).toHaveLength(1);
  });

  test('but refuses the connection', async () => {
    const told = await refused(`http://${KEY}127.0.0.1:1`);
    expect(told).toBe('connection refused by the proxy http://127.0.0.1:1');
  });

  test('but has a name that does not exist', async () => {
    const told = await refused(`http://${KEY}nothing.invalid:3128`);
    expect(told).toMatch(/the proxy http:\/\/nothing\.invalid:3128|for the proxy http:\/\/nothing\.invalid:3128/);
  });

  test('but closes the connection', async () => {
    const proxy = await proxyWith({ instead: (_, socket) => Boolean(socket.destroy()) });
    expect(await refused(proxy.url)).toBe(`the proxy ${proxy.url} closed the connection before it answered`);
    expect(proxy.asked, 'asked once, not for ever').toHaveLength(1);
  });

  test('but speaks something else', async () => {
    const server = createServer((socket) => {
      socket.resume().on('error', () => socket.destroy());
      socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n');
    });
    const url = `http://127.0.0.1:${await listening(server)}`;
    expect(await refused(url)).toBe(`the proxy ${url} answered with something that is not HTTP`);
  });

  test('but has a certificate that nobody vouches for', async () => {
    const proxy = await proxyWith({ tls: selfSigned() });
    const cause = `the TLS certificate of the proxy ${proxy.url} is not signed by a trusted CA (DEPTH_ZERO_SELF_SIGNED_CERT); name its CA with --api-ca-file`;
    expect(await refused(proxy.url)).toBe(cause);
  });

  test('but has a certificate for another address', async () => {
    const other = selfSigned({ address: '127.0.0.9' });
    const proxy = await proxyWith({ tls: other });
    const cause = `the TLS certificate of the proxy ${proxy.url} is for another host name`;
    expect(await refused(proxy.url, { ca: other.cert })).toBe(cause);
  });

  test('but does not answer is waited for no longer than a connection', async () => {
    const proxy = await proxyWith({ instead: () => true });
    const connect = tunnelThrough(new URL(proxy.url), { connectTimeoutMs: 100 });
    const target = { hostname: 'api.test', port: '', protocol: 'https:' };
    const error = await new Promise((resolve) => connect(target, (...[failure]) => resolve(failure)));
    expect(error).toMatchObject({ message: `no answer from the proxy ${proxy.url} within 0.1s` });
    expect(proxy.asked).toMatchObject([{ authority: 'api.test:443' }]);
  });

  test('but does not answer: the deadline of the call ends it, and nothing is sent later', async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const proxy = await proxyWith({ before: () => opened });
    const { base, seen } = await realApi('http');
    const api = client(base, proxy.url, { timeoutMs: 1_000 });
    const reply = await api.call(put);
    expect(reply).toMatchObject({ answered: false, sent: false });
    expect(reply).toMatchObject({ cause: expect.stringMatching(/^no answer (from the proxy \S+ )?within 1s$/) });
    open();
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(seen).toHaveLength(1);
  });
});

/** The cause of a call that never left: it names no password, and leave was not asked for. */
async function refused(proxy: string, more: Partial<ApiClientOptions> = {}): Promise<string> {
  const mayStart = (): boolean => {
    throw new Error('leave was asked for without a tunnel');
  };
  const reply: Reply = await client(API, proxy, { mayStart, ...more }).call(put);
  const told = reply.answered ? '' : reply.cause;
  expect(reply).toEqual({ answered: false, sent: false, cause: told });
  expect(told).not.toMatch(/canary|mailman/);
  return told;
}

describe('behind a tunnel', () => {
  test('a certificate that nobody vouches for is told with the proxy, which may have put it there', async () => {
    const proxy = await proxyWith();
    const { base } = await realApi('https');
    const reply = await client(base, proxy.url, { ca: selfSigned().cert }).call(put);
    expect(reply).toMatchObject({
      sent: false,
      cause: expect.stringMatching(
        /^the TLS certificate of 127\.0\.0\.1:\d+ through the proxy http:\/\/127\.0\.0\.1:\d+ is not signed/,
      ),
    });
  });

  test.each(['http', 'https'])('an end right after its beginning ends the call, over %s', async (scheme) => {
    const proxy = await proxyWith({
      instead: (_, socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n', () => socket.destroy());
        return true;
      },
    });
    const reply = await client(`${scheme}://api.test:8443`, proxy.url).call(put);
    expect(reply).toMatchObject({
      answered: false,
      cause: expect.stringMatching(/^api\.test:8443 through the proxy .* closed the connection before it answered$/),
    });
  });
});
