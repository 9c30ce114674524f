import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../src/telemetry/health.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { recordingLog } from '../support/recording-log.ts';

/** Anybody in the cluster may send anything to the port of the probes and metrics. */

let server: Awaited<ReturnType<typeof startServer>>;
const { log, messages: errors } = recordingLog();

beforeAll(async () => {
  server = await startServer({
    listen: { host: '127.0.0.1', port: 0 },
    missing: () => undefined,
    metrics: () => Promise.resolve('a_metric 1\n'),
    clock: new FakeClock(),
    log,
  });
});
afterAll(() => server.close());

/** All that comes back until the server closes; nothing more is sent after this. */
async function answerTo(bytes: Buffer): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  await once(socket, 'connect');
  socket.end(bytes);
  return text(socket.setEncoding('latin1')).catch(() => '');
}

const statuses = (answer: string): string[] =>
  [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status = '']) => status);

const method = fc.constantFrom('GET', 'HEAD', 'POST', 'get', 'TRACE', 'CONNECT', 'PRI', 'G\0T', '');
const target = fc.oneof(
  fc.constantFrom(
    '/livez',
    '/metrics',
    '//livez',
    '/../livez',
    '/%6civez',
    'http://169.254.169.254/livez',
    'https://u:p@h/metrics',
    '*',
    'h:443',
    '/__proto__',
    `/livez?${'x'.repeat(9_000)}`,
    '/\ud83d\ude00',
    '',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const version = fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '');
const header = fc.constantFrom(
  'Host: h',
  'Host: a\r\nHost: b',
  'Content-Length: 5',
  'Content-Length: -1',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nContent-Length: 4',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding : chunked',
  'Expect: 100-continue',
  'Expect: everything',
  'Upgrade: websocket\r\nConnection: upgrade',
  'Connection: keep-alive',
  ' folded: x',
  'no colon',
  `X: ${'y'.repeat(9_000)}`,
  'X: a\0b',
  'X: \xff',
  '__proto__: x',
);
const request = fc
  .record({
    method,
    target,
    version,
    headers: fc.array(header, { maxLength: 4 }),
    end: fc.constantFrom('\r\n', '\n', '\r', '\r\n\r\n'),
    body: fc.constantFrom(
      '',
      'hello',
      '0\r\n\r\n',
      'zz\r\n',
      'GET /livez HTTP/1.1\r\nHost: h\r\n\r\n',
    ),
  })
  .map((one) => {
    const lines = [`${one.method} ${one.target} ${one.version}`, 'Host: h', ...one.headers];
    return `${lines.join(one.end)}${one.end}${one.end}${one.body}`;
  });
const bytes = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(request, { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 100 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '\x16\x03\x01\x02\0\x01',
      '\0'.repeat(20_000),
      '\r\n'.repeat(9_000),
      'A'.repeat(70_000),
    ),
  },
);

describe('whatever is sent to the own server', () => {
  test('it answers with a page or a refusal, and goes on', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => {
        const answer = await answerTo(Buffer.from(sent, 'latin1'));
        expect(answer).toMatch(/^(HTTP\/1\.1 |$)/);
        for (const status of statuses(answer)) expect(status).toMatch(/^(100|200|4\d\d)$/);
        expect(answer.length).toBeLessThan(4_096);
        expect(errors).toEqual([]);
      }),
      { numRuns: 250 },
    );
    expect(await answerTo(Buffer.from('GET /livez HTTP/1.1\r\nHost: h\r\n\r\n'))).toContain(
      '200 OK',
    );
  }, 60_000);

  const hidden = 'GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n';
  const chunks = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  test.each([
    ['a body', `Content-Length: ${hidden.length}`, hidden],
    ['a chunk', 'Transfer-Encoding: chunked', chunks],
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${hidden.length}`, hidden],
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked', chunks],
    ['chunks by another name', 'Transfer-Encoding: xchunked', chunks],
    ['a length in another spelling', 'Content-Length: +0', hidden],
  ])('a request in %s is no request', async (_, head, body) => {
    const answer = await answerTo(
      Buffer.from(`POST /livez HTTP/1.1\r\nHost: h\r\n${head}\r\n\r\n${body}`),
    );
    expect(statuses(answer)).toHaveLength(1);
    expect(answer).not.toContain('a_metric');
  });

  test('thousands of requests at once on one connection are answered or cut off', async () => {
    const answer = await answerTo(
      Buffer.from('GET /nowhere HTTP/1.1\r\nHost: h\r\n\r\n'.repeat(3_000)),
    );
    expect(statuses(answer).filter((status) => status !== '404')).toEqual([]);
    expect((await fetch(`http://127.0.0.1:${server.port}/livez`)).status).toBe(200);
  });
});
