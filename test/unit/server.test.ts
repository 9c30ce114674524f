import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { EXPOSITION_CONTENT_TYPE } from '../../src/telemetry/exposition.ts';
import { type ServerOptions, startServer } from '../../src/telemetry/health-server.ts';
import type { Listener } from '../../src/telemetry/listener.ts';

const running: Listener[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function start(options: Partial<ServerOptions> = {}): Promise<Listener> {
  const server = await startServer({
    listen: { host: '127.0.0.1', port: 0 },
    live: {},
    ready: {},
    metrics: () => ({ status: 200, body: 'a_metric 1\n', type: EXPOSITION_CONTENT_TYPE }),
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  running.push(server);
  return server;
}

const at = ({ port }: Listener, path: string): string => `http://127.0.0.1:${port}${path}`;

describe('the probes', () => {
  test('reports the real port where 0 was asked for', async () => {
    const server = await start();
    expect(server.port).toBeGreaterThan(0);
    expect((await fetch(at(server, '/livez'))).status).toBe(200);
  });

  test('readyz is 503 and names the check that fails, and is 200 again once it passes', async () => {
    let complaint: string | undefined = 'PipeSettings are still being listed';
    const server = await start({ ready: { lists: () => complaint, lease: () => undefined } });
    const failing = await fetch(at(server, '/readyz'));
    expect(failing.status).toBe(503);
    expect(await failing.text()).toBe(
      '[-] lists: PipeSettings are still being listed\n[+] lease: ok\nfailed\n',
    );
    complaint = undefined;
    const passing = await fetch(at(server, '/readyz'));
    expect(passing.status).toBe(200);
    expect(await passing.text()).toBe('[+] lists: ok\n[+] lease: ok\nok\n');
  });

  test('livez asks only the checks of life', async () => {
    const server = await start({
      live: { workers: () => 'a pass over ingest/orders has not ended for 400s' },
      ready: { lists: () => undefined },
    });
    expect((await fetch(at(server, '/livez'))).status).toBe(503);
    expect((await fetch(at(server, '/readyz'))).status).toBe(200);
  });

  test('a check that throws fails the probe and leaves the server up', async () => {
    const server = await start({
      ready: {
        broken: () => {
          throw new Error('no such store');
        },
      },
    });
    const broken = await fetch(at(server, '/readyz'));
    expect(broken.status).toBe(500);
    expect(await broken.text()).toContain('no such store');
    expect((await fetch(at(server, '/livez'))).status).toBe(200);
  });
});

describe('pages and methods', () => {
  test('serves the metrics as the text format', async () => {
    const answer = await fetch(at(await start(), '/metrics?collect[]=x'));
    expect(answer.headers.get('content-type')).toBe(EXPOSITION_CONTENT_TYPE);
    expect(await answer.text()).toBe('a_metric 1\n');
  });

  test('HEAD gives the headers of GET without a body', async () => {
    const answer = await fetch(at(await start(), '/metrics'), { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe('11');
    expect(await answer.text()).toBe('');
  });

  test.each(['/', '/livez/', '/metrics/x', '/constructor', '/%2e%2e/etc/passwd'])(
    '%s is 404',
    async (path) => {
      expect((await fetch(at(await start(), path))).status).toBe(404);
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is 405', async (method) => {
    const answer = await fetch(at(await start(), '/livez'), { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  });

  test('headers beyond 8 KiB are refused', async () => {
    const { port } = await start();
    const call = request({
      host: '127.0.0.1',
      port,
      path: '/livez',
      headers: { 'x-long': 'x'.repeat(9000) },
    });
    call.end();
    const [answer] = await once(call, 'response');
    expect(answer.statusCode).toBe(431);
    answer.resume();
  });
});

describe('start and end', () => {
  test('a port that is taken is an error that names the address and the flag', async () => {
    const { port } = await start();
    await expect(start({ listen: { host: '127.0.0.1', port } })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the port is in use by another process; stop that process or choose another port with --listen`,
    );
  });

  test('an address that this machine has not got is an error that says so', async () => {
    await expect(start({ listen: { host: '192.0.2.1', port: 0 } })).rejects.toThrow(
      /cannot listen on 192\.0\.2\.1:0: .*--listen/,
    );
  });

  test('without a host it listens on every address', async () => {
    const server = await start({ listen: { port: 0 } });
    expect((await fetch(at(server, '/livez'))).status).toBe(200);
  });

  test('close ends connections that are idle or have sent half a request', async () => {
    const server = await start();
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /livez HT');
    const ended = new Promise((resolve) =>
      socket.on('error', () => socket.destroy()).on('close', resolve),
    );
    await server.close();
    await ended;
    await expect(fetch(at(server, '/livez'))).rejects.toThrow('fetch failed');
  });
});
