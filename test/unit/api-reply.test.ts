import { describe, expect, it, test } from 'vitest';
import { type Answer, readAnswer } from '../../src/api/reply.ts';
import { createMask } from '../../src/telemetry/mask.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

interface More {
  readonly httpStatus?: number;
  readonly headers?: Record<string, string>;
  readonly mask?: (text: string) => string;
}

function read(text: string, { mask = (one) => one, ...more }: More = {}): Answer {
  const raw = { httpStatus: 200, headers: {}, ...more, body: { text } };
  return readAnswer(raw, { nowMs: NOW, mask });
}

function ok(more: object = {}): object {
  return { answered: true, httpStatus: 200, ...more };
}

describe('of any body', () => {
  it.each<[string, object]>([
    ['', ok({ defect: 'is empty' })],
    [' \r\n', ok({ defect: 'is empty' })],
    ['<html>504</html>', ok({ defect: 'is not JSON' })],
    ['{"result":', ok({ defect: 'is not JSON' })],
    ['[]', ok()],
    ['null', ok()],
    ['"text"', ok()],
    ...['null', '[]', '"x"', '1', 'true'].map(
      (one) => [`{"result":${one}}`, ok()] as [string, object],
    ),
    ['{"result":{}}', ok({ result: {} })],
    [
      '{"status":500,"requestId":"r-1","result":{"a":1},"error":""}',
      ok({ requestId: 'r-1', result: { a: 1 } }),
    ],
    ['{"result":{},"error":null}', ok({ result: {} })],
    ['{"result":{},"error":"why"}', ok({ error: 'why' })],
    ['{"result":{},"error":{"message":"why"}}', ok({ error: 'why' })],
    ['{"result":{},"error":{"code":"secret"}}', ok()],
    ['{"result":{},"message":"OK","title":"x"}', ok({ result: {} })],
    ['{"__proto__":{"result":{},"error":"x"}}', ok()],
  ])('%j is read without a throw', (text, answer) => expect(read(text)).toEqual(answer));

  it('what broke off is not read', () => {
    const raw = { httpStatus: 400, headers: {}, body: { defect: 'broke off' } };
    const answer = readAnswer(raw, { nowMs: NOW, mask: String });
    expect(answer).toEqual({ answered: true, httpStatus: 400, defect: 'broke off' });
  });

  it('__proto__ and constructor keys pollute nothing', () => {
    const { result } = read(
      '{"constructor":{"prototype":{"y":1}},"result":{"__proto__":{"z":1},"constructor":{"prototype":{"a":1}}}}',
    );
    expect(Object.keys(Object(result))).toEqual(['__proto__', 'constructor']);
    for (const name of ['y', 'z', 'a']) expect(Reflect.get({}, name)).toBeUndefined();
    expect(Reflect.get(Object(result), 'z')).toBeUndefined();
  });

  it('deep nesting is no JSON, so that nothing later overflows on it; brackets in a text are', () => {
    const nested = (depth: number): string =>
      `{"result":${'{"a":'.repeat(depth)}1${'}'.repeat(depth + 1)}`;
    expect(read(nested(60))).toMatchObject({ result: {} });
    for (const depth of [70, 500, 100_000])
      expect(read(nested(depth))).toMatchObject({ defect: 'is not JSON' });
    expect(read(`{"result":${'['.repeat(500_000)}`)).toMatchObject({ defect: 'is not JSON' });
    expect(read(`{"result":{"a":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}}`)).toMatchObject({
      result: {},
    });
  });
});

