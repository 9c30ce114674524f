import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createKubeClient,
  type KubeClient,
  type KubeClientOptions,
} from '../../src/kube/client/client.ts';
import type { Cluster } from '../../src/kube/client/cluster.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import type { OpenConnections } from '../../src/kube/client/transport.ts';
import { createElection } from '../../src/kube/lease/election.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { layWire } from '../faults/wire.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { recordingLog } from '../support/recording-log.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const { cert, key } = selfSigned();

/** Connections take as long as they like here, so that nothing but a deadline ends a call. */
const patient: OpenConnections = (origin, options) =>
  new Pool(origin, {
    ...options,
    connect: buildConnector({ ca: cert, allowH2: true, timeout: 0 }),
  });

function clientFor(port: number, options: KubeClientOptions): KubeClient {
  const credentials = { headers: {}, tls: { ca: cert } };
  const cluster: Cluster = {
    server: new URL(`https://127.0.0.1:${port}`),
    namespace: undefined,
    credentials: () => Promise.resolve(credentials),
    renew: () => Promise.resolve(),
  };
  const client = createKubeClient(cluster, { open: patient, ...options });
  ends.push(() => client.close());
  return client;
}

/** What a call came to: its answer, or the reason of its error. */
function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: unknown) => {
    if (error instanceof KubeError) return error.reason;
    throw error;
  });
}

interface Http2 {
  readonly port: number;
  /** Connections so far, and writes that were answered. */
  readonly seen: { connections: number; writes: number };
}

/** Speaks HTTP/2 and has one Lease, which it takes from whoever writes it. */
async function startHttp2(): Promise<Http2> {
  const server = createSecureServer({ cert, key });
  const seen = { connections: 0, writes: 0 };
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    seen.connections += 1;
    sockets.add(socket);
  });
  let lease: KubeObject | undefined;
  server.on('stream', (stream, headers) => void answer(stream, headers));
  const answer = async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> => {
    let body = '';
    for await (const chunk of stream) body += String(chunk);
    if (body !== '') {
      seen.writes += 1;
      const written = JSON.parse(body) as KubeObject;
      lease = {
        ...written,
        metadata: { ...written.metadata, resourceVersion: String(seen.writes) },
      };
    }
    stream.respond({ ':status': lease ? 200 : 404 });
    // A watch stays open, everything else is answered.
    if (String(headers[':path']).includes('watch=true')) stream.write(' ');
    else stream.end(JSON.stringify(lease ?? {}));
  };
  server.on('sessionError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, seen };
}

/** Accepts connections, and never says a word of TLS. */
async function startSilent(): Promise<{
  readonly port: number;
  readonly connections: () => number;
}> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

const GET = { method: 'GET', path: '/api/v1/x', timeoutMs: 3_000 } as const;

describe('where TCP accepts and TLS never answers', () => {
  test('every call ends at its own deadline, also those in line behind the connection', async () => {
    const server = await startSilent();
    const clock = new FakeClock();
    const client = clientFor(server.port, { clock });
    const calls = Promise.all(Array.from({ length: 5 }, () => outcome(client.request(GET))));
    await eventually(() => expect(server.connections()).toBe(1));
    await clock.advance(3_000);
    expect(await calls).toEqual(Array.from({ length: 5 }, () => 'Timeout'));
    expect(clock.pending).toBe(0);
  });

  test('a watch that does not come about ends at the deadline of a short call', async () => {
    const server = await startSilent();
    const clock = new FakeClock();
    const client = clientFor(server.port, { clock });
    const { signal } = new AbortController();
    const lines = client.stream({ path: '/w', signal, silenceMs: 80_000 })[Symbol.asyncIterator]();
    const ended = outcome(lines.next());
    await eventually(() => expect(server.connections()).toBe(1));
    await clock.advance(20_000);
    expect(await ended).toBe('Timeout');
  });

  test('a caller who takes a call back has it back at once', async () => {
    const server = await startSilent();
    const client = clientFor(server.port, {});
    const stop = new AbortController();
    const ended = outcome(client.request({ ...GET, signal: stop.signal }));
    await eventually(() => expect(server.connections()).toBe(1));
    stop.abort();
    expect(await ended).toBe('Aborted');
  });

  test('the next call opens a connection of its own', async () => {
    const server = await startSilent();
    const clock = new FakeClock();
    const client = clientFor(server.port, { clock });
    for (let tries = 1; tries <= 3; tries += 1) {
      const ended = outcome(client.request(GET));
      await eventually(() => expect(server.connections()).toBe(tries));
      await clock.advance(3_000);
      expect(await ended).toBe('Timeout');
    }
  });
});

test('a dead HTTP/2 connection costs a leader one renewal: the next one goes over another', async () => {
  const server = await startHttp2();
  const wire = await layWire(server.port);
  ends.push(() => wire.close());
  const clock = new FakeClock();
  const client = clientFor(wire.port, { clock });
  const stop = new AbortController();
  let lost = '';
  const election = createElection({
    client,
    clock,
    log: recordingLog().log,
    namespace: 'pw',
    name: 'pipewright',
    identity: 'us',
    onStarted: () => undefined,
    onLost: (why) => (lost = why),
  });
  const running = election.run(stop.signal);
  await eventually(() => expect(election.isLeader()).toBe(true));
  const lines = client.stream({
    path: '/w',
    query: { watch: 'true' },
    signal: stop.signal,
    silenceMs: 65_000,
  });
  const watch = outcome(lines[Symbol.asyncIterator]().next());
  await clock.advance(0);
  expect(server.seen.connections).toBe(1);
  wire.freeze();
  const before = server.seen.writes;
  await clock.advance(2_000);
  await clock.advance(3_000);
  await eventually(() => expect(server.seen.writes).toBeGreaterThan(before));
  for (let renewals = 0; renewals < 5; renewals += 1) {
    const { writes } = server.seen;
    await clock.advance(2_000);
    await eventually(async () => {
      // The answer to the one before may have come only now.
      await clock.advance(0);
      expect(server.seen.writes).toBeGreaterThan(writes);
    });
  }
  expect([lost, election.mayStartCall(), server.seen.connections]).toEqual(['', true, 2]);
  stop.abort();
  await running;
  expect(await watch).toBe('Aborted');
});

test('connecting takes 3 s at most, whatever the deadline', async () => {
  const server = await startSilent();
  const client = clientFor(server.port, { open: (origin, options) => new Pool(origin, options) });
  await expect(client.request({ ...GET, timeoutMs: 60_000 })).rejects.toThrow('timeout: 3000ms');
});

test('calls that ended before they had a connection open none afterwards', async () => {
  const server = await startSilent();
  const clock = new FakeClock();
  let connect: Pool.Options['connect'];
  const open: OpenConnections = (origin, options) => {
    connect ??= options.connect;
    return patient(origin, options);
  };
  const client = clientFor(server.port, { clock, open });
  const calls = Promise.all([client.request(GET), client.request(GET)].map(outcome));
  await eventually(() => expect(server.connections()).toBe(1));
  await clock.advance(3_000);
  expect(await calls).toEqual(['Timeout', 'Timeout']);
  if (typeof connect !== 'function') throw new Error('the pool connects by itself');
  const target = {
    hostname: '127.0.0.1',
    host: '127.0.0.1',
    protocol: 'https:',
    port: String(server.port),
  };
  const { promise, resolve } = Promise.withResolvers<Error | null>();
  connect(target, (...[error]) => resolve(error));
  expect(await promise).toMatchObject({ message: 'its connections were given up' });
  expect(server.connections()).toBe(1);
});
