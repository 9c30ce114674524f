import { describe, expect, it } from 'vitest';
import { normaliseBaseUrl, parseBaseUrl } from '../../src/api/base-url.ts';

describe('normaliseBaseUrl', () => {
  it.each([
    ['https://api.example', 'https://api.example'],
    ['https://API.Example:443/', 'https://api.example'],
    ['https://api.example/v1', 'https://api.example'],
    ['https://api.example/v1/', 'https://api.example'],
    ['https://api.example/base//v1//', 'https://api.example/base'],
    ['https://api.example/rev1', 'https://api.example/rev1'],
    ['http://[::1]:8080/v1', 'http://[::1]:8080'],
  ])('reads %s as %s', (text, normal) => {
    expect(normaliseBaseUrl(new URL(text))).toBe(normal);
    expect(normaliseBaseUrl(new URL(normal))).toBe(normal);
  });
});

describe('parseBaseUrl', () => {
  const problem = (text: string, allowHttp = false): string => {
    const read = parseBaseUrl(text, { allowHttp });
    return 'problem' in read ? read.problem : `fine: ${read.url.href}`;
  };

  it.each([
    'https://api.example/v1',
    'http://localhost:8080',
    'http://127.0.0.1:1',
    'http://127.9.9.9',
    'http://[::1]:1',
  ])('takes %s', (text) => expect(problem(text)).toMatch(/^fine: /));

  it.each([
    ['api.example', 'is not a URL'],
    ['ftp://api.example', 'scheme ftp'],
    ['https://id:secret@api.example', 'must not carry a user name'],
    ['https://token@api.example', 'must not carry a user name'],
    ['https://:secret@api.example', 'must not carry a user name'],
    ['https://api.example?x=1', 'remove what begins with ?'],
    ['https://api.example#x', 'must end with the path'],
    ['http://api.example', 'use https, or --api-allow-http'],
    ['http://127.evil.example', 'use https'],
    ['http://localhost.evil.example', 'use https'],
    ['http://api.localhost', 'use https'],
  ])('refuses %s', (text, words) => {
    expect(problem(text)).toContain(words);
  });

  it('takes http anywhere when told to', () => {
    expect(problem('http://api.example', true)).toBe('fine: http://api.example/');
  });

  it('repeats no password of an address it cannot read', () => {
    expect(problem('https://id:hunter22@')).not.toContain('hunter22');
  });
});
