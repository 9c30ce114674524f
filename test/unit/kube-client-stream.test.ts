import { expect, test } from 'vitest';
import { LineSplitter } from '../../src/kube/client/lines.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { collect, failure, GET, setUp } from '../support/kube-calls.ts';
import { sendJson } from '../support/kube-server.ts';

test('lines come whole wherever they were cut, inside a character too', () => {
  const text = Buffer.from('{"a":"ä€𝄞"}\n\n{"b":1}\r\n{"c":2}\n');
  for (let size = 1; size <= text.length; size++) {
    const splitter = new LineSplitter();
    const lines: string[] = [];
    for (let at = 0; at < text.length; at += size)
      lines.push(...splitter.push(text.subarray(at, at + size)));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { a: 'ä€𝄞' },
      { b: 1 },
      { c: 2 },
    ]);
    expect(splitter.pending).toBe(0);
  }
});

test('a line of megabytes comes whole', async () => {
  const long = `{"x":"${'é'.repeat(3_000_000)}"}`;
  const { client } = await setUp((_, response) => response.end(`${long}\n`));
  const [line] = await collect(
    client.stream({ path: '/w', signal: new AbortController().signal, silenceMs: 5000 }),
  );
  expect(line?.length).toBe(long.length);
});

test('a line without end is given up', async () => {
  const { client } = await setUp((_, response) => {
    const piece = 'x'.repeat(2 ** 20);
    const more = (): boolean => response.destroyed || response.write(piece, () => more());
    more();
  });
  const lines = client.stream({
    path: '/w',
    signal: new AbortController().signal,
    silenceMs: 5000,
  });
  expect(await failure(collect(lines))).toMatchObject({
    reason: 'BrokenStream',
    body: 'one line is longer than 16 MiB',
  });
});

test('a stream that ends inside a line is broken, not ended', async () => {
  const { client } = await setUp((_, response) => response.end('{"a":1}\n{"b"'));
  const lines = client.stream({
    path: '/w',
    signal: new AbortController().signal,
    silenceMs: 5000,
  });
  expect(await failure(collect(lines))).toMatchObject({ status: 0, reason: 'BrokenStream' });
});

test('silence breaks a stream off, however long it has been well, and its connection is not used again', async () => {
  const clock = new FakeClock();
  const { server, client } = await setUp((_, response) => response.writeHead(200).flushHeaders(), {
    clock,
  });
  let opened = 0;
  const lines = client.stream({
    path: '/w',
    signal: new AbortController().signal,
    silenceMs: 65_000,
    onOpen: () => (opened += 1),
  });
  const failing = failure(collect(lines));
  await eventually(() => expect(opened).toBe(1));
  await clock.advance(64_999);
  expect(server.connections.open.size).toBe(1);
  await clock.advance(1);
  expect(await failing).toMatchObject({
    status: 0,
    reason: 'Timeout',
    body: 'nothing within 65 s',
  });
  await eventually(() => expect(server.connections.open.size).toBe(0));
});

test('a short call does not wait behind open streams', async () => {
  const { client } = await setUp((request, response) => {
    if (request.url === '/w') response.writeHead(200).flushHeaders();
    else sendJson(response, 200, { fine: true });
  });
  const stop = new AbortController();
  const open = Array.from({ length: 50 }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    void collect(
      client.stream({ path: '/w', signal: stop.signal, silenceMs: 60_000, onOpen: resolve }),
    ).catch(() => undefined);
    return promise;
  });
  await Promise.all(open);
  // Those stay open for longer than a call may take.
  expect(await client.request(GET)).toEqual({ fine: true });
  stop.abort();
});
