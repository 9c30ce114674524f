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
import { selfSigned } from '../simulator/certificate.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const { cert } = selfSigned();

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
