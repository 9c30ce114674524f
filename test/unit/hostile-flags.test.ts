import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { FLAGS } from '../../src/config/flag-table.ts';
import { environmentName } from '../../src/config/flags.ts';

const URL_FLAG = '--api-url=https://api.example.com';
const CANARY = 'hunter22canary';

function messageOf(argv: readonly string[], env: Record<string, string> = {}): string {
  const parsed = parseConfig({ argv, env, version: '1' });
  if (parsed.ok) return '';
  expect([0, 2]).toContain(parsed.exitCode);
  return parsed.message;
}

const flag = fc.constantFrom(...FLAGS.map(({ name }) => name));

/** In front of the last @ a password may have anything in it. */
const passwordInFront = fc
  .tuple(
    fc.constantFrom('', '/', '=', '@', ':', '#', '?', ',', 'x,', '1/', '12:', '%', ' ', '\n', '"'),
    fc.constantFrom('', '/', '=', '@', '#', ',y', ' ', '!'),
  )
  .map(([before, after]) => `${before}${CANARY}${after}`);

const scheme = fc.constantFrom('', 'http://', 'https://', 'socks5://', 'HTTP://');
const host = fc.constantFrom('proxy.example.com', 'h:1', 'h:99999', '[::1]:80', 'h/path?a=b', '');

/** Wherever an address or a list of key=value is meant, and what is pasted there by mistake. */
const withPassword = fc.oneof(
  fc
    .tuple(scheme, fc.constantFrom('bob:', ':', ''), passwordInFront, host)
    .map(([of, user, password, at]) => `${of}${user}${password}@${at}`),
  fc
    .tuple(
      scheme,
      fc.constantFrom('bob:', 'h?token=', 'h/#', 'password=', 'a=b,token=', 'h:80?'),
      fc.constantFrom('', ',y', ' z', '/'),
    )
    .map(([of, before, after]) => `${of}${before}${CANARY}${after}`),
);

describe('whatever the process is started with', () => {
  test('a password in any value is not repeated', () => {
    const way = fc.constantFrom('=', 'apart', 'environment', 'mistyped', 'stray', 'one dash');
    fc.assert(
      fc.property(flag, withPassword, way, (name, value, how) => {
        const more = name === 'api-url' ? [] : [URL_FLAG];
        const argv = {
          '=': [...more, `--${name}=${value}`],
          apart: [...more, `--${name}`, value],
          environment: more,
          mistyped: [...more, `--x-${name}=${value}`],
          stray: [...more, value],
          'one dash': [...more, `-${name}=${value}`],
        }[how];
        const env = how === 'environment' ? { [environmentName(name)]: value } : undefined;
        expect(messageOf(argv, env)).not.toContain(CANARY);
      }),
      { numRuns: 4_000 },
    );
  });

  test('a password of a proxy is not repeated', () => {
    const name = fc.constantFrom('HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy');
    fc.assert(
      fc.property(name, withPassword, (variable, value) => {
        expect(messageOf([URL_FLAG], { [variable]: value })).not.toContain(CANARY);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a value that only somebody mistyped is repeated whole', () => {
    for (const value of ['8080', 'localhost:99999', 'http://x:80', '::1:80', 'a b', '1,2', 'Ä'])
      expect(messageOf([URL_FLAG, `--listen=${value}`])).toContain(JSON.stringify(value));
  });

  test('it starts, or says on short lines what is wrong', () => {
    const text = fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('x'.repeat(100_000), '-'.repeat(99), '\0', '__proto__'),
      },
    );
    const word = fc.oneof(
      text,
      flag.map((name) => `--${name}`),
      fc.tuple(flag, text).map(([name, value]) => `--${name}=${value}`),
      fc.constantFrom('--', '-', '---', '--=', '--=x', '-h', '--no-help', '--__proto__', URL_FLAG),
    );
    const env = fc.dictionary(
      fc.oneof(flag.map(environmentName), fc.constantFrom('PIPEWRIGHT_', 'NO_PROXY', 'HTTP_PROXY')),
      text,
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), env, (argv, given) => {
        const lines = messageOf(argv, given).split('\n');
        const isHelp = lines[0]?.startsWith('pipewright manages') ?? false;
        expect(isHelp || lines.every((line) => line.length <= 1_024)).toBe(true);
      }),
      { numRuns: 1_500 },
    );
  });
});
