import { describe, expect, it } from 'vitest';
import { judged, NOW } from './client.ts';
import type { Answer } from './servers.ts';

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
    ['in the message of the first of errors', { errors: [{ field: 'x', message: 'why' }] }, 'why'],
    ['nowhere in numbers and lists', { error: 7, message: ['x'], errors: {} }, undefined],
    ['without the key', { error: 'no key-id-1, top%20secret%2F1' }, 'no ***, ***'],
    ['without one in two lines', { error: 'no top\r\n  secret/1' }, 'no ***'],
    ['in one line', { error: 'BAD\r\n\0x\u2028y\u202ez  e\x1b[31m ' }, 'BAD x y z e [31m'],
    ['cut above', { error: 'x'.repeat(513) }, `${'x'.repeat(511)}…`],
    ['not cut inside a character', { error: `x${'😀'.repeat(300)}` }, `x${'😀'.repeat(255)}…`],
  ])('is found %s', async (_, body, said) => {
    expect(await failed({ body })).toMatchObject({ said });
  });

  it.each<[string, string, string, string | undefined]>([
    ['found in plain text', 'too many items\n', 'text/plain; charset=utf-8', 'too many items'],
    ['not in a page', '<html>504</html>', 'text/html', undefined],
    ['not in a page that is sent as plain text', '\n<!doctype html>', 'text/plain', undefined],
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

it('a key that the API says back is masked in values and names of a result', async () => {
  const result = { a: 1, 'key-id-1': ['x', { deep: 'is top secret/1' }] };
  const verdict = await judged({ status: 200, body: { status: 200, result } });
  expect(verdict).toMatchObject({ ok: true, result: { a: 1, '***': ['x', { deep: 'is ***' }] } });
});

describe('how long the server asks to wait', () => {
  it.each<[string, number]>([
    [' 7 ', 7_000],
    ['2.5', 2_500],
    ['-3', 0],
    ['100000', 900_000],
    [String(NOW / 1000 + 30), 30_000],
    ['9'.repeat(400), 900_000],
    ['Thu, 01 Jan 2026 00:00:20 GMT', 20_000],
    ['', 0],
    ['soon', 0],
    ['1e3', 0],
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
