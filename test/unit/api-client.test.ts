import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ApiClientOptions } from '../../src/api/http/client.ts';
import { client, httpServer, put, rawServer } from '../support/plain-client.ts';

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

it('tells each call once, with its status or none, but one that was called off', async () => {
  const base = await httpServer((_request, response) => response.writeHead(503).end());
  const metrics: string[] = [];
  const onCall: ApiClientOptions['onCall'] = ({ operation, code }) =>
    metrics.push(`${operation} ${code}`);
  await client(base, { onCall }).call(put);
  await client('http://127.0.0.1:1', { onCall }).call(put);
  await client(base, { onCall }).call({ ...put, begin: () => 'not-permitted' });
  expect(metrics).toEqual(['put-settings 503', 'put-settings none']);
});
