import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startHealth } from '../support/health-server.ts';

describe('the pages', () => {
  test('readyz names what is missing, livez does not ask', async () => {
    let what: string | undefined = 'PipeSettings are still being listed';
    const { get } = await startHealth({ missing: () => what });
    const answer = await get('/readyz');
    expect([answer.status, await answer.text()]).toEqual([
      503,
      'not ready: PipeSettings are still being listed\n',
    ]);
    expect((await get('/livez')).status).toBe(200);
    what = undefined;
    expect((await get('/readyz?verbose')).status).toBe(200);
  });

  test('of metrics is text of Prometheus, and made once a second, however many ask', async () => {
    const clock = new FakeClock();
    let made = 0;
    const metrics = () => Promise.resolve(`made ${++made}\n`);
    const { get } = await startHealth({ clock, metrics });
    const answers = await Promise.all([get('/metrics'), get('/metrics?collect[]=x')]);
    expect(answers[0]?.headers.get('content-type')).toBe(
      'text/plain; version=0.0.4; charset=utf-8',
    );
    expect(await Promise.all(answers.map((one) => one.text()))).toEqual(['made 1\n', 'made 1\n']);
    await clock.advance(1_000);
    expect(await (await get('/metrics')).text()).toBe('made 2\n');
  });

  test('that cannot be made are a 500, and the next one is made anew', async () => {
    const clock = new FakeClock();
    let isBroken = true;
    const metrics = (): Promise<string> =>
      isBroken ? Promise.reject(new Error('no such store')) : Promise.resolve('well\n');
    const { get } = await startHealth({ clock, metrics });
    const broken = await get('/metrics');
    expect([broken.status, await broken.text()]).toEqual([500, 'Error: no such store\n']);
    isBroken = false;
    await clock.advance(1_000);
    expect((await get('/metrics')).status).toBe(200);
  });

  test.each(['/', '/livez/', '/metrics/x', '/constructor', '/%2e%2e/etc/passwd'])(
    'do not include %s',
    async (path) => expect((await (await startHealth()).get(path)).status).toBe(404),
  );
});

describe('listening', () => {
  test('on a port that is taken is an error that names the address, why, and the flag', async () => {
    const { port } = await startHealth();
    await expect(startHealth({ listen: { host: '127.0.0.1', port } })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port} (listen EADDRINUSE: address already in use 127.0.0.1:${port}); choose another address with --listen`,
    );
  });

  test('without a host is on every address, and ends with all connections', async () => {
    const { port, get, close } = await startHealth({ listen: { port: 0 } });
    const socket = connect(port, '127.0.0.1').on('error', () => socket.destroy());
    await once(socket, 'connect');
    expect((await get('/livez')).status).toBe(200);
    const ended = once(socket, 'close');
    await close();
    await ended;
    await expect(get('/livez')).rejects.toThrow('fetch failed');
  });
});

/** Connected, after it has sent this; whatever becomes of it then. */
async function sender(port: number, sent: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (sent !== '') socket.write(sent);
  return socket;
}

const crowd = (port: number, size: number, sent: string): Promise<Socket[]> =>
  Promise.all(Array.from({ length: size }, () => sender(port, sent)));
const isOpen = (socket: Socket): boolean => !socket.closed && !socket.readableEnded;
const HEAD = 'GET /livez HTTP/1.1\r\nhost: x\r\n';

describe('connections that never make a whole request', () => {
  test.each([
    ['say nothing', ''],
    ['have sent half a head', `${HEAD}x-slow: `],
    ['have said that a body comes', `POST /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n`],
    ['are not HTTP', '\x16\x03\x01'],
  ])('and %s leave the probes answered, 1,500 of them', async (_, sent) => {
    const { port } = await startHealth();
    await crowd(port, 1_500, sent);
    const answer = await text(await sender(port, `${HEAD}\r\n`)).catch(String);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nok\n$/);
  });

  test('are closed from the oldest on, however they go on sending, past 1,100', async () => {
    const { port } = await startHealth();
    const oldest = await sender(port, HEAD);
    const others = await crowd(port, 1_099, '');
    expect([oldest, ...others].filter(isOpen)).toHaveLength(1_100);
    oldest.write('x-slow: 1\r\n');
    const newest = await sender(port, '');
    // One whose time is over would be told so.
    expect(await text(oldest)).toBe('');
    expect([...others, newest].filter(isOpen)).toHaveLength(1_100);
  });

  test.each([
    ['says nothing', ''],
    ['drips a head', HEAD],
  ])('are ended after 3 s, as one that %s', async (_, sent) => {
    const { port } = await startHealth();
    const socket = await sender(port, sent);
    const drip = setInterval(() => sent !== '' && socket.write('x: 1\r\n'), 100);
    onTestFinished(() => clearInterval(drip));
    socket.resume();
    const from = performance.now();
    await eventually(() => expect(isOpen(socket)).toBe(false));
    expect(performance.now() - from).toBeGreaterThan(2_900);
  });
});

test.each([
  'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: keep-alive\r\n\r\n',
  'GET /livez HTTP/1.0\r\nconnection: keep-alive\r\n\r\n',
  'GET /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\nbegun',
  `${HEAD}\r\n`.repeat(200),
])('one answer ends its connection: %j', async (sent) => {
  const answer = await text(await sender((await startHealth()).port, sent));
  expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1);
  expect(answer).toMatch(/^connection: close\r$/im);
});
