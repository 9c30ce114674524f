import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../src/api/reply/envelope.ts';
import { headerWait } from '../../src/api/reply/retry-after.ts';
import { createMask } from '../../src/redaction.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const context = { url: 'https://api.example/v1', nowMs: NOW, mask: (text: string) => text };

function read(text: string, more: { httpStatus?: number; headers?: Record<string, string> } = {}) {
  return readAnswer({ httpStatus: 200, headers: {}, ...more, body: { text } }, context);
}

describe('readAnswer', () => {
  it.each<[string, string]>([
    ['', 'empty'],
    [' \r\n', 'empty'],
    ['<html>504</html>', 'not-json'],
    ['{"result":', 'not-json'],
    ['[]', 'json'],
    ['null', 'json'],
    ['"text"', 'json'],
  ])('reads %j as %s, without a result', (text, body) => {
    expect(read(text)).toEqual({ answered: true, httpStatus: 200, body });
  });

  it.each(['null', '[]', '"x"', '1', 'true'])('takes %s for no result', (result) => {
    expect(read(`{"result":${result}}`)).not.toHaveProperty('result');
  });

  it('reads the envelope with or without its optional parts', () => {
    expect(read('{"result":{}}')).toEqual({
      answered: true,
      httpStatus: 200,
      body: 'json',
      result: {},
    });
    const full = '{"status":500,"requestId":"r-1","result":{"a":1},"error":""}';
    expect(read(full)).toEqual({
      answered: true,
      httpStatus: 200,
      body: 'json',
      requestId: 'r-1',
      result: { a: 1 },
    });
  });

  it('marks an error that is not text, without showing it', () => {
    expect(read('{"result":{},"error":{"secret":"s"}}')).toEqual({
      answered: true,
      httpStatus: 200,
      body: 'json',
      oddError: true,
      result: {},
    });
    expect(read('{"error":null}')).not.toHaveProperty('oddError');
  });

  it('lets __proto__ and constructor keys pollute nothing', () => {
    const reply = read(
      '{"__proto__":{"result":{"x":1},"error":"e"},"constructor":{"prototype":{"y":1}},"result":{"__proto__":{"z":1}}}',
    );
    expect(reply).not.toHaveProperty('error');
    expect(Reflect.get({}, 'y')).toBeUndefined();
    expect(Reflect.get(Object(reply.result), 'z')).toBeUndefined();
    expect(read('{"__proto__":{"result":{}}}')).not.toHaveProperty('result');
  });

  it('keeps every digit of a number that a double cannot hold', () => {
    const { result } = read(
      '{"result":{"id":12345678901234567890,"big":1e400,"bytes":53687091200,"float":5000.0,"exp":5e3}}',
    );
    expect(result).toEqual({
      id: '12345678901234567890',
      big: '1e400',
      bytes: 53687091200,
      float: 5000,
      exp: 5000,
    });
  });

  it('takes deep nesting for no JSON, so that nothing later overflows on it, and is not misled by brackets in text', () => {
    expect(read(`{"result":${'['.repeat(500_000)}`)).toMatchObject({ body: 'not-json' });
    const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
    expect(read(`{"result":{"a":${deep}}}`)).toMatchObject({ body: 'not-json' });
    expect(read(`{"result":{"a":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}}`)).toMatchObject({
      body: 'json',
    });
  });

  it('makes the error one line without control, bidi and separator characters', () => {
    const { error } = read(
      JSON.stringify({ error: 'BAD\r\n\u0000x\u2028y\u202ez\u200b  end\u001b[31m ' }),
    );
    expect(error).toBe('BAD x y z end [31m');
  });

  it('cuts the error at 512 code points and never inside one', () => {
    expect(read(JSON.stringify({ error: '😀'.repeat(512) })).error).toBe('😀'.repeat(512));
    expect(read(JSON.stringify({ error: '😀'.repeat(513) })).error).toBe(`${'😀'.repeat(511)}…`);
    expect(
      Array.from(read(JSON.stringify({ error: `x${'😀'.repeat(5_000)}` })).error ?? ''),
    ).toHaveLength(512);
  });

  it('takes the request id from the body, else from a header, as at most 128 plain characters', () => {
    const headers = { 'x-request-id': 'h-1' };
    expect(read('{"requestId":"b-1"}', { headers }).requestId).toBe('b-1');
    expect(read('{}', { headers }).requestId).toBe('h-1');
    expect(read('{"requestId":7}', { headers }).requestId).toBe('h-1');
    expect(read(JSON.stringify({ requestId: `a b\n\u202e${'c'.repeat(200)}` })).requestId).toBe(
      `ab${'c'.repeat(126)}`,
    );
  });

  it('masks error text and request id', () => {
    const mask = createMask('key-id-1', 'topsecret');
    const text = JSON.stringify({ error: 'no key key-id-1', requestId: 'topsecret' });
    const reply = readAnswer(
      { httpStatus: 401, headers: {}, body: { text } },
      { ...context, mask },
    );
    expect(reply).toMatchObject({ error: 'no key ***', requestId: '***' });
  });

  it('masks a request id that becomes the secret only as line ends and unprintable characters go', () => {
    const mask = createMask('key-id-1', 'topsecret');
    const text = JSON.stringify({ requestId: 'of top\u200bsec\r\n ret' });
    const reply = readAnswer(
      { httpStatus: 401, headers: {}, body: { text } },
      { ...context, mask },
    );
    expect(reply).toMatchObject({ requestId: 'of***' });
  });

  it('masks a secret with a blank in it that the API has broken into two lines', () => {
    const mask = createMask('key-id-1', 'top secret');
    const text = JSON.stringify({ error: 'no key top\r\n  secret' });
    expect(
      readAnswer({ httpStatus: 401, headers: {}, body: { text } }, { ...context, mask }),
    ).toMatchObject({
      error: 'no key ***',
    });
  });

  it('names only the host of a redirect, also of a relative one', () => {
    const host = (location: string): string | undefined =>
      read('', { httpStatus: 302, headers: { location } }).redirectHost;
    expect(host('https://u:p@other.example:8443/x?token=1')).toBe('other.example:8443');
    expect(host('/login')).toBe('api.example');
    expect(host('http://[')).toBeUndefined();
  });

  it.each([
    'https://id.Top-Secret.example/',
    'https://top-s%65cret.example/',
    'https://top-secret/',
  ])('masks the key in the host of the redirect to %s', (location) => {
    const keySecret = location.includes('Top') ? 'Top-Secret' : 'top-secret';
    const mask = createMask('key-id-1', keySecret);
    const raw = { httpStatus: 302, headers: { location }, body: { text: '' } };
    const { redirectHost = '' } = readAnswer(raw, { ...context, mask });
    expect(redirectHost).toContain('***');
    expect(redirectHost.toLowerCase()).not.toContain('secret');
  });
});

