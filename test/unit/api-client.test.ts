import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ApiClient,
  type ApiClientOptions,
  type ApiRequest,
  createApiClient,
} from '../../src/api/http/client.ts';
import { systemClock } from '../../src/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';

const cleanups: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return `http://127.0.0.1:${address.port}`;
}

function httpServer(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<string> {
  return listen(
    createHttpServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => handle(request, response, body));
    }),
  );
}

/**
 * A server without HTTP: `onRequest` gets the socket each time a whole request head has arrived.
 */
function rawServer(onRequest: (socket: Socket, count: number) => void): Promise<string> {
  let count = 0;
  return listen(
    createServer((socket) => {
      socket.on('data', (chunk) => {
        if (chunk.toString('latin1').includes('\r\n\r\n')) onRequest(socket, ++count);
      });
    }),
  );
}

function client(base: string, more: Partial<ApiClientOptions> = {}): ApiClient {
  const made = createApiClient({
    baseUrl: new URL(base),
    timeoutMs: 5_000,
    clock: systemClock,
    version: '1.2.3',
    mayStart: () => true,
    ...more,
  });
  cleanups.push(() => made.close());
  return made;
}

const put: ApiRequest = {
  operation: 'put-settings',
  method: 'PUT',
  path: ['v1', 'organizations', 'o-1'],
  body: '{"a":1}',
  credential: {
    id: 'c',
    authorization: 'Basic aWQ6c2VjcmV0',
    mask: (text) => text.replaceAll('secret', '***'),
  },
};

