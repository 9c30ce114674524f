import { createServer } from 'node:net';
import tls, { type SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../simulator/certificate.ts';
import { client, put } from './api/client.ts';
import { listening, only, proxyWith, tlsApi } from './api/servers.ts';

/** The second is that of an API behind a proxy. */
const identity = selfSigned({ address: ['127.0.0.1', '192.0.2.7'] });
const TRUSTED = { ca: identity.cert };
const BEHIND_A_PROXY = 'https://192.0.2.7:8443';

it('an extra CA is trusted, and HTTP/1.1 spoken also where HTTP/2 is offered', async () => {
  const { host, spoken } = await tlsApi(identity);
  const reply = await client(`https://${host}`, TRUSTED).call(put);
  expect(reply).toMatchObject({ httpStatus: 200, result: {} });
  expect(spoken).toEqual(['1.1']);
});

describe('nothing is sent', () => {
  it.each<[string, Parameters<typeof selfSigned>[0], boolean, string]>([
    [
      'of an unknown CA',
      {},
      false,
      'is not signed by a trusted CA (DEPTH_ZERO_SELF_SIGNED_CERT); name its CA with --api-ca-file',
    ],
    ['for another address', { address: '127.0.0.9' }, true, 'is for another host name'],
    ['that has run out', { daysLeft: -1 }, true, 'is not valid (CERT_HAS_EXPIRED)'],
  ])('to a server with a certificate %s', async (_, options, isTrusted, words) => {
    const other = selfSigned(options);
    const { host, seen } = await tlsApi(other);
    const trusted = isTrusted ? { ca: other.cert } : {};
    const cause = `the TLS certificate of ${host} ${words}`;
    const reply = await client(`https://${host}`, trusted).call(put);
    expect(reply).toEqual({ answered: false, sent: false, cause });
    expect(seen).toEqual([]);
  });

  it('to a server that says nothing, which is given up after 3 s', async () => {
    const host = await listening(createServer(() => undefined));
    const reply = await client(`https://${host}`, { timeoutMs: 60_000 }).call(put);
    const cause = `no connection to ${host} within 3s`;
    expect(reply).toEqual({ answered: false, sent: false, cause });
  });

  it('to a server that speaks no TLS', async () => {
    const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const reply = await client(`https://${await listening(plain)}`).call(put);
    const cause = expect.stringContaining('no TLS connection') as string;
    expect(reply).toMatchObject({ answered: false, sent: false, cause });
  });
});

describe('however old a TLS Node is told to allow', () => {
  const before = { version: tls.DEFAULT_MIN_VERSION, ciphers: tls.DEFAULT_CIPHERS };
  beforeAll(() => {
    tls.DEFAULT_MIN_VERSION = 'TLSv1';
    tls.DEFAULT_CIPHERS = 'DEFAULT@SECLEVEL=0';
  });
  afterAll(() => {
    tls.DEFAULT_MIN_VERSION = before.version;
    tls.DEFAULT_CIPHERS = before.ciphers;
  });

  const ROWS: readonly (readonly [SecureVersion, boolean])[] = [
    ['TLSv1', false],
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ];

  it.each(ROWS)(
    'an API that speaks %s is called, directly and by a proxy: %s',
    async (version, isCalled) => {
      const { host, seen, agreed } = await tlsApi(only(version, identity));
      const sent = isCalled ? { httpStatus: 200 } : { answered: false, sent: false };
      expect(await client(`https://${host}`, TRUSTED).call(put)).toMatchObject(sent);
      const proxy = await proxyWith({ tls: identity, route: () => host });
      expect(await client(BEHIND_A_PROXY, TRUSTED).call(put)).toMatchObject(sent);
      expect(proxy.asked).toHaveLength(1);
      expect(agreed).toEqual(isCalled ? [version, version] : []);
      expect(seen).toHaveLength(isCalled ? 2 : 0);
    },
  );

  it.each(ROWS)('a proxy that speaks %s is asked for a tunnel: %s', async (version, isAsked) => {
    const { host } = await tlsApi(identity);
    const proxy = await proxyWith({ tls: only(version, identity), route: () => host });
    await client(BEHIND_A_PROXY, TRUSTED).call(put);
    expect(proxy.asked).toHaveLength(isAsked ? 1 : 0);
  });

  it.each(ROWS)('a connection that does not care agrees on %s here', async (version) => {
    const { host } = await tlsApi(only(version, identity));
    const { port, hostname } = new URL(`https://${host}`);
    const socket = tls.connect({ port: Number(port), host: hostname, ...TRUSTED });
    await new Promise((resolve, reject) =>
      socket.once('secureConnect', resolve).once('error', reject),
    );
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  });
});
