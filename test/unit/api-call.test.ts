import type { IncomingMessage } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Dispatcher, errors } from 'undici';
import { describe, expect, it } from 'vitest';
import { pause, systemClock } from '../../src/clock.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { client, httpApi, listening, put, rawApi, tlsApi } from '../support/api-client.ts';
import { FakeClock } from '../support/fake-clock.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

describe('what is sent', () => {
  it('is method, path, headers and body as declared, and nothing that asks for compression', async () => {
    const seen: [IncomingMessage, string][] = [];
    const base = await httpApi((request, response, body) => {
      seen.push([request, body]);
      response.end('{"result":{"x":1},"requestId":"r-1"}');
    });
    const reply = await client(`${base}/base/v1/`).call(put);
    const answer = { answered: true, httpStatus: 200, requestId: 'r-1' };
    expect(reply).toEqual({ ...answer, result: { x: 1 } });
    const [[request, body] = []] = seen;
    expect([request?.method, request?.url, body]).toEqual([
      'PUT',
      '/base/v1/organizations/o-1',
      '{"a":1}',
    ]);
    expect(request?.headers).toEqual({
      host: new URL(base).host,
      connection: 'keep-alive',
      authorization: 'Basic aWQ6c2VjcmV0',
      accept: 'application/json',
      'user-agent': 'pipewright/1.2.3',
      'content-type': 'application/json',
      'content-length': '7',
    });
    const { body: _, ...get } = put;
    await client(base).call({ ...get, method: 'GET' });
    expect(seen[1]?.[0].headers).not.toHaveProperty('content-type');
  });

  it.each(['a/b', 'a?b#c', '%2e%2e', 'x\r\nevil: 1', 'ü', 'a b', "it's~*"])(
    'has %j as one encoded segment',
    async (segment) => {
      const urls: (string | undefined)[] = [];
      const base = await httpApi((request, response) => {
        urls.push(request.url);
        expect(request.headers).not.toHaveProperty('evil');
        response.end('{}');
      });
      await client(base).call({ ...put, path: ['v1', segment, 'end'] });
      expect(urls).toEqual([`/v1/${encodeURIComponent(segment)}/end`]);
    },
  );

  it.each(['', '.', '..', '\ud800'])('cannot have the segment %j', async (segment) => {
    const call = client('http://127.0.0.1:1').call({ ...put, path: ['v1', segment] });
    await expect(call).rejects.toThrow(RangeError);
  });
});

describe('never twice', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['closes', (socket) => socket.destroy()],
    ['resets', (socket) => socket.resetAndDestroy()],
  ])('where the server %s as it reads a first or a second request', async (_, leave) => {
    let arrivals = 0;
    const base = await rawApi((socket, count) => {
      arrivals++;
      if (count === 2) socket.write(OK);
      else leave(socket);
    });
    const api = client(base);
    const cause = `${new URL(base).host} closed the connection before it answered`;
    const lost = { answered: false, sent: true, cause };
    expect(await api.call(put)).toEqual(lost);
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(await api.call({ ...put, method: 'GET' })).toEqual(lost);
    expect(arrivals).toBe(3);
  });

  it('where the server closes each connection right after its answer', async () => {
    let arrivals = 0;
    const base = await rawApi((socket) => {
      arrivals++;
      socket.write(OK);
      setImmediate(() => socket.destroy());
    });
    const api = client(base);
    for (let i = 0; i < 30; i++) await api.call(put);
    expect(arrivals).toBe(30);
  });

  it('where the transport would write a request again', async () => {
    let again = (): void => {};
    const dispatcher = new (class extends Dispatcher {
      override dispatch(_: unknown, handler: Dispatcher.DispatchHandler): boolean {
        const controller = {} as Dispatcher.DispatchController;
        handler.onRequestStart?.(controller, {});
        again = () => handler.onRequestStart?.(controller, {});
        handler.onResponseError?.(controller, new errors.SocketError('closed'));
        return true;
      }

      override close = () => Promise.resolve();
    })();
    const api = client('http://api.test', { dispatcher });
    expect(await api.call(put)).toMatchObject({ answered: false, sent: true });
    expect(again).toThrow('never sent twice');
  });

  it('where the answer is a redirect, of which nothing is told', async () => {
    let elsewhere = 0;
    const other = await httpApi((_request, response) => {
      elsewhere++;
      response.end('{"result":{}}');
    });
    const base = await httpApi((_request, response) => {
      response.writeHead(307, { location: `${other}/v1?token=abc` }).end();
    });
    const reply = await client(base).call(put);
    expect(reply).toEqual({ answered: true, httpStatus: 307, defect: 'is empty' });
    expect(elsewhere).toBe(0);
  });
});

