import { createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import type { ApiClientOptions } from '../../src/api/call.ts';
import { selfSigned } from '../simulator/certificate.ts';
import {
  client,
  httpApi,
  listening,
  proxyWith,
  put,
  rawApi,
  tlsApi,
  useProxy,
} from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';

/** Names that only the proxy can look up; what is on loopback goes through none. */
const HTTP_API = 'http://api.test:8443';
const TLS_API = 'https://192.0.2.7:8443';
const identity = selfSigned({ address: ['192.0.2.7', '127.0.0.1'] });
const CA = { ca: identity.cert };

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"result":{}}';

/** An API behind the name, and how a proxy gets to it. */
async function apiAt(base: string) {
  const seen: [string, object][] = [];
  if (base === TLS_API) {
    const api = await tlsApi(identity);
    return { seen: api.seen, route: () => api.host };
  }
  const url = await httpApi((request, response) => {
    seen.push([request.httpVersion, request.headers]);
    response.end('{"result":{"x":1}}');
  });
  return { seen, route: () => new URL(url).host };
}

const BOTH = [HTTP_API, TLS_API];

describe.each(BOTH)('to %s', (base) => {
  test.each([
    ['http', {}],
    ['https', { tls: identity }],
  ])('through a proxy with %s: by tunnels, which calls share', async (_, options) => {
    const { seen, route } = await apiAt(base);
    const proxy = await proxyWith({ ...options, route });
    const api = client(base, CA);
    for (let i = 0; i < 10; i++)
      expect(await api.call(put)).toMatchObject({ httpStatus: 200, result: { x: 1 } });
    expect(seen).toHaveLength(10);
    for (const [version, headers] of seen) {
      expect(version).toBe('1.1');
      expect(headers).toMatchObject({ host: new URL(base).host });
      expect(headers).not.toHaveProperty('proxy-authorization');
    }
    expect(proxy.asked.length).toBeLessThanOrEqual(2);
    for (const { authority, headers } of proxy.asked) {
      expect(authority).toBe(new URL(base).host);
      expect(headers).not.toHaveProperty('authorization');
    }
    expect(proxy.forwarded).toEqual([]);
    expect(proxy.passed().includes('aWQ6c2VjcmV0')).toBe(base === HTTP_API);
  });

  test('leave to send is asked for when the tunnel stands; without it the next call has that', async () => {
    const opened = Promise.withResolvers<void>();
    const { seen, route } = await apiAt(base);
    const proxy = await proxyWith({ before: () => opened.promise, route });
    const asked: string[] = [];
    const begin = () => (asked.push('begin'), false);
    const api = client(base, CA);
    const call = api.call({ ...put, begin });
    await eventually(() => expect(proxy.asked).toHaveLength(1));
    expect(asked).toEqual([]);
    opened.resolve();
    expect(await call).toMatchObject({ sent: false, calledOff: true });
    expect([asked, seen]).toEqual([['begin'], []]);
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(proxy.asked).toHaveLength(1);
  });

  test('a tunnel that ends as soon as it stands ends the call', async () => {
    const proxy = await proxyWith({
      instead: (_, socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n', () => socket.destroy()),
    });
    const cause = `${new URL(base).host} closed the connection before it answered`;
    expect(await client(base, CA).call(put)).toMatchObject({ answered: false, cause });
    expect(proxy.asked).toHaveLength(1);
  });
});

test('an API on loopback is called without a proxy', async () => {
  useProxy('http://127.0.0.1:1');
  const base = await httpApi((_, response) => response.end('{}'));
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await client(base.replace('127.0.0.1', host)).call(put)).toMatchObject({
      httpStatus: 200,
    });
});

