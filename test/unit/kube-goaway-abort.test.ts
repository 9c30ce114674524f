import { once } from 'node:events';
import { createSecureServer, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createKubeClient } from '../../src/kube/client/client.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { eventually } from '../support/eventually.ts';

const { cert, key } = selfSigned();

/**
 * A server whose first connection answers nothing but its first call and can be told to go away;
 * the connections after it are there when `letIn` has been called.
 */
async function startServer() {
  const sockets: Socket[] = [];
  const sessions: Http2Session[] = [];
  let streams = 0;
  const server = createSecureServer({ cert, key });
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream: ServerHttp2Stream) => {
    streams += 1;
    stream.on('error', () => {});
    if (streams > 1 && stream.session === sessions[0]) return;
    stream.respond({ ':status': 200 });
    stream.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const entered = Promise.withResolvers<void>();
  const enter = (socket: Socket): void => {
    const inside = connect((server.address() as AddressInfo).port, '127.0.0.1');
    inside.on('error', () => {});
    socket.pipe(inside).pipe(socket);
  };
  const door = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    if (sockets.length === 1) enter(socket);
    else void entered.promise.then(() => enter(socket));
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  onTestFinished(() => {
    for (const one of [...sessions, ...sockets]) one.destroy();
    door.close();
    server.close();
  });
  return {
    url: new URL(`https://127.0.0.1:${(door.address() as AddressInfo).port}`),
    goAway: () => sessions[0]?.goaway(0, 1),
    letIn: entered.resolve,
    streams: () => streams,
    connections: () => sockets.length,
  };
}

test('a call that is broken off while others wait for a new connection takes none of them with it', async () => {
  const server = await startServer();
  const credentials = { headers: {}, tls: { ca: cert } };
  const client = createKubeClient({
    server: server.url,
    namespace: undefined,
    credentials: () => Promise.resolve(credentials),
    renew: () => Promise.resolve(),
  });
  onTestFinished(() => client.close());
  await client.request({ method: 'GET', path: '/first' });
  const stop = new AbortController();
  const broken = client.request({ method: 'GET', path: '/a', signal: stop.signal });
  const others = [
    client.request({ method: 'PUT', path: '/b', body: {} }),
    client.request({ method: 'GET', path: '/c' }),
  ];
  await eventually(() => expect(server.streams()).toBe(4));
  server.goAway();
  await eventually(() => expect(server.connections()).toBe(2));
  stop.abort();
  await expect(broken).rejects.toMatchObject({ reason: 'Aborted' });
  server.letIn();
  await expect(Promise.all(others)).resolves.toEqual([{}, {}]);
});