describe('what is sent', () => {
  it('sends method, path, headers and body as declared, and nothing that asks for compression', async () => {
    const seen: {
      url?: string | undefined;
      method?: string | undefined;
      body: string;
      headers: IncomingMessage['headers'];
    }[] = [];
    const base = await httpServer((request, response, body) => {
      seen.push({ url: request.url, method: request.method, body, headers: request.headers });
      response.end('{"result":{"x":1},"requestId":"r-1"}');
    });
    const reply = await client(`${base}/base/v1/`).call(put);
    expect(reply).toEqual({
      answered: true,
      httpStatus: 200,
      body: 'json',
      requestId: 'r-1',
      result: { x: 1 },
    });
    expect(seen).toMatchObject([
      { method: 'PUT', url: '/base/v1/organizations/o-1', body: '{"a":1}' },
    ]);
    expect(seen[0]?.headers).toEqual({
      host: new URL(base).host,
      connection: 'keep-alive',
      authorization: 'Basic aWQ6c2VjcmV0',
      accept: 'application/json',
      'user-agent': 'pipewright/1.2.3',
      'content-type': 'application/json',
      'content-length': '7',
    });
  });

  it('sends no content type without a body', async () => {
    let headers: IncomingMessage['headers'] = {};
    const base = await httpServer((request, response) => {
      headers = request.headers;
      response.end('{}');
    });
    const { body: _, ...get } = put;
    await client(base).call({ ...get, method: 'GET' });
    expect(headers).not.toHaveProperty('content-type');
  });

  it.each(['a/b', 'a?b#c', '%2e%2e', 'x\r\nevil: 1', 'ü', 'a b'])(
    'keeps %j one encoded segment',
    async (segment) => {
      const urls: (string | undefined)[] = [];
      const base = await httpServer((request, response) => {
        urls.push(request.url);
        expect(request.headers).not.toHaveProperty('evil');
        response.end('{}');
      });
      await client(base).call({ ...put, path: ['v1', segment, 'end'] });
      expect(urls).toEqual([`/v1/${encodeURIComponent(segment)}/end`]);
    },
  );

  it.each(['', '.', '..', '\ud800'])('refuses the segment %j', async (segment) => {
    await expect(
      client('http://127.0.0.1:1').call({ ...put, path: ['v1', segment] }),
    ).rejects.toThrow(RangeError);
  });

  it('sends nothing when a header value holds a line break', async () => {
    let arrivals = 0;
    const base = await rawServer(() => arrivals++);
    const reply = await client(base).call({
      ...put,
      credential: { ...put.credential, authorization: 'Basic a\r\nevil: 1' },
    });
    expect(reply).toMatchObject({ answered: false, sent: false });
    expect(arrivals).toBe(0);
  });

  it('reuses connections: calls that follow each other at once need two at most', async () => {
    const ports = new Set<number | undefined>();
    const base = await httpServer((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const api = client(base);
    for (let i = 0; i < 20; i++) await api.call(put);
    expect(ports.size).toBeLessThanOrEqual(2);
  });
});

describe('never twice', () => {
  it('makes one arrival when the server closes right after reading the request', async () => {
    let arrivals = 0;
    const base = await rawServer((socket) => {
      arrivals++;
      socket.destroy();
    });
    const reply = await client(base).call(put);
    expect(reply).toMatchObject({
      answered: false,
      sent: true,
      cause: expect.stringContaining('closed the connection'),
    });
    expect(arrivals).toBe(1);
  });

  it('makes one arrival on a kept connection that the server closes as it reads the second request', async () => {
    let arrivals = 0;
    const base = await rawServer((socket, count) => {
      arrivals++;
      if (count === 1) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      else socket.resetAndDestroy();
    });
    const api = client(base);
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(await api.call({ ...put, method: 'GET' })).toMatchObject({
      answered: false,
      sent: true,
    });
    expect(arrivals).toBe(2);
  });

  it('makes one arrival per call when the server closes each connection while it is idle', async () => {
    let arrivals = 0;
    const base = await rawServer((socket) => {
      arrivals++;
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}');
      setImmediate(() => socket.destroy());
    });
    const api = client(base);
    for (let i = 0; i < 30; i++) await api.call(put);
    expect(arrivals).toBe(30);
  });

  it('follows no redirect and names only its host', async () => {
    let elsewhere = 0;
    const other = await httpServer((_request, response) => {
      elsewhere++;
      response.end('{"result":{}}');
    });
    const base = await httpServer((_request, response) => {
      response.writeHead(307, { location: `${other}/v1?token=abc` }).end();
    });
    const reply = await client(base).call(put);
    expect(reply).toMatchObject({ httpStatus: 307, redirectHost: new URL(other).host });
    expect(JSON.stringify(reply)).not.toContain('token');
    expect(elsewhere).toBe(0);
  });
});

describe('what never left', () => {
  it('knows a refused connection', async () => {
    const reply = await client('http://127.0.0.1:1').call(put);
    expect(reply).toEqual({
      answered: false,
      sent: false,
      cause: 'connection refused by 127.0.0.1:1',
    });
  });

  it('knows a name that does not exist', async () => {
    const reply = await client('http://nothing.invalid').call(put);
    expect(reply).toMatchObject({ answered: false, sent: false });
  });

  it('asks for leave when the connection stands, and sends nothing without it', async () => {
    let arrivals = 0;
    const base = await rawServer(() => arrivals++);
    const byLeader = await client(base, { mayStart: () => false }).call(put);
    expect(byLeader).toMatchObject({ answered: false, sent: false, aborted: 'not-leader' });
    const byPermit = await client(base).call({ ...put, begin: () => 'not-permitted' });
    expect(byPermit).toMatchObject({ answered: false, sent: false, aborted: 'not-permitted' });
    expect(arrivals).toBe(0);
  });

  it('does not ask for leave before the connection stands', async () => {
    let asked = 0;
    const mayStart = (): boolean => {
      asked++;
      return true;
    };
    await client('http://127.0.0.1:1', { mayStart }).call(put);
    expect(asked).toBe(0);
  });

  it('goes on with the same connection after a call was called off', async () => {
    const ports = new Set<number | undefined>();
    const base = await httpServer((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const api = client(base);
    await api.call(put);
    await api.call({ ...put, begin: () => 'not-permitted' });
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(ports.size).toBe(1);
  });

  it('sends nothing for a signal that has fired before', async () => {
    let arrivals = 0;
    const base = await rawServer(() => arrivals++);
    const reply = await client(base).call({ ...put, signal: AbortSignal.abort() });
    expect(reply).toMatchObject({ answered: false, sent: false, aborted: 'signal' });
    expect(arrivals).toBe(0);
  });
});

/** Writes for as long as somebody reads; the clock goes by as much as passes between two drops. */
function drip(socket: Socket, drop: string, clock: FakeClock): void {
  const dripping = setInterval(() => {
    socket.write(drop);
    void clock.advance(20);
  }, 20);
  socket.on('close', () => clearInterval(dripping));
}

describe('answers that do not end well', () => {
  it('ends a call without an answer at the deadline', async () => {
    const clock = new FakeClock();
    const base = await rawServer(() => void clock.advance(150));
    const reply = await client(base, { timeoutMs: 150, clock }).call(put);
    expect(reply).toEqual({ answered: false, sent: true, cause: 'no answer within 0.15s' });
  });

  it('stops a running call when its signal fires, and does not call it unsent', async () => {
    const stop = new AbortController();
    const base = await rawServer(() => stop.abort());
    const reply = await client(base).call({ ...put, signal: stop.signal });
    expect(reply).toEqual({
      answered: false,
      sent: true,
      cause: 'the call was stopped by this process',
    });
  });

  it('ends a drip at the deadline and keeps its status', async () => {
    const clock = new FakeClock();
    const base = await rawServer((socket) => {
      socket.write('HTTP/1.1 400 Bad\r\ncontent-length: 1000\r\n\r\n{');
      drip(socket, ' ', clock);
    });
    const reply = await client(base, { timeoutMs: 200, clock }).call(put);
    expect(reply).toMatchObject({ answered: true, httpStatus: 400, body: 'truncated' });
    expect(clock.monotonic()).toBeLessThan(1_000);
  });

  it('ends an endless row of informational responses at the deadline', async () => {
    const clock = new FakeClock();
    const base = await rawServer((socket) =>
      drip(socket, 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', clock),
    );
    const reply = await client(base, { timeoutMs: 150, clock }).call(put);
    expect(reply).toMatchObject({ answered: false, sent: true });
  });

  it('reads the final answer after an informational one', async () => {
    const base = await rawServer((socket) => {
      socket.write(
        'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"result":{}}',
      );
    });
    expect(await client(base).call(put)).toMatchObject({ httpStatus: 200, result: {} });
  });

  it('stops reading an endless body above 1 MiB', async () => {
    let written = 0;
    const base = await httpServer((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, 0x20);
      const more = (): void => {
        let isFlowing = true;
        while (!response.destroyed && isFlowing) {
          isFlowing = response.write(chunk);
          written += chunk.length;
        }
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const reply = await client(base).call(put);
    expect(reply).toMatchObject({ answered: true, httpStatus: 200, body: 'too-large' });
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it('reads a body of exactly 1 MiB', async () => {
    const text = `{"result":{}}${' '.repeat(1024 * 1024 - 13)}`;
    const base = await httpServer((_request, response) => response.end(text));
    expect(await client(base).call(put)).toMatchObject({ body: 'json', result: {} });
  });

  it('knows a body that broke off', async () => {
    const base = await rawServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"result":{}}'),
    );
    expect(await client(base).call(put)).toEqual({
      answered: true,
      httpStatus: 200,
      body: 'truncated',
    });
  });

  it('takes a compressed body for no JSON', async () => {
    const { gzipSync } = await import('node:zlib');
    const base = await httpServer((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"result":{}}')),
    );
    expect(await client(base).call(put)).toEqual({
      answered: true,
      httpStatus: 200,
      body: 'not-json',
    });
  });

  it('bounds the headers', async () => {
    const base = await rawServer((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`),
    );
    const reply = await client(base).call(put);
    expect(reply).toMatchObject({
      answered: false,
      sent: true,
      cause: expect.stringContaining('headers larger'),
    });
  });

  it('names an answer that is not HTTP', async () => {
    const base = await rawServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'));
    const reply = await client(base).call(put);
    expect(reply).toMatchObject({
      answered: false,
      sent: true,
      cause: expect.stringContaining('not HTTP'),
    });
  });
});

it('tells each call once, with its status or none', async () => {
  const base = await httpServer((_request, response) => response.writeHead(503).end());
  const metrics: string[] = [];
  const onCall: ApiClientOptions['onCall'] = ({ operation, code }) =>
    metrics.push(`${operation} ${code}`);
  await client(base, { onCall }).call(put);
  await client('http://127.0.0.1:1', { onCall }).call(put);
  expect(metrics).toEqual(['put-settings 503', 'put-settings none']);
});
