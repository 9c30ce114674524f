import { createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { selfSigned } from '../simulator/certificate.ts';
import { eventually } from '../support/eventually.ts';
import { BASIC, client, get, put } from './api/client.ts';
import { httpApi, listening, OK, proxyWith, rawApi, tlsApi, useProxy } from './api/servers.ts';

/** Names that only the proxy can look up; what is on loopback goes through none. */
const HTTP_API = 'http://api.test:8443';
const TLS_API = 'https://192.0.2.7:8443';
const identity = selfSigned({ address: ['192.0.2.7', '127.0.0.1'] });
const TRUSTED = { ca: identity.cert };

/** An API behind the name: how a proxy gets to it, and the headers that have arrived. */
async function apiAt(base: string) {
  if (base === TLS_API) {
    const { host, seen } = await tlsApi(identity);
    return { route: () => host, arrived: () => seen };
  }
  const { base: url, seen } = await httpApi();
  const arrived = () => seen.map(({ request }) => request.headers);
  return { route: () => new URL(url).host, arrived };
}

describe.each([HTTP_API, TLS_API])('to %s', (base) => {
  it.each([
    ['http', {}],
    ['https', { tls: identity }],
  ])('through a proxy with %s: by tunnels, which calls share', async (_, options) => {
    const { arrived, route } = await apiAt(base);
    const proxy = await proxyWith({ ...options, route });
    const api = client(base, TRUSTED);
    for (let nth = 0; nth < 10; nth += 1)
      expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(arrived()).toHaveLength(10);
    for (const headers of arrived()) {
      expect(headers).toMatchObject({ host: new URL(base).host });
      expect(headers).not.toHaveProperty('proxy-authorization');
    }
    expect(proxy.asked.length).toBeLessThan(10);
    for (const { authority, headers } of proxy.asked) {
      expect(authority).toBe(new URL(base).host);
      expect(headers).not.toHaveProperty('authorization');
    }
    expect(proxy.forwarded).toEqual([]);
    expect(proxy.passed().includes(BASIC)).toBe(base === HTTP_API);
  });

  it('leave to send is asked for when the tunnel stands; without it the next call has that', async () => {
    const opened = Promise.withResolvers<void>();
    const { arrived, route } = await apiAt(base);
    const proxy = await proxyWith({ before: () => opened.promise, route });
    const begin = vi.fn<() => boolean>(() => false);
    const api = client(base, TRUSTED);
    const call = api.call({ ...put, begin });
    await eventually(() => expect(proxy.asked).toHaveLength(1));
    expect(begin).not.toHaveBeenCalled();
    opened.resolve();
    expect(await call).toMatchObject({ sent: false, calledOff: true });
    expect(begin).toHaveBeenCalledTimes(1);
    expect(arrived()).toEqual([]);
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
  });

  it('a tunnel that ends as soon as it stands ends the call', async () => {
    const proxy = await proxyWith({
      instead: (_, socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n', () => socket.destroy()),
    });
    const cause = `${new URL(base).host} closed the connection before it answered`;
    expect(await client(base, TRUSTED).call(put)).toMatchObject({ answered: false, cause });
    expect(proxy.asked).toHaveLength(1);
  });
});

it('an API on loopback is called without a proxy', async () => {
  useProxy('http://127.0.0.1:1');
  const { base } = await httpApi();
  for (const host of ['127.0.0.1', 'localhost']) {
    const reply = await client(base.replace('127.0.0.1', host)).call(put);
    expect(reply).toMatchObject({ httpStatus: 200 });
  }
});

it('user name and password of its URL go to the proxy and nowhere else', async () => {
  const { arrived, route } = await apiAt(HTTP_API);
  const proxy = await proxyWith({ route });
  useProxy(proxy.url.replace('//', '//corp%5Cmailman:s%40fe-canary@'));
  await client(HTTP_API).call(put);
  const pair = btoa('corp\\mailman:s@fe-canary');
  expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(`Basic ${pair}`);
  expect(arrived()).toHaveLength(1);
  expect(JSON.stringify(arrived())).not.toMatch(new RegExp(`canary|${pair}`));
});

describe('at most one request arrives', () => {
  it('where the API closes as it reads the second on a tunnel', async () => {
    let arrivals = 0;
    const api = await rawApi((socket, count) => {
      arrivals += 1;
      if (count === 1) socket.write(OK);
      else socket.destroy();
    });
    await proxyWith({ route: () => new URL(api).host });
    const calls = client(HTTP_API);
    expect(await calls.call(put)).toMatchObject({ httpStatus: 200 });
    const cause = 'api.test:8443 closed the connection before it answered';
    expect(await calls.call(get)).toEqual({ answered: false, sent: true, cause });
    expect(arrivals).toBe(2);
  });

  it('where the proxy is restarted meanwhile', async () => {
    let arrivals = 0;
    const api = await rawApi(() => {
      arrivals += 1;
      proxy.cutTunnels();
    });
    const proxy = await proxyWith({ route: () => new URL(api).host });
    expect(await client(HTTP_API).call(put)).toMatchObject({ answered: false, sent: true });
    expect(arrivals).toBe(1);
  });
});

describe('a proxy that opens no tunnel', () => {
  const KEY = 'mailman:canary-password@';

  /** The cause of a call that never left: it names no password, and leave was not asked for. */
  async function refused(more: Parameters<typeof client>[1] = {}): Promise<string> {
    const begin = vi.fn<() => boolean>(() => true);
    const reply = await client(HTTP_API, more).call({ ...put, begin });
    const cause = reply.answered ? '' : reply.cause;
    expect(reply).toEqual({ answered: false, sent: false, cause });
    expect(begin).not.toHaveBeenCalled();
    expect(cause).not.toMatch(/canary|mailman/);
    return cause;
  }

  it.each([201, 403, 407, 502])('but answers %i', async (status) => {
    const answer = `HTTP/1.1 ${status} X\r\ncontent-length: 4\r\n\r\nnope`;
    const proxy = await proxyWith({ instead: (_, socket) => Boolean(socket.end(answer)) });
    useProxy(proxy.url.replace('//', `//${KEY}`));
    const cause = await refused();
    const words = `the proxy opened no tunnel to api.test:8443 (Proxy response (${status})`;
    expect(cause).toContain(words);
    expect(cause).toContain('a user name and password in its URL');
    expect(proxy.asked).toHaveLength(1);
  });

  it('but refuses the connection', async () => {
    useProxy(`http://${KEY}127.0.0.1:1`);
    expect(await refused()).toBe('connection refused by the proxy http://127.0.0.1:1');
  });

  it('but has a name that does not exist', async () => {
    useProxy(`http://${KEY}nothing.invalid:3128`);
    expect(await refused()).toMatch(/the proxy http:\/\/nothing\.invalid:3128/);
  });

  it('but closes the connection', async () => {
    const proxy = await proxyWith({ instead: (_, socket) => Boolean(socket.destroy()) });
    expect(await refused()).toBe(`the proxy ${proxy.url} closed the connection before it answered`);
    expect(proxy.asked).toHaveLength(1);
  });

  it('but speaks something else', async () => {
    const server = createServer((socket) => socket.resume().end('SSH-2.0-OpenSSH_9.6\r\n\r\n'));
    const url = `http://${await listening(server)}`;
    useProxy(url);
    expect(await refused()).toBe(`the proxy ${url} answered with something that is not HTTP`);
  });

  it('but has a certificate for another address', async () => {
    const tls = selfSigned({ address: '127.0.0.9' });
    const { url } = await proxyWith({ tls });
    const words = 'is for another host name';
    expect(await refused({ ca: tls.cert })).toBe(
      `the TLS certificate of the proxy ${url} ${words}`,
    );
  });

  it('but says nothing is given up after 3 s, and nothing is sent later', async () => {
    const left = Promise.withResolvers<void>();
    const instead = (_: unknown, socket: Duplex): boolean => {
      socket.resume().once('end', left.resolve);
      return true;
    };
    const proxy = await proxyWith({ instead });
    const cause = `no answer from the proxy ${proxy.url} within 3s`;
    expect(await refused({ timeoutMs: 20_000 })).toBe(cause);
    await left.promise;
    expect([proxy.asked.length, proxy.passed()]).toEqual([1, '']);
  });

  it('but takes its time: the deadline of the call ends it, and nothing is sent later', async () => {
    const opened = Promise.withResolvers<void>();
    const { route, arrived } = await apiAt(HTTP_API);
    const proxy = await proxyWith({ before: () => opened.promise, route });
    expect(await refused({ timeoutMs: 200 })).toBe('no answer within 0.2s');
    opened.resolve();
    await eventually(() => expect(proxy.asked).toHaveLength(1));
    expect(await client(HTTP_API).call(put)).toMatchObject({ httpStatus: 200 });
    expect(arrived()).toHaveLength(1);
  });
});
