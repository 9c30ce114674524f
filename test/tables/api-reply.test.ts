import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BASIC, client, judged, NOW, put } from './api/client.ts';
import { type Answer, rawApi } from './api/servers.ts';

/** A refusal. */
const failed = async (answer: Answer) => {
  const verdict = await judged({ status: 400, ...answer });
  if (verdict.ok) throw new Error('it was taken for a success');
  return verdict;
};

describe('the reason of a refusal', () => {
  it.each<[string, unknown, string | undefined]>([
    ['in error', { error: 'why', message: 'other' }, 'why'],
    ['in error.message', { error: { code: 7, message: 'why' }, message: 'other' }, 'why'],
    ['in message', { message: 'why', detail: 'other' }, 'why'],
    ['in detail', { type: 'about:blank', title: 'Bad', detail: 'why' }, 'why'],
    ['in title', { type: 'about:blank', title: 'why' }, 'why'],
    ['in the first of errors', { errors: ['why', 'other'] }, 'why'],
    ['in the message of the first of errors', { errors: [{ field: 'x', message: 'why' }] }, 'why'],
    ['where the first places are empty', { error: ' ', message: '', detail: 'why' }, 'why'],
    ['nowhere in numbers and lists', { error: 7, message: ['x'], errors: {} }, undefined],
    ['without the key', { error: 'no key-id-1, top secret/1' }, 'no ***, ***'],
    ['without one in two lines', { error: 'no top\r\n  secret/1' }, 'no ***'],
    ['in one line', { error: 'BAD\r\n\0x\u2028y\u202ez\u200b  e\x1b[31m ' }, 'BAD x y z e [31m'],
    ['cut above', { error: 'x'.repeat(513) }, `${'x'.repeat(511)}…`],
    ['not cut inside a character', { error: `x${'😀'.repeat(300)}` }, `x${'😀'.repeat(255)}…`],
  ])('is found %s', async (_, body, said) => {
    expect(await failed({ body })).toMatchObject({ said });
  });

  it.each<[string, string, string, string | undefined]>([
    ['found in plain text', 'too many items\n', 'text/plain; charset=utf-8', 'too many items'],
    ['not in a page', '<html>504</html>', 'text/html', undefined],
    ['not in a page that is sent as plain text', '\n<!doctype html>', 'text/plain', undefined],
    ['not in what says nothing of itself', 'why', 'application/octet-stream', undefined],
    ['not in JSON that is no object', '"why"', 'text/plain', undefined],
  ])('is %s', async (_, body, contentType, said) => {
    expect(await failed({ headers: { 'content-type': contentType }, body })).toMatchObject({
      said,
    });
  });
});

it.each([
  ['{"requestId":"b-1"}', 'b-1'],
  ['{}', 'h-1'],
  ['{"requestId":7}', 'h-1'],
  [`{"requestId":"a\\n\\u202eb${'c'.repeat(200)}"}`, `a b${'c'.repeat(124)}…`],
])('the request id is one line of at most 128, of body or header: %s', async (body, requestId) => {
  expect(await failed({ headers: { 'x-request-id': 'h-1' }, body })).toMatchObject({ requestId });
});

describe('how long the server asks to wait', () => {
  it.each<[string, number]>([
    ['0', 0],
    [' 7 ', 7_000],
    ['2.5', 2_500],
    ['-3', 0],
    ['100000', 900_000],
    [String(NOW / 1000 + 30), 30_000],
    [String(NOW + 45_000), 45_000],
    [String(NOW - 45_000), 0],
    ['9'.repeat(400), 900_000],
    ['Thu, 01 Jan 2026 00:00:20 GMT', 20_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['', 0],
    ['soon', 0],
    ['1e3', 0],
    ['Xyz, 99 Xyz 2026 00:00:20 GMT', 0],
  ])('is read from %j in either header: %s ms', async (value, ms) => {
    for (const name of ['retry-after', 'x-ratelimit-reset'])
      expect((await failed({ status: 429, headers: { [name]: value } })).retryAfterMs).toBe(ms);
  });

  it.each([
    [429, 8_000],
    [503, 3_000],
    [500, undefined],
  ])('is the longer of the two; the reset counts on 429 only: %i', async (status, ms) => {
    const headers = { 'retry-after': '3', 'x-ratelimit-reset': '8' };
    expect((await failed({ status, headers })).retryAfterMs).toBe(ms);
  });
});

const FORMS = ['key-id-1', 'top secret/1', 'top%20secret%2F1', 'top+secret%2f1', BASIC];
const anything = fc.oneof(
  fc.constantFrom(...FORMS, 'x'.repeat(3_000), '\ud800', '\u202e\u001b[31m', '{', '\0'),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.json({ maxDepth: 3 }),
);
const name = fc.constantFrom('result', 'error', 'requestId', 'message', '__proto__');
const body = fc.oneof(
  anything,
  fc.dictionary(name, anything).map((all) => JSON.stringify(all)),
);

it('whatever is answered, what is told of it is short lines without the key', async () => {
  let next = '';
  const base = await rawApi((socket) => socket.end(Buffer.from(next)));
  const api = client(base);
  const status = fc.constantFrom('200', '201', '400', '401', '429', '500', '999', 'no');
  const header = fc.tuple(fc.constantFrom('x-request-id', 'retry-after', 'location'), anything);
  await fc.assert(
    fc.asyncProperty(status, fc.array(header, { maxLength: 3 }), body, async (code, all, sent) => {
      const headers = all.map(([name, value]) => `${name}: ${value.replace(/[\r\n\0]/g, '')}\r\n`);
      next = `HTTP/1.1 ${code} X\r\n${headers.join('')}\r\n${sent}`;
      const reply = await api.call(put);
      const told = JSON.stringify(reply);
      for (const form of FORMS) expect(told).not.toContain(form);
      const lines = reply.answered ? [reply.error, reply.requestId] : [reply.cause];
      for (const line of lines) expect(line ?? '').toMatch(/^[^\p{Cc}\u2028\u2029]{0,512}$/u);
    }),
    { numRuns: 200 },
  );
});
