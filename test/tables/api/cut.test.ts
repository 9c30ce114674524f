import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../support/fake-clock.ts';
import { client, put } from './client.ts';
import { httpApi, OK, rawApi } from './servers.ts';

const SUCCESS = { answered: true, httpStatus: 200, result: {} };
const HINT = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n';
const lost = (cause: string) => ({
  answered: false,
  sent: true,
  cause: expect.stringContaining(cause) as string,
});
const broken = (httpStatus: number) => ({ answered: true, httpStatus, defect: 'broke off' });

describe('an answer that is cut', () => {
  it.each([
    ['a success', ''],
    ['a success behind a hint', HINT],
  ])('at any byte of %s is not taken for whole, nor for unsent', async (_, before) => {
    const bytes = before + OK;
    const head = bytes.length - '{"result":{}}'.length;
    let length = 0;
    const base = await rawApi((socket) => socket.end(bytes.slice(0, length)));
    const api = client(base);
    const closed = lost('closed the connection before it answered');
    for (length = 0; length < bytes.length; length += 1)
      expect(await api.call(put), `${length} bytes`).toEqual(length < head ? closed : broken(200));
    expect(await api.call(put)).toEqual(SUCCESS);
  });
});

const LONG = 'y'.repeat(40_000);

describe('an odd answer', () => {
  it.each<[string, string, object]>([
    ['a cut refusal', 'HTTP/1.1 422 X\r\ncontent-length: 9\r\n\r\n{}', broken(422)],
    ['with long headers', `HTTP/1.1 200 OK\r\nx: ${LONG}\r\n\r\n`, lost('larger than 32 KiB')],
    ['not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', lost('answered with something that is not HTTP')],
  ])('is told as what it is: %s', async (_, bytes, reply) => {
    const base = await rawApi((socket) => socket.end(bytes));
    expect(await client(base).call(put)).toMatchObject(reply);
  });

  it.each([
    ['is larger than 1 MiB', 1024 * 1024 + 1],
    [undefined, 1024 * 1024],
  ])('has the defect %s with %i bytes', async (defect, length) => {
    const { base } = await httpApi({ body: `{"result":{}}${' '.repeat(length - 13)}` });
    expect(await client(base).call(put)).toMatchObject({ answered: true, defect });
  });
});

describe('an answer that does not end', () => {
  /** Writes for as long as somebody reads; with each drop the clock goes on. */
  function drip(socket: Socket, drop: string, clock: FakeClock): void {
    const dripping = setInterval(() => {
      socket.write(drop);
      void clock.advance(20);
    }, 2);
    socket.on('close', () => clearInterval(dripping));
  }

  it.each([
    ['a row of hints', '', HINT, lost('no answer within 0.2s')],
    ['a head in drops', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n', lost('no answer within 0.2s')],
    ['a body in drops', 'HTTP/1.1 400 X\r\ncontent-length: 1000\r\n\r\n{', ' ', broken(400)],
  ])('ends at the deadline: %s', async (_, begin, drop, reply) => {
    const clock = new FakeClock();
    const base = await rawApi((socket) => {
      socket.write(begin);
      drip(socket, drop, clock);
    });
    expect(await client(base, { timeoutMs: 200, clock }).call(put)).toEqual(reply);
    expect(clock.pending).toBe(0);
  });

  it('ends where this process stops, and is not called unsent', async () => {
    const stop = new AbortController();
    const base = await rawApi(() => stop.abort());
    const reply = await client(base, { stop: stop.signal }).call(put);
    expect(reply).toEqual(lost('the call was stopped by this process'));
  });
});
