import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { proxySecrets } from '../../src/api/http/proxy.ts';
import { eventually } from '../support/eventually.ts';
import { client, identity, proxyWith, put, rawApi, realApi } from '../support/proxied-client.ts';
import { answerText } from '../support/raw-server.ts';

const OK = answerText(200, '{"result":{"x":1}}');

describe.each(['http', 'https'])('to an API with %s', (scheme) => {
  test.each([
    ['http', {}],
    ['https', { tls: identity }],
  ])(
    'through a proxy with %s: calls share a tunnel, and the proxy is asked for nothing else',
    async (_, options) => {
      const proxy = await proxyWith(options);
      const { base, seen, versions } = await realApi(scheme);
      const api = client(base, proxy.url);
      for (let i = 0; i < 10; i++)
        expect(await api.call(put)).toMatchObject({ httpStatus: 200, result: { x: 1 } });
      expect(new Set(versions)).toEqual(new Set(['1.1']));
      expect(seen).toHaveLength(10);
      expect(seen[0]).not.toHaveProperty('proxy-authorization');
      expect(new Set(proxy.asked.map(({ authority }) => authority))).toEqual(
        new Set([new URL(base).host]),
      );
      expect(proxy.asked.length).toBeLessThanOrEqual(2);
      expect(proxy.asked[0]?.headers).toMatchObject({ host: new URL(base).host });
      expect(proxy.asked[0]?.headers).not.toHaveProperty('authorization');
      expect(proxy.forwarded).toEqual([]);
    },
  );
});

test('a proxy with https is known by its own name, not by that of the API', async () => {
  const { base, seen } = await realApi('http');
  const proxy = await proxyWith({ tls: identity, route: () => new URL(base).host });
  expect(await client('http://api.test', proxy.url).call(put)).toMatchObject({ httpStatus: 200 });
  expect(seen).toHaveLength(1);
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
  const withKey = proxy.url.replace('//', '//corp%5Cmailman:s%40fe-canary@');
  await client(base, withKey).call(put);
  const pair = Buffer.from('corp\\mailman:s@fe-canary').toString('base64');
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
    expect(await calls.call({ ...put, method: 'GET' })).toEqual({
      answered: false,
      sent: true,
      cause,
    });
    expect(api.requests).toHaveLength(2);
  });

  test('arrives where the proxy is restarted meanwhile', async () => {
    const proxy = await proxyWith();
    const api = await rawApi(() => proxy.cutTunnels());
    expect(await client(api.url, proxy.url).call(put)).toMatchObject({
      answered: false,
      sent: true,
    });
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
    const api = await rawApi((socket) =>
      socket.write(answerText(307, '', { location: 'http://elsewhere.test/' })),
    );
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
    const call = client(base, proxy.url).call({ ...put, begin: () => void asked.push('begin') });
    await eventually(() => expect(proxy.asked).toHaveLength(1));
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
    expect(await api.call({ ...put, begin: () => 'not-permitted' })).toMatchObject({
      sent: false,
      aborted: 'not-permitted',
    });
    expect(seen).toEqual([]);
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(proxy.asked).toHaveLength(1);
  });
});
