import { Dispatcher, errors } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { BASIC, client, get, put } from './client.ts';
import { httpApi, OK, rawApi } from './servers.ts';

describe('what is sent', () => {
  it('is method, path, headers and body as declared, and asks for no compression', async () => {
    const { base, seen } = await httpApi();
    await client(`${base}/base/v1/`).call(put);
    const [{ request, body } = {}] = seen;
    const line = [request?.method, request?.url, body];
    expect(line).toEqual(['PUT', '/base/v1/organizations/o-1', '{"a":1}']);
    expect(request?.headers).toEqual({
      host: new URL(base).host,
      connection: 'keep-alive',
      authorization: BASIC,
      accept: 'application/json',
      'user-agent': 'pipewright/1.2.3',
      'content-type': 'application/json',
      'content-length': '7',
    });
    await client(base).call(get);
    expect(seen[1]?.request.headers).not.toHaveProperty('content-type');
  });

  it.each([
    ['a/b', 'a%2Fb'],
    ['%2e%2e', '%252e%252e'],
    ['ü', '%C3%BC'],
  ])('has %j as one encoded segment', async (segment, encoded) => {
    const { base, seen } = await httpApi();
    await client(base).call({ ...put, path: ['v1', segment, 'end'] });
    expect(seen.map(({ request }) => request.url)).toEqual([`/v1/${encoded}/end`]);
  });

  it.each(['', '.', '..', '\ud800'])('cannot have the segment %j', async (segment) => {
    const call = client('http://127.0.0.1:1').call({ ...put, path: ['v1', segment] });
    await expect(call).rejects.toThrow(RangeError);
  });
});

describe('a request is never sent twice', () => {
  it('where the server closes as it reads a first or a second one', async () => {
    let arrivals = 0;
    const base = await rawApi((socket, count) => {
      arrivals += 1;
      if (count === 2) socket.write(OK);
      else socket.destroy();
    });
    const api = client(base);
    const cause = `${new URL(base).host} closed the connection before it answered`;
    const lost = { answered: false, sent: true, cause };
    expect(await api.call(put)).toEqual(lost);
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
    expect(await api.call(get)).toEqual(lost);
    expect(arrivals).toBe(3);
  });

  it.each([301, 308])('nor to where a redirect with %i points', async (status) => {
    const other = await httpApi();
    const headers = { location: `${other.base}/v1?token=abc` };
    const { base } = await httpApi({ status, headers, body: '' });
    expect(await client(base).call(put)).toMatchObject({ httpStatus: status });
    expect(other.seen).toEqual([]);
  });

  it('where the transport would write it again', async () => {
    let again = (): unknown => undefined;
    const dispatcher = new (class extends Dispatcher {
      override dispatch(_: unknown, handler: Dispatcher.DispatchHandler): boolean {
        const controller = {} as Dispatcher.DispatchController;
        again = () => handler.onRequestStart?.(controller, {});
        again();
        handler.onResponseError?.(controller, new errors.SocketError('closed'));
        return true;
      }

      override close = () => Promise.resolve();
    })();
    const reply = await client('http://api.test', { dispatcher }).call(put);
    expect(reply).toMatchObject({ answered: false, sent: true });
    expect(again).toThrow('never sent twice');
  });
});

describe('not sent is', () => {
  it('a call that finds nobody, and leave is asked for once a connection stands', async () => {
    const begin = vi.fn<() => boolean>(() => true);
    const reply = await client('http://127.0.0.1:1').call({ ...put, begin });
    const cause = 'connection refused by 127.0.0.1:1';
    expect(reply).toEqual({ answered: false, sent: false, cause });
    expect(begin).not.toHaveBeenCalled();
  });

  it('what gets no leave when its connection stands, which serves the next call', async () => {
    const { base, seen } = await httpApi();
    const api = client(base);
    const off = { answered: false, sent: false, calledOff: true };
    expect(await api.call({ ...put, begin: () => false })).toMatchObject(off);
    expect(await client(base, { stop: AbortSignal.abort() }).call(put)).toMatchObject(off);
    expect(seen).toEqual([]);
    expect(await api.call(put)).toMatchObject({ httpStatus: 200 });
  });
});

it('an idle connection is closed before others close it, so no outcome is unknown', async () => {
  const closed = Promise.withResolvers<void>();
  const base = await rawApi((socket) => {
    socket.once('close', () => closed.resolve());
    socket.write(OK);
  });
  await client(base).call(put);
  const answeredAt = performance.now();
  await closed.promise;
  expect(performance.now() - answeredAt).toBeLessThan(2_500);
});
