import { createServer as createHttpsServer } from 'node:https';
import type { Server } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createApiClient, type Reply } from '../../src/api/http/client.ts';
import { systemClock } from '../../src/clock.ts';
import { createKubeClient } from '../../src/kube/client/client.ts';
import { client, identity, listening, proxyWith, put, realApi } from '../support/proxied-client.ts';

/**
 * As with --tls-min-v1.0 and --tls-cipher-list in NODE_OPTIONS: what may be spoken where the code
 * does not say.
 */
const before = { version: tls.DEFAULT_MIN_VERSION, ciphers: tls.DEFAULT_CIPHERS };
beforeAll(() => {
  tls.DEFAULT_MIN_VERSION = 'TLSv1';
  tls.DEFAULT_CIPHERS = 'DEFAULT@SECLEVEL=0';
});
afterAll(() => {
  tls.DEFAULT_MIN_VERSION = before.version;
  tls.DEFAULT_CIPHERS = before.ciphers;
});

type Version = 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
const only = (version: Version) => ({
  ...identity,
  minVersion: version,
  maxVersion: version,
  ciphers: 'DEFAULT@SECLEVEL=0',
});

/** Answers every request with 200, and tells which versions of TLS were agreed. */
async function server(version: Version): Promise<{ port: number; agreed: (string | null)[] }> {
  const agreed: (string | null)[] = [];
  const https: Server = createHttpsServer(only(version), (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"result":{"x":1}}');
  }).on('secureConnection', (socket: tls.TLSSocket) => agreed.push(socket.getProtocol()));
  return { port: await listening(https), agreed };
}

const OLD = ['TLSv1', 'TLSv1.1'] as const;
const NEW = ['TLSv1.2', 'TLSv1.3'] as const;

test.each([...OLD, ...NEW])(
  'a connection that does not say so itself agrees on %s here',
  async (version) => {
    const { port } = await server(version);
    const socket = tls.connect({ port, host: '127.0.0.1', ca: identity.cert });
    await new Promise((resolve, reject) =>
      socket.once('secureConnect', resolve).once('error', reject),
    );
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  },
);

describe('the management API', () => {
  const call = async (port: number): Promise<Reply> => {
    const api = createApiClient({
      baseUrl: new URL(`https://127.0.0.1:${port}`),
      ca: identity.cert,
      timeoutMs: 15_000,
      clock: systemClock,
      version: '0',
      mayStart: () => true,
    });
    onTestFinished(() => api.close());
    return api.call(put);
  };

  test.each(OLD)('is not called over %s', async (version) => {
    const { port, agreed } = await server(version);
    const cause = expect.stringContaining('no TLS connection to 127.0.0.1') as string;
    const reply = await call(port);
    expect(reply).toMatchObject({ answered: false, sent: false, cause });
    expect(agreed).toEqual([]);
  });

  test.each(NEW)('is called over %s', async (version) => {
    const { port } = await server(version);
    expect(await call(port)).toMatchObject({ httpStatus: 200 });
  });
});

describe('a proxy', () => {
  test.each(OLD)('is not asked for a tunnel over %s', async (version) => {
    const proxy = await proxyWith({ tls: only(version) });
    const { base, seen } = await realApi('http');
    expect(await client(base, proxy.url).call(put)).toMatchObject({ answered: false, sent: false });
    expect([proxy.asked, seen]).toEqual([[], []]);
  });

  test.each(OLD)('carries no call to an API over %s', async (version) => {
    const proxy = await proxyWith({ tls: identity });
    const { port, agreed } = await server(version);
    const reply = await client(`https://127.0.0.1:${port}`, proxy.url).call(put);
    expect(reply).toMatchObject({ answered: false, sent: false });
    expect(proxy.asked).toHaveLength(1);
    expect(agreed).toEqual([]);
  });
});

describe('Kubernetes', () => {
  const get = async (port: number): Promise<unknown> => {
    const credentials = { headers: { authorization: 'Bearer t' }, tls: { ca: identity.cert } };
    const kube = createKubeClient({
      server: new URL(`https://127.0.0.1:${port}`),
      namespace: undefined,
      credentials: () => Promise.resolve(credentials),
      renew: () => Promise.resolve(),
    });
    try {
      return await kube.request({ method: 'GET', path: '/x' });
    } finally {
      await kube.close();
    }
  };

  test.each(OLD)('is not reached over %s', async (version) => {
    const { port, agreed } = await server(version);
    await expect(get(port)).rejects.toThrow(/protocol|alert/i);
    expect(agreed).toEqual([]);
  });

  test.each(NEW)('is reached over %s', async (version) => {
    const { port } = await server(version);
    expect(await get(port)).toMatchObject({ result: { x: 1 } });
  });
});