describe('connections', () => {
  it('are used again by calls that follow one another', async () => {
    const ports = new Set<number | undefined>();
    const base = await httpApi((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const api = client(base);
    for (let i = 0; i < 20; i++) await api.call(put);
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it('are not kept idle for as long as a load balancer that forgets them, so no outcome is unknown', async () => {
    const FORGOTTEN_MS = 500;
    const answeredAt = new WeakMap<Socket, number>();
    const base = await rawApi((socket) => {
      const idleMs = performance.now() - (answeredAt.get(socket) ?? performance.now());
      if (idleMs > FORGOTTEN_MS) {
        socket.resetAndDestroy();
        return;
      }
      socket.write(OK, () => answeredAt.set(socket, performance.now()));
    });
    const editsApart = async (ms: number): Promise<unknown[]> => {
      const api = client(base);
      const replies = [];
      for (let edit = 0; edit < 4; edit++) {
        replies.push(await api.call(put));
        await pause(systemClock, ms);
      }
      return replies.filter(({ answered }) => !answered);
    };
    const gaps = [100, 200, 290, 300, 310, 400, 490, 510, 600, 800];
    expect(await Promise.all(gaps.map(editsApart))).toEqual(gaps.map(() => []));
  });
});

describe('what never left', () => {
  it.each([
    ['http://127.0.0.1:1', 'connection refused by 127.0.0.1:1'],
    ['http://nothing.invalid', expect.stringMatching(/nothing\.invalid/)],
  ])('is known of %s', async (base, cause) => {
    let asked = 0;
    const reply = await client(base).call({ ...put, begin: () => ++asked > 0 });
    expect(reply).toEqual({ answered: false, sent: false, cause });
    expect(asked, 'no leave is asked for before the connection stands').toBe(0);
  });

  it('is known of a key that no header can hold', async () => {
    let arrivals = 0;
    const base = await rawApi(() => arrivals++);
    const credential = { ...put.credential, authorization: 'Basic a\r\nevil: 1' };
    const reply = await client(base).call({ ...put, credential });
    expect(reply).toMatchObject({ answered: false, sent: false });
    expect(JSON.stringify(reply)).not.toContain('evil');
    expect(arrivals).toBe(0);
  });

  it('is what gets no leave when its connection stands, and the connection serves the next call', async () => {
    const ports = new Set<number | undefined>();
    let arrivals = 0;
    const base = await httpApi((request, response) => {
      arrivals++;
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const api = client(base);
    const off = { answered: false, sent: false, calledOff: true };
    expect(await api.call({ ...put, begin: () => false })).toMatchObject(off);
    expect(await client(base, { stop: AbortSignal.abort() }).call(put)).toMatchObject(off);
    expect(arrivals).toBe(0);
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(ports.size).toBe(1);
  });

  it('leaves in the turn of the event loop in which it got leave', async () => {
    const order: string[] = [];
    const base = await rawApi((socket) => {
      order.push('arrived');
      socket.write(OK);
    });
    const begin = (): boolean => {
      order.push('asked');
      setImmediate(() => order.push('next turn'));
      return true;
    };
    await client(base).call({ ...put, begin });
    expect(order.slice(0, 2)).toEqual(['asked', 'next turn']);
    expect(order).toHaveLength(3);
  });

  it('is what waits for its connection when its time is over', async () => {
    const came = Promise.withResolvers<Socket>();
    const host = await listening(createServer(came.resolve));
    const clock = new FakeClock();
    const call = client(`https://${host}`, { clock, timeoutMs: 2_000 }).call(put);
    const socket = await came.promise;
    await clock.advance(2_000);
    expect(await call).toEqual({ answered: false, sent: false, cause: 'no answer within 2s' });
    socket.destroy();
  });
});

describe('answers that do not end well', () => {
  /** Writes for as long as somebody reads; the clock goes by as much as between two drops. */
  function drip(socket: Socket, drop: string, clock: FakeClock): void {
    const dripping = setInterval(() => {
      socket.write(drop);
      void clock.advance(20);
    }, 20);
    socket.on('close', () => clearInterval(dripping));
  }

  it('end at the deadline where there is none', async () => {
    const clock = new FakeClock();
    const base = await rawApi(() => void clock.advance(150));
    const reply = await client(base, { timeoutMs: 150, clock }).call(put);
    expect(reply).toEqual({ answered: false, sent: true, cause: 'no answer within 0.15s' });
    expect(clock.pending).toBe(0);
  });

  it('end with the signal, and are not called unsent', async () => {
    const stop = new AbortController();
    const base = await rawApi(() => stop.abort());
    const reply = await client(base, { stop: stop.signal }).call(put);
    const cause = 'the call was stopped by this process';
    expect(reply).toEqual({ answered: false, sent: true, cause });
  });

  it.each([
    [
      'a drip',
      'HTTP/1.1 400 Bad\r\ncontent-length: 1000\r\n\r\n{',
      ' ',
      { answered: true, httpStatus: 400, defect: 'broke off' },
    ],
    [
      'a row of hints',
      '',
      'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n',
      { answered: false, sent: true, cause: 'no answer within 0.2s' },
    ],
  ])('end at the deadline where they are %s', async (_, begin, drop, reply) => {
    const clock = new FakeClock();
    const base = await rawApi((socket) => {
      socket.write(begin);
      drip(socket, drop, clock);
    });
    expect(await client(base, { timeoutMs: 200, clock }).call(put)).toEqual(reply);
    expect(clock.monotonic()).toBeLessThan(1_000);
  });

  it.each([
    ['is larger than 1 MiB', 1024 * 1024 + 1],
    [undefined, 1024 * 1024],
  ])('have the defect %s with %i bytes, however often', async (defect, length) => {
    const text = `{"result":{}}${' '.repeat(length - 13)}`;
    const base = await httpApi((_request, response) => response.end(text));
    const api = client(base);
    for (let i = 0; i < 3; i++)
      expect((await api.call(put)) as object).toHaveProperty('defect', defect);
  });

  it.each<[string, string | Buffer, object]>([
    ['breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"result":{}}', broken(200)],
    ['breaks off as a refusal', 'HTTP/1.1 422 X\r\ncontent-length: 9\r\n\r\n{}', broken(422)],
    [
      'comes after a hint',
      'HTTP/1.1 103 X\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 13\r\n\r\n{"result":{}}',
      { httpStatus: 200, result: {} },
    ],
    [
      'is compressed',
      Buffer.concat([
        Buffer.from('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n'),
        gzipSync('{"result":{}}'),
      ]),
      { httpStatus: 200, defect: 'is not JSON' },
    ],
    [
      'has long headers',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
      { sent: true, cause: expect.stringMatching(/answered with headers larger than 32 KiB/) },
    ],
    [
      'is not HTTP',
      'SSH-2.0-OpenSSH_9.6\r\n\r\n',
      { sent: true, cause: expect.stringMatching(/answered with something that is not HTTP/) },
    ],
  ])('are told where one %s', async (_, bytes, reply) => {
    const base = await rawApi((socket) => socket.end(bytes));
    expect(await client(base).call(put)).toMatchObject(reply);
  });

  function broken(httpStatus: number): object {
    return { answered: true, httpStatus, defect: 'broke off' };
  }
});

describe('over TLS', () => {
  it('an extra CA is trusted, and HTTP/1.1 spoken also where HTTP/2 is offered', async () => {
    const identity = selfSigned();
    const { host, seen } = await tlsApi(identity);
    const api = client(`https://${host}`, { ca: identity.cert });
    expect(await api.call(put)).toMatchObject({ httpStatus: 200, result: { x: 1 } });
    expect(seen).toMatchObject([['1.1', {}]]);
  });

  it.each<[string, Parameters<typeof selfSigned>[0], boolean, string]>([
    [
      'of an unknown CA',
      {},
      false,
      'is not signed by a trusted CA (DEPTH_ZERO_SELF_SIGNED_CERT); name its CA with --api-ca-file',
    ],
    ['for another address', { address: '127.0.0.9' }, true, 'is for another host name'],
    ['that has run out', { daysLeft: -1 }, true, 'is not valid (CERT_HAS_EXPIRED)'],
  ])('nothing is sent to a server with a certificate %s', async (_, options, trusted, words) => {
    const identity = selfSigned(options);
    const { host, seen } = await tlsApi(identity);
    const reply = await client(`https://${host}`, trusted ? { ca: identity.cert } : {}).call(put);
    const cause = `the TLS certificate of ${host} ${words}`;
    expect(reply).toEqual({ answered: false, sent: false, cause });
    expect(seen).toEqual([]);
  });

  it('a server that says nothing is given up after 3 s, whatever the call may take', async () => {
    const host = await listening(createServer(() => undefined));
    const reply = await client(`https://${host}`, { timeoutMs: 35_000 }).call(put);
    const cause = `no connection to ${host} within 3s`;
    expect(reply).toEqual({ answered: false, sent: false, cause });
  });

  it('a server that speaks none is named', async () => {
    const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const reply = await client(`https://${await listening(plain)}`).call(put);
    const cause = expect.stringContaining('no TLS connection') as string;
    expect(reply).toMatchObject({ answered: false, sent: false, cause });
  });
});

it('each call is counted once, with its status or none, but one that was called off', async () => {
  const base = await httpApi((_request, response) => response.writeHead(503).end());
  const counted: string[] = [];
  const onCall = (call: { operation: string; code: string }): void =>
    void counted.push(`${call.operation} ${call.code}`);
  await client(base, { onCall }).call(put);
  await client('http://127.0.0.1:1', { onCall }).call(put);
  await client(base, { onCall }).call({ ...put, begin: () => false });
  expect(counted).toEqual(['put-settings 503', 'put-settings none']);
});
