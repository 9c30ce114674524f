import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { createSecureServer } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Exchange } from '../../src/api/http/api-exchange.ts';
import { createApiClient, type Reply } from '../../src/api/http/client.ts';
import { systemClock } from '../../src/clock.ts';

/** One DER element. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
const utcTime = (at: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

interface Identity {
  readonly cert: string;
  readonly key: KeyObject;
}

/**
 * A self-signed certificate for one IP address, made here so that no private key lies in the
 * repository.
 */
function selfSigned(
  options: { readonly ip?: readonly number[]; readonly daysLeft?: number } = {},
): Identity {
  const { ip = [127, 0, 0, 1], daysLeft = 2 } = options;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const name = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('test')))));
  const until = Date.now() + daysLeft * 86_400_000;
  const addresses = sequence(oid('551d11'), der(0x04, sequence(der(0x87, Buffer.from(ip)))));
  const authority = sequence(oid('551d13'), der(0x04, sequence(der(0x01, Buffer.from([0xff])))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(utcTime(until - 90 * 86_400_000), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(authority, addresses)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = sequence(body, algorithm, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    key: privateKey,
  };
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return `https://127.0.0.1:${address.port}`;
}

function put(
  base: string,
  more: { readonly ca?: string; readonly timeoutMs?: number } = {},
): Promise<Reply> {
  const client = createApiClient({
    baseUrl: new URL(base),
    timeoutMs: 5_000,
    clock: systemClock,
    version: '0',
    mayStart: () => true,
    ...more,
  });
  cleanups.push(() => client.close());
  const credential = { id: 'c', authorization: 'Basic eA==', mask: (text: string) => text };
  return client.call({ operation: 'put', method: 'PUT', path: ['v1'], body: '{}', credential });
}

function httpsServer({ cert, key }: Identity, arrivals: string[] = []): Promise<string> {
  const pem = key.export({ type: 'pkcs8', format: 'pem' });
  return listen(
    createHttpsServer({ cert, key: pem }, (request, response) => {
      arrivals.push(request.httpVersion);
      response.end('{"result":{}}');
    }),
  );
}

describe('TLS', () => {
  it('trusts an extra CA', async () => {
    const identity = selfSigned();
    expect(await put(await httpsServer(identity), { ca: identity.cert })).toMatchObject({
      httpStatus: 200,
      result: {},
    });
  });

  it.each<[string, Parameters<typeof selfSigned>[0], boolean, string]>([
    [
      'of an unknown CA',
      {},
      false,
      'is not signed by a trusted CA (DEPTH_ZERO_SELF_SIGNED_CERT); name its CA with --api-ca-file',
    ],
    ['for another address', { ip: [127, 0, 0, 9] }, true, 'is for another host name'],
    ['that has run out', { daysLeft: -1 }, true, 'is not valid (CERT_HAS_EXPIRED)'],
  ])('sends nothing to a server with a certificate %s', async (_case, options, trusted, words) => {
    const identity = selfSigned(options);
    const arrivals: string[] = [];
    const reply = await put(
      await httpsServer(identity, arrivals),
      trusted ? { ca: identity.cert } : {},
    );
    expect(reply).toMatchObject({
      answered: false,
      sent: false,
      cause: expect.stringContaining(words),
    });
    expect(arrivals).toEqual([]);
  });

  it('speaks HTTP/1.1 also to a server that would rather speak HTTP/2', async () => {
    const identity = selfSigned();
    const versions: string[] = [];
    const key = identity.key.export({ type: 'pkcs8', format: 'pem' });
    const server = createSecureServer(
      { cert: identity.cert, key, allowHTTP1: true },
      (request, response) => {
        versions.push(request.httpVersion);
        response.end('{"result":{}}');
      },
    );
    expect(await put(await listen(server), { ca: identity.cert })).toMatchObject({
      httpStatus: 200,
    });
    expect(versions).toEqual(['1.1']);
  });

  it('knows that nothing left when the deadline comes during the handshake, and sends nothing later', async () => {
    let bytes = '';
    const silent = createTcpServer((socket) =>
      socket.on('data', (chunk) => (bytes += chunk.toString('latin1'))),
    );
    const reply = await put(await listen(silent), { timeoutMs: 100 });
    expect(reply).toMatchObject({ answered: false, sent: false });
    expect(bytes).not.toContain('HTTP/1.1');
  });

  it('waits for a connection for 3 s at most, whatever the call may take', async () => {
    const silent = createTcpServer(() => undefined);
    const reply = await put(await listen(silent), { timeoutMs: 35_000 });
    const cause = expect.stringMatching(/^no connection to 127\.0\.0\.1:\d+ within 3s$/) as string;
    expect(reply).toEqual({ answered: false, sent: false, cause });
  });

  it('names an API that speaks no TLS', async () => {
    const plain = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const reply = await put(await listen(plain));
    expect(reply).toMatchObject({
      answered: false,
      sent: false,
      cause: expect.stringContaining('no TLS connection'),
    });
  });
});

describe('Exchange', () => {
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
  };

  it('refuses to be written a second time, whatever the transport intends', () => {
    const exchange = new Exchange({ objection: () => undefined, done: () => undefined });
    exchange.onRequestStart(controller);
    expect(() => exchange.onRequestStart(controller)).toThrow('never sent twice');
  });

  it('refuses to be written after its call is over', () => {
    const ends: unknown[] = [];
    const exchange = new Exchange({ objection: () => undefined, done: (end) => ends.push(end) });
    exchange.stop('deadline');
    expect(() => exchange.onRequestStart(controller)).toThrow('the call is over');
    exchange.onResponseError(controller, new Error('late'));
    expect(ends).toEqual([{ kind: 'stopped', sent: false, by: 'deadline' }]);
  });
});
