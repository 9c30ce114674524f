import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { client, httpServer, put, rawServer } from '../support/plain-client.ts';

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