test('user name and password of its URL go to the proxy and nowhere else', async () => {
  const { seen, route } = await apiAt(HTTP_API);
  const proxy = await proxyWith({ route });
  useProxy(proxy.url.replace('//', '//corp%5Cmailman:s%40fe-canary@'));
  await client(HTTP_API).call(put);
  const pair = Buffer.from('corp\\mailman:s@fe-canary').toString('base64');
  expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${pair}`);
  expect(JSON.stringify(seen)).not.toMatch(new RegExp(`canary|${pair}`));
});

describe('at most one request', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.destroy()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('arrives where the API %s as it reads it', async (_, leave) => {
    let arrivals = 0;
    const api = await rawApi((socket, count) => {
      arrivals++;
      if (count === 1) socket.write(OK);
      else leave(socket);
    });
    await proxyWith({ route: () => new URL(api).host });
    const calls = client(HTTP_API);
    expect(await calls.call(put)).toMatchObject({ httpStatus: 200 });
    const cause = 'api.test:8443 closed the connection before it answered';
    const lost = { answered: false, sent: true, cause };
    expect(await calls.call({ ...put, method: 'GET' })).toEqual(lost);
    expect(arrivals).toBe(2);
  });

  test('arrives where the proxy is restarted meanwhile', async () => {
    let arrivals = 0;
    const api = await rawApi(() => {
      arrivals++;
      proxy.cutTunnels();
    });
    const proxy = await proxyWith({ route: () => new URL(api).host });
    expect(await client(HTTP_API).call(put)).toMatchObject({ answered: false, sent: true });
    expect(arrivals).toBe(1);
  });
});

describe('a proxy that opens no tunnel', () => {
  /** The cause of a call that never left: it names no password, and leave was not asked for. */
  async function refused(more: Partial<ApiClientOptions> = {}): Promise<string> {
    const begin = (): boolean => {
      throw new Error('leave was asked for without a tunnel');
    };
    const reply = await client(HTTP_API, more).call({ ...put, begin });
    const told = reply.answered ? '' : reply.cause;
    expect(reply).toEqual({ answered: false, sent: false, cause: told });
    expect(told).not.toMatch(/canary|mailman/);
    return told;
  }
  const KEY = 'mailman:canary-password@';
  const answering = (status: number) => (_: unknown, socket: Duplex) =>
    Boolean(socket.end(`HTTP/1.1 ${status} X\r\ncontent-length: 4\r\n\r\nnope`));

  test.each([201, 403, 404, 407, 502, 504])('but answers %i', async (status) => {
    const proxy = await proxyWith({ instead: answering(status) });
    useProxy(proxy.url.replace('//', `//${KEY}`));
    const told = await refused();
    expect(told).toContain(
      `the proxy opened no tunnel to api.test:8443 (Proxy response (${status})`,
    );
    expect(told).toContain('a user name and password in its URL');
    expect(proxy.asked).toHaveLength(1);
  });

  test('but refuses the connection', async () => {
    useProxy(`http://${KEY}127.0.0.1:1`);
    expect(await refused()).toBe('connection refused by the proxy http://127.0.0.1:1');
  });

  test('but has a name that does not exist', async () => {
    useProxy(`http://${KEY}nothing.invalid:3128`);
    expect(await refused()).toMatch(/the proxy http:\/\/nothing\.invalid:3128/);
  });

  test('but closes the connection', async () => {
    const proxy = await proxyWith({ instead: (_, socket) => Boolean(socket.destroy()) });
    expect(await refused()).toBe(`the proxy ${proxy.url} closed the connection before it answered`);
    expect(proxy.asked, 'asked once, not for ever').toHaveLength(1);
  });

  test('but speaks something else', async () => {
    const server = createServer((socket) => socket.resume().end('SSH-2.0-OpenSSH_9.6\r\n\r\n'));
    const url = `http://${await listening(server)}`;
    useProxy(url);
    expect(await refused()).toBe(`the proxy ${url} answered with something that is not HTTP`);
  });

  test.each<[string, string, boolean, string]>([
    [
      'nobody vouches for',
      '127.0.0.1',
      false,
      'is not signed by a trusted CA (DEPTH_ZERO_SELF_SIGNED_CERT); name its CA with --api-ca-file',
    ],
    ['is for another address', '127.0.0.9', true, 'is for another host name'],
  ])('but has a certificate that %s', async (_, address, trusted, words) => {
    const tls = selfSigned({ address });
    const { url } = await proxyWith({ tls });
    const told = await refused(trusted ? { ca: tls.cert } : {});
    expect(told).toBe(`the TLS certificate of the proxy ${url} ${words}`);
  });

  test('but says nothing is given up in about the time for a connection, and nothing is sent later', async () => {
    const left = Promise.withResolvers<void>();
    const instead = (_: unknown, socket: Duplex): boolean => {
      socket.resume().once('end', left.resolve);
      return true;
    };
    const proxy = await proxyWith({ instead });
    const cause = `no answer from the proxy ${proxy.url} within 3s`;
    expect(await refused({ timeoutMs: 8_000 })).toBe(cause);
    await left.promise;
    expect([proxy.asked.length, proxy.passed()]).toEqual([1, '']);
  });

  test('but takes its time: the deadline of the call ends it, and nothing is sent later', async () => {
    const opened = Promise.withResolvers<void>();
    const { route, seen } = await apiAt(HTTP_API);
    const proxy = await proxyWith({ before: () => opened.promise, route });
    const begin = vi.fn<() => boolean>(() => true);
    const api = client(HTTP_API, { timeoutMs: 200 });
    const cause = 'no answer within 0.2s';
    expect(await api.call({ ...put, begin })).toEqual({ answered: false, sent: false, cause });
    opened.resolve();
    await eventually(() => expect(proxy.asked).toHaveLength(1));
    expect(await client(HTTP_API).call(put)).toMatchObject({ httpStatus: 200 });
    expect(seen).toHaveLength(1);
    expect(begin).not.toHaveBeenCalled();
  });
});
