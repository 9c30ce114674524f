import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { startServer } from '../../src/telemetry/health-server.ts';
import type { Listener } from '../../src/telemetry/listener.ts';
import { createMetricsPage } from '../../src/telemetry/metrics-page.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';

const running: Listener[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function start(metrics = Buffer.from('a_metric 1\n')): Promise<Listener> {
  const server = await startServer({
    listen: { host: '127.0.0.1', port: 0 },
    live: {},
    ready: {},
    metrics: () => ({ status: 200, body: metrics }),
    onError: (error) => {
      throw error;
    },
  });
  running.push(server);
  return server;
}

/** Connected, after it has sent this; whatever becomes of it then. */
async function sender({ port }: Listener, sent: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.add(socket.on('error', () => undefined));
  await once(socket, 'connect');
  if (sent !== '') socket.write(sent);
  return socket;
}

async function crowd(server: Listener, size: number, sent: string): Promise<Socket[]> {
  return Promise.all(Array.from({ length: size }, () => sender(server, sent)));
}

/** All that came until the connection was over, whichever way it ended. */
async function answerOf(socket: Socket): Promise<string> {
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  await eventually(() => expect(isOpen(socket)).toBe(false));
  return answer;
}

const isOpen = (socket: Socket): boolean => !socket.closed && !socket.readableEnded;
const HEAD = 'GET /livez HTTP/1.1\r\nhost: x\r\n';

describe('1,500 connections that never make a whole request', () => {
  test.each([
    ['say nothing', ''],
    ['have sent half a line', 'GET /liv'],
    ['have sent half a head', `${HEAD}x-slow: `],
    ['have said that a body comes', `POST /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n`],
    ['are not HTTP', '\x16\x03\x01'],
  ])('and %s leave the probes answered', async (_, sent) => {
    const server = await start();
    await crowd(server, 1_500, sent);
    const answer = await sender(server, `${HEAD}\r\n`);
    expect(await answerOf(answer)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok\n$/);
  });

  test('are closed from the oldest on, however they go on sending, and no more than the bound stay', async () => {
    const server = await start();
    const [first] = await crowd(server, 1, HEAD);
    const others = await crowd(server, 1_099, '');
    // All are open, the first by its bytes the liveliest.
    expect([first, ...others].filter((socket) => socket && isOpen(socket))).toHaveLength(1_100);
    first?.write('x-slow: 1\r\n');
    const [last] = await crowd(server, 1, '');
    // One whose time is over would be told so.
    expect(first && (await answerOf(first))).toBe('');
    expect([...others, last].filter((socket) => socket && isOpen(socket))).toHaveLength(1_100);
  });

  test.each([
    ['says nothing', ''],
    ['drips a head', HEAD],
  ])('one of them that %s is ended after 3 s though nobody takes its place', async (_, sent) => {
    const socket = await sender(await start(), sent);
    const drip = setInterval(() => sent !== '' && socket.write('x: 1\r\n'), 100);
    const from = performance.now();
    // What it writes after that end may be answered with a reset, which outruns the answer.
    const answer = await text(socket).catch((error: NodeJS.ErrnoException) => error.code);
    expect(answer).toMatch(/^(HTTP\/1\.1 408 |ECONNRESET$|$)/);
    clearInterval(drip);
    expect(performance.now() - from).toBeGreaterThan(2_900);
  });
});

describe('an answer ends its connection', () => {
  test.each([
    'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: keep-alive\r\n\r\n',
    'GET /livez HTTP/1.0\r\nconnection: keep-alive\r\n\r\n',
    'GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: keep-alive\r\n\r\n',
    'GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n',
    'GET /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nbegun',
    'POST /livez HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n5\r\nbegun\r\n',
  ])('as it says, to %j', async (sent) => {
    const answer = await text(await sender(await start(), sent));
    expect(answer).toMatch(/^HTTP\/1\.1 (200|404|405) /);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  test('and of requests that come together only the first is asked for', async () => {
    const server = await start();
    const answer = await text(await sender(server, `${HEAD}\r\n`.repeat(200)));
    expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1);
  });
});

test('whoever asks for the page and does not read it is let go of', async () => {
  const server = await start(Buffer.alloc(64 * 2 ** 20, 'x'));
  const socket = await sender(server, 'GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n');
  const [next] = await crowd(server, 1_150, '');
  next?.resume();
  await eventually(() => expect(next && isOpen(next)).toBe(false));
  expect((await text(socket)).length).toBeLessThan(64 * 2 ** 20);
});

test('the page is made once a second, however many ask for it', async () => {
  const clock = new FakeClock();
  let made = 0;
  const page = createMetricsPage(() => `made ${++made}\n`, clock);
  const bodies = (): string[] => [page(), page()].map(({ body }) => String(body));
  expect(bodies()).toEqual(['made 1\n', 'made 1\n']);
  await clock.advance(999);
  expect(bodies()).toEqual(['made 1\n', 'made 1\n']);
  await clock.advance(1);
  expect(bodies()).toEqual(['made 2\n', 'made 2\n']);
});
