import { describe, expect, it, vi } from 'vitest';
import { selfSigned } from '../../simulator/certificate.ts';
import { eventually } from '../../support/eventually.ts';
import { client, put } from './client.ts';
import { httpApi, proxyWith, useProxy } from './servers.ts';

/** A name that only the proxy can look up; what is on loopback goes through none. */
const API = 'http://api.test:8443';

/** An API behind the name, and how a proxy gets to it. */
async function hiddenApi() {
  const { base, seen } = await httpApi();
  return { seen, route: () => new URL(base).host };
}

const identity = selfSigned();

it.each([
  ['http', {}],
  ['https', { tls: identity }],
])('calls go through a proxy with %s by tunnels, which they share', async (_, options) => {
  const { seen, route } = await hiddenApi();
  const proxy = await proxyWith({ ...options, route });
  useProxy(proxy.url.replace('//', '//corp%5Cmailman:s%40fe@'));
  const api = client(API, { ca: identity.cert });
  for (let nth = 0; nth < 10; nth += 1)
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
  expect(seen).toHaveLength(10);
  expect(seen[0]?.request.headers).not.toHaveProperty('proxy-authorization');
  expect(proxy.asked.length).toBeLessThan(10);
  for (const { authority, headers } of proxy.asked) {
    expect(authority).toBe('api.test:8443');
    expect(headers).not.toHaveProperty('authorization');
    expect(headers['proxy-authorization']).toBe(`Basic ${btoa('corp\\mailman:s@fe')}`);
  }
  expect(proxy.forwarded).toEqual([]);
});

it('an API on loopback is called without a proxy', async () => {
  useProxy('http://127.0.0.1:1');
  const { base } = await httpApi();
  for (const host of ['127.0.0.1', 'localhost']) {
    const reply = await client(base.replace('127.0.0.1', host)).call(put);
    expect(reply).toMatchObject({ httpStatus: 200 });
  }
});

describe('a proxy that opens no tunnel', () => {
  /** The cause of a call that never left: it names no password, and leave was not asked for. */
  async function refused(
    proxyUrl: string,
    timeoutMs = 20_000,
    begin = vi.fn<() => boolean>(() => true),
  ) {
    useProxy(proxyUrl.replace('//', '//mailman:canary-password@'));
    const reply = await client(API, { timeoutMs }).call({ ...put, begin });
    const cause = reply.answered ? '' : reply.cause;
    expect(reply).toEqual({ answered: false, sent: false, cause });
    expect(begin).not.toHaveBeenCalled();
    expect(cause).not.toMatch(/canary|mailman/);
    return cause;
  }
  const NO_TUNNEL = 'the proxy opened no tunnel to api.test:8443 (Proxy response';

  it.each<[string, string, string]>([
    ['answers 403', 'HTTP/1.1 403 X\r\ncontent-length: 4\r\n\r\nnope', `${NO_TUNNEL} (403)`],
    ['answers 407', 'HTTP/1.1 407 X\r\n\r\n', 'check the user name and password in the URL of'],
    ['closes', '', 'the proxy PROXY closed the connection before it answered'],
    ['is none', 'SSH-2.0\r\n\r\n', 'PROXY answered with something that is not HTTP'],
  ])('but %s', async (_, answer, words) => {
    const { url, asked } = await proxyWith({ instead: (_, socket) => Boolean(socket.end(answer)) });
    expect(await refused(url)).toContain(words.replace('PROXY', url));
    expect(asked).toHaveLength(1);
  });

  it('but refuses the connection', async () => {
    const cause = await refused('http://127.0.0.1:1');
    expect(cause).toBe('connection refused by the proxy http://127.0.0.1:1');
  });

  it('but says nothing is given up after 3 s, and nothing is sent later', async () => {
    const left = Promise.withResolvers<void>();
    const proxy = await proxyWith({
      instead: (_, socket) => Boolean(socket.resume().once('end', left.resolve)),
    });
    expect(await refused(proxy.url)).toBe(`no answer from the proxy ${proxy.url} within 3s`);
    await left.promise;
    expect([proxy.asked.length, proxy.passed()]).toEqual([1, '']);
  });

  it('but takes its time is left at the deadline, and nothing is sent later', async () => {
    const opened = Promise.withResolvers<void>();
    const { route, seen } = await hiddenApi();
    const proxy = await proxyWith({ before: () => opened.promise, route });
    const begin = vi.fn<() => boolean>(() => true);
    expect(await refused(proxy.url, 200, begin)).toBe('no answer within 0.2s');
    opened.resolve();
    await eventually(() => expect(proxy.asked).toHaveLength(1));
    expect(await client(API).call(put)).toMatchObject({ httpStatus: 200 });
    expect(seen).toHaveLength(1);
    expect(begin).not.toHaveBeenCalled();
  });
});