describe('the reason of a refusal', () => {
  const textOf = (body: unknown, contentType = 'application/json'): string | undefined => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': contentType };
    return read(text, { httpStatus: 400, headers, mask: (one) => one.replaceAll('canary', '***') })
      .error;
  };

  test.for<[string, unknown, string | undefined]>([
    ['in error', { error: 'why', message: 'other' }, 'why'],
    ['in error.message', { error: { code: 7, message: 'why' }, message: 'other' }, 'why'],
    ['in message', { message: 'why', detail: 'other' }, 'why'],
    ['in detail', { type: 'about:blank', title: 'Bad', detail: 'why' }, 'why'],
    ['in title', { type: 'about:blank', title: 'why' }, 'why'],
    ['in the first of errors', { errors: ['why', 'other'] }, 'why'],
    ['in the message of the first of errors', { errors: [{ field: 'x', message: 'why' }] }, 'why'],
    ['where the first places are empty', { error: ' ', message: '', detail: 'why' }, 'why'],
    ['nowhere in numbers and lists', { error: 7, message: ['x'], errors: {} }, undefined],
    ['without what it echoes of the key', { message: 'no canary here' }, 'no *** here'],
    ['in one line', { error: 'BAD\r\n\0x\u2028y\u202ez\u200b  e\x1b[31m ' }, 'BAD x y z e [31m'],
    ['whole with 512 characters', { error: 'x'.repeat(512) }, 'x'.repeat(512)],
    ['cut above', { error: 'x'.repeat(513) }, `${'x'.repeat(511)}…`],
    ['not cut inside a character', { error: `x${'😀'.repeat(300)}` }, `x${'😀'.repeat(255)}…`],
  ])('is found %s', ([, body, text]) => expect(textOf(body)).toBe(text));

  test.for<[string, string, string, string | undefined]>([
    ['found in plain text', 'too many items\n', 'text/plain; charset=utf-8', 'too many items'],
    ['not in a page', '<html>504</html>', 'text/html', undefined],
    ['not in a page that is sent as plain text', '\n<!doctype html>', 'text/plain', undefined],
    ['not in anything that says nothing of itself', 'why', 'application/octet-stream', undefined],
    ['not in JSON that is no object', '"why"', 'text/plain', undefined],
  ])('is %s', ([, body, contentType, text]) => expect(textOf(body, contentType)).toBe(text));
});

it('the request id comes from the body, else from a header, and is one line of at most 128', () => {
  const headers = { 'x-request-id': 'h-1' };
  expect(read('{"requestId":"b-1"}', { headers }).requestId).toBe('b-1');
  expect(read('{}', { headers }).requestId).toBe('h-1');
  expect(read('{"requestId":7}', { headers }).requestId).toBe('h-1');
  const long = read(JSON.stringify({ requestId: `a\n\u202eb${'c'.repeat(200)}` })).requestId;
  expect(long).toBe(`a b${'c'.repeat(124)}…`);
});

describe('the key', () => {
  it('is masked in error and request id', () => {
    const mask = createMask('key-id-1', 'topsecret');
    const text = JSON.stringify({ error: 'no key key-id-1', requestId: 'topsecret' });
    expect(read(text, { mask })).toMatchObject({ error: 'no key ***', requestId: '***' });
  });

  it('is masked wherever the result has it', () => {
    const mask = createMask('key-id-1', 'topsecret');
    const { result } = read('{"result":{"topsecret":[{"a":"my key-id-1"},7]}}', { mask });
    expect(result).toEqual({ '***': [{ a: 'my ***' }, 7] });
  });

  it('is masked where the API has broken it into two lines', () => {
    const mask = createMask('key-id-1', 'top secret');
    expect(read('{"error":"no key top\\r\\n  secret"}', { mask }).error).toBe('no key ***');
  });
});

describe('how long the server asks to wait', () => {
  const wait = (headers: Record<string, string>, httpStatus = 429): number | undefined =>
    read('', { httpStatus, headers }).retryAfterMs;

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
    ...[
      '',
      'soon',
      '5 apples',
      '0x10',
      '1e3',
      'NaN',
      'Infinity',
      'Xyz, 99 Xyz 2026 00:00:20 GMT',
    ].map((text) => [text, 0] as [string, number]),
  ])('is read from %j in either header: %s ms', (value, ms) => {
    expect(wait({ 'retry-after': value })).toBe(ms);
    expect(wait({ 'x-ratelimit-reset': value })).toBe(ms);
  });

  it('is the longer of the two; the reset of a window counts on 429 only', () => {
    const headers = { 'retry-after': '3', 'x-ratelimit-reset': '8' };
    expect([wait(headers), wait(headers, 503)]).toEqual([8_000, 3_000]);
    expect([200, 500, 409].map((status) => wait(headers, status))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
