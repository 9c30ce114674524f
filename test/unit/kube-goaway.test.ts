import { createSecureServer, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createKubeClient } from '../../src/kube/client/client.ts';
import { selfSigned } from '../simulator/certificate.ts';

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/**
 * Answers as kube-apiserver does whom it does not know: with 401, and GOAWAY for the whole
 * connection; what comes later on it is ignored.
 */
async function startUnknowing(): Promise<{ url: URL; ca: string; connections: () => number }> {
  const certificate = selfSigned();
  const server = createSecureServer({ cert: certificate.cert, key: certificate.key });
  const sessions = new Set<Http2Session>();
  const going = new WeakSet<Http2Session>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    const { session } = stream;
    if (!session || going.has(session)) return;
    stream.on('error', () => {});
    stream.resume();
    if (headers[':path']?.includes('watch')) {
      stream.respond({ ':status': 200 });
      stream.write('{}\n');
    } else if (sessions.size === 1) {
      going.add(session);
      stream.respond({ ':status': 401 });
      stream.end('{}');
      session.goaway(0, stream.id);
    } else {
      stream.respond({ ':status': 200 });
      stream.end('{}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { url, ca: certificate.cert, connections: () => sessions.size };
}

for (const method of ['GET', 'PUT'] as const) {
  test(`a ${method} tried again after a 401 does not wait for the watches of a connection that was told to go away`, async () => {
    const server = await startUnknowing();
    const credentials = { headers: { authorization: 'Bearer t' }, tls: { ca: server.ca } };
    const client = createKubeClient({
      server: server.url,
      namespace: undefined,
      credentials: () => Promise.resolve(credentials),
      renew: () => Promise.resolve(),
    });
    ends.push(() => client.close());
    const watch = client.stream({
      path: '/watch',
      signal: new AbortController().signal,
      silenceMs: 30_000,
    });
    await watch[Symbol.asyncIterator]().next();
    const call = {
      method,
      path: '/api/v1/x',
      timeoutMs: 2_000,
      ...(method === 'PUT' && { body: {} }),
    };
    expect(await client.request(call)).toEqual({});
    expect(server.connections()).toBe(2);
  });
}
