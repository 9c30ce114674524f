import { describe, expect, it } from 'vitest';
import { createMask } from '../../src/redaction.ts';

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
