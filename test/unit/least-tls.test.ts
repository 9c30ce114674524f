import { createServer as createHttpsServer } from 'node:https';
import type { Server } from 'node:net';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKubeClient } from '../../src/kube/client.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { client, listening, proxyWith, put, tlsApi } from '../support/api-client.ts';
import { clusterAt } from '../support/kube-server.ts';

/** The second is that of an API behind a proxy. */
const identity = selfSigned({ address: ['127.0.0.1', '192.0.2.7'] });
const ca = identity.cert;

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
async function server(version: Version): Promise<{ host: string; agreed: (string | null)[] }> {
  const agreed: (string | null)[] = [];
  const https: Server = createHttpsServer(only(version), (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"result":{"x":1}}');
  }).on('secureConnection', (socket: tls.TLSSocket) => agreed.push(socket.getProtocol()));
  return { host: await listening(https), agreed };
}

const OLD = ['TLSv1', 'TLSv1.1'] as const;
const NEW = ['TLSv1.2', 'TLSv1.3'] as const;

test.each([...OLD, ...NEW])(
  'a connection that does not say so itself agrees on %s here',
  async (version) => {
    const { host } = await server(version);
    const { port, hostname } = new URL(`https://${host}`);
    const socket = tls.connect({ port: Number(port), host: hostname, ca });
    await new Promise((resolve, reject) =>
      socket.once('secureConnect', resolve).once('error', reject),
    );
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  },
);

describe('the management API', () => {
  test.each(OLD)('is not called over %s', async (version) => {
    const { host, agreed } = await server(version);
    const cause = expect.stringContaining(`no TLS connection to ${host}`) as string;
    const reply = await client(`https://${host}`, { ca }).call(put);
    expect(reply).toMatchObject({ answered: false, sent: false, cause });
    expect(agreed).toEqual([]);
  });

  test.each(NEW)('is called over %s', async (version) => {
    const { host } = await server(version);
    expect(await client(`https://${host}`, { ca }).call(put)).toMatchObject({ httpStatus: 200 });
  });
});

describe('a proxy', () => {
  const behindIt = 'https://192.0.2.7:8443';

  test.each(OLD)('is not asked for a tunnel over %s', async (version) => {
    const { host, seen } = await tlsApi(identity);
    const proxy = await proxyWith({ tls: only(version), route: () => host });
    const reply = await client(behindIt, { ca }).call(put);
    expect(reply).toMatchObject({ answered: false, sent: false });
    expect([proxy.asked, seen]).toEqual([[], []]);
  });

  test.each(OLD)('carries no call to an API over %s', async (version) => {
    const { host, agreed } = await server(version);
    const proxy = await proxyWith({ tls: identity, route: () => host });
    const reply = await client(behindIt, { ca }).call(put);
    expect(reply).toMatchObject({ answered: false, sent: false });
    expect(proxy.asked).toHaveLength(1);
    expect(agreed).toEqual([]);
  });
});

describe('Kubernetes', () => {
  const get = async (host: string): Promise<unknown> => {
    const kube = createKubeClient(clusterAt(`https://${host}`, ca));
    try {
      return await kube.request({ method: 'GET', path: '/x' });
    } finally {
      await kube.close();
    }
  };

  test.each(OLD)('is not reached over %s', async (version) => {
    const { host, agreed } = await server(version);
    await expect(get(host)).rejects.toThrow(/protocol|alert/i);
    expect(agreed).toEqual([]);
  });

  test.each(NEW)('is reached over %s', async (version) => {
    const { host } = await server(version);
    expect(await get(host)).toMatchObject({ result: { x: 1 } });
  });
});