describe('headerWait', () => {
  it.each<[string, number]>([
    ['0', 0],
    ['7', 7_000],
    ['2.5', 2_500],
    ['-3', 0],
    ['100000', 900_000],
    [String(NOW / 1000 + 30), 30_000],
    [String(NOW + 45_000), 45_000],
    [String(NOW - 45_000), 0],
    ['99999999999999999999999', 900_000],
    ['Thu, 01 Jan 2026 00:00:20 GMT', 20_000],
    ['2026-01-01T00:00:21Z', 21_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
  ])('reads %s as %i ms in either header', (value, wait) => {
    expect(headerWait({ 'retry-after': value }, 429, NOW)).toBe(wait);
    expect(headerWait({ 'x-ratelimit-reset': value }, 429, NOW)).toBe(wait);
  });

  it.each(['', 'soon', '5 apples', '0x10', '1e3', 'NaN', 'Infinity'])(
    'reads nothing from %j',
    (value) => {
      expect(headerWait({ 'retry-after': value }, 429, NOW)).toBeUndefined();
    },
  );

  it('takes the longer of the two, and the reset of a window on 429 only', () => {
    const headers = { 'retry-after': '3', 'x-ratelimit-reset': '8' };
    expect(headerWait(headers, 429, NOW)).toBe(8_000);
    expect(headerWait(headers, 503, NOW)).toBe(3_000);
    expect(headerWait({ 'x-ratelimit-reset': '8' }, 200, NOW)).toBeUndefined();
  });
});

describe('createMask', () => {
  const id = 'kid/1+2';
  const secret = 's3cr&t p?$1';
  const mask = createMask(id, secret);
  const pair = `${id}:${secret}`;
  const base64 = Buffer.from(pair).toString('base64');

  it.each([
    id,
    secret,
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(pair).toString('base64url'),
    encodeURIComponent(secret),
    encodeURIComponent(base64),
    encodeURIComponent(secret).toLowerCase(),
    Buffer.from(secret).toString('base64'),
  ])('hides %s', (form) => {
    expect(mask(`a ${form} b${form}c`)).toBe('a *** b***c');
  });

  it('hides both where they stand together', () => {
    expect(mask(`a ${pair} b`)).toBe('a ***:*** b');
  });

  it.each([
    ['as PHP has it in JSON', String.raw`a!b'c(d)*e<f>\"g\/h&i ~j`],
    ['as Go has it in JSON', String.raw`a!b'c(d)*e\u003cf\u003e\"g/h\u0026i ~j`],
    ['as a form has it', 'a%21b%27c%28d%29*e%3Cf%3E%22g%2Fh%26i+%7Ej'],
    ['as RFC 3986 has it', 'a%21b%27c%28d%29%2Ae%3Cf%3E%22g%2Fh%26i%20~j'],
    ['as JavaScript has it in a URL', "a!b'c(d)*e%3Cf%3E%22g%2Fh%26i%20~j"],
    ['as Python has it in HTML', 'a!b&#x27;c(d)*e&lt;f&gt;&quot;g/h&amp;i ~j'],
    ['as Go has it in HTML', 'a!b&#39;c(d)*e&lt;f&gt;&#34;g/h&amp;i ~j'],
    ['in hexadecimal digits', '61216227632864292a653c663e22672f682669207e6a'],
  ])('hides it %s', (_case, form) => {
    expect(createMask(id, `a!b'c(d)*e<f>"g/h&i ~j`)(`a ${form} b`)).toBe('a *** b');
  });

  it.each(['Zm9v&#x2F;YmFy+cXV4&#x3D;&#x3D;', 'Zm9v/YmFy&#43;cXV4=='])(
    'hides what templates make of it: %s',
    (form) => expect(createMask(id, 'Zm9v/YmFy+cXV4==')(`a ${form} b`)).toBe('a *** b'),
  );

  it('hides it within base64 of a longer text, wherever it begins', () => {
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const longer = Buffer.from(`${before}${pair}, and more`).toString('base64');
      const masked = mask(longer);
      const [first = '', last = ''] = masked.split('***');
      expect([first.length, longer.endsWith(last)], before).toEqual([expect.any(Number), true]);
      expect(first.length, before).toBeLessThanOrEqual(8);
      expect(masked.length, before).toBeLessThan(longer.length - 16);
    }
  });

  it('hides base64 as it stands in URLs too', () => {
    const form = Buffer.from('???>>>???').toString('base64url');
    expect(form).toMatch(/_.*-/);
    expect(createMask(id, '???>>>???')(`a ${form} b`)).toBe('a *** b');
  });

  it('hides a short value as a whole word only, so that a text stays readable', () => {
    expect(createMask('a', '.')('a table is . a thing.')).toBe('*** table is *** *** thing.');
    expect(createMask('k', 'pass')('passing the pass k')).toBe('passing the *** ***');
  });

  it('hides a value as it stands in JSON', () => {
    const quoted = 'say "hi" \\o/';
    expect(createMask(id, quoted)(JSON.stringify({ quoted }))).toBe('{"quoted":"***"}');
  });

  it('takes no part of a value for a pattern', () => {
    expect(createMask('a.c.e.g', '(.*)+$^|[')('abcdefg a.c.e.g')).toBe('abcdefg ***');
  });
});
