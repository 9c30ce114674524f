import type { ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Incoming } from '../../src/kube/client/incoming.ts';
import { selfSigned } from '../simulator/certificate.ts';
import { eventually } from '../support/eventually.ts';

const { cert, key } = selfSigned();
const PIECE = Buffer.alloc(64 * 1024, 'x');
const PIECES = 1_024;

type Response = ServerResponse | Http2ServerResponse;

/** Server and pool of one protocol; `get` sends a GET of `/` that brings its answer to `incoming`. */
async function setUp(allowH2: boolean, answer: (response: Response) => void) {
  const requests: Response[] = [];
  /** Those whose stream or connection is over. */
  const closed = new Set<Response>();
  const sockets = new Set<Socket>();
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (_, response) => {
    requests.push(response);
    response.on('close', () => closed.add(response));
    answer(response);
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('sessionError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const pool = new Pool(`https://127.0.0.1:${port}`, { allowH2, connect: { ca: cert } });
  onTestFinished(async () => {
    await pool.destroy();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const get = (incoming = new Incoming()): Incoming => {
    pool.dispatch({ method: 'GET', path: '/' }, incoming);
    return incoming;
  };
  const isClosed = (): boolean => requests.slice(-1).some((last) => closed.has(last));
  return { get, requests, isClosed };
}

/** Writes as fast as the reader lets it; counts the pieces that left. */
function pour(sent: { pieces: number }): (response: Response) => void {
  return (response) => {
    const more = (): void => {
      if (sent.pieces === PIECES) return void response.end();
      sent.pieces += 1;
      (response as ServerResponse).write(PIECE, more);
    };
    more();
  };
}

async function sizeOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of body) size += chunk.length;
  return size;
}

describe.each([{ protocol: 'HTTP/2' }, { protocol: 'HTTP/1.1' }])('$protocol', ({ protocol }) => {
  const isH2 = protocol === 'HTTP/2';

  test('a server waits for a reader that is slow, who then gets everything', async () => {
    const sent = { pieces: 0 };
    const { get } = await setUp(isH2, pour(sent));
    const incoming = get();
    expect((await incoming.head).statusCode).toBe(200);
    const body = incoming[Symbol.asyncIterator]();
    const first = await body.next();
    for (let still = 0, before = 0; still < 20_000; still += 1, before = sent.pieces) {
      if (before !== sent.pieces) still = 0;
      await turn();
    }
    expect(sent.pieces).toBeLessThan(PIECES);
    const firstSize = first.done ? 0 : first.value.length;
    expect(firstSize + (await sizeOf({ [Symbol.asyncIterator]: () => body }))).toBe(
      PIECE.length * PIECES,
    );
  });

  test('a body that has come whole is there for who reads it later', async () => {
    const { get, requests } = await setUp(isH2, (response) => response.end('all of it'));
    const incoming = get();
    await incoming.head;
    await eventually(() => expect(requests[0]?.writableFinished).toBe(true));
    for (let turns = 0; turns < 100; turns += 1) await turn();
    expect(await sizeOf(incoming)).toBe(9);
  });

  test('whoever stops reading before the end breaks the call off', async () => {
    const { get, isClosed } = await setUp(isH2, (response) => {
      (response as ServerResponse).write('a piece');
    });
    for await (const chunk of get()) {
      expect(chunk.length).toBe(7);
      break;
    }
    await eventually(() => expect(isClosed()).toBe(true));
  });

  test('a call that is broken off fails for who waits for it and for who reads it', async () => {
    const { get, isClosed } = await setUp(isH2, (response) => {
      (response as ServerResponse).write('a piece');
    });
    const reason = new Error('that is enough');
    const waiting = get();
    waiting.abort(reason);
    await expect(waiting.head).rejects.toBe(reason);
    const read = get();
    await read.head;
    const reading = sizeOf(read);
    read.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await eventually(() => expect(isClosed()).toBe(true));
  });

  test('a call that is over before it has a connection is not sent', async () => {
    const { get, requests } = await setUp(isH2, (response) => response.end('x'));
    const over = new Incoming();
    over.abort(new Error('too late'));
    get(over);
    await expect(over.head).rejects.toThrow('too late');
    expect(await sizeOf(get())).toBe(1);
    expect(requests).toHaveLength(1);
  });
});

test('what only informs before an answer is none', async () => {
  const { get } = await setUp(false, (response) => {
    response.writeEarlyHints({ link: '</x>; rel=preload' });
    response.end('x');
  });
  expect((await get().head).statusCode).toBe(200);
});

test.each([
  ['at once', []],
  ['after something that only informs', [103]],
])('an answer that ends %s before it has begun is none', async (_, codes) => {
  const incoming = new Incoming();
  const controller = {} as Dispatcher.DispatchController;
  for (const code of codes) incoming.onResponseStart(controller, code, {});
  incoming.onResponseEnd();
  await expect(incoming.head).rejects.toThrow('the answer ended before it began');
});
