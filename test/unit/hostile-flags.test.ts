import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { FLAG_LIST, flagOf, variableOf } from '../../src/config/flags.ts';
import { loadCluster } from '../../src/kube/cluster.ts';
import { errorFields } from '../../src/telemetry/log.ts';
import { selfSigned } from '../simulator/certificate.ts';

const URL_FLAG = '--api-url=https://api.example.com';
const CANARY = 'hunter22canary';

function messageOf(argv: readonly string[], env: Record<string, string> = {}): string {
  const parsed = parseConfig({ argv, env, version: '1' });
  if (parsed.ok) return '';
  expect([0, 2]).toContain(parsed.exitCode);
  return parsed.message;
}

const flag = fc.constantFrom(...FLAG_LIST.map(([name]) => name));

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

const FILE_FLAGS = FLAG_LIST.flatMap(([name, { placeholder }]) =>
  placeholder === 'FILE' ? [name] : [],
);

/** What a file may hold, with a secret behind its beginning. */
const textOfFile = fc
  .tuple(
    fc.constantFrom(
      (secret: string) => pem('EC PRIVATE KEY', `MHcCAQEEI\n${secret}`),
      (secret: string) => pem('RSA PRIVATE KEY', `X: me@host\n\n${secret}`),
      (secret: string) => `Bag Attributes\n${pem('PRIVATE KEY', secret)}`,
      (secret: string) => btoa(pem('EC PRIVATE KEY', 'MHcCAQEEI')) + secret,
      (secret: string) =>
        `MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg${'A'.repeat(40)}${secret}`,
      (secret: string) => `apiVersion: v1\nusers:\n- user: {token: ${secret}}\n`,
      (secret: string) => `- a@b\n- ${secret}\n`,
      (secret: string) => JSON.stringify({ users: [{ user: { token: secret } }] }, null, 1),
      (secret: string) => `line\n${secret}\n${secret}`,
    ),
    fc.constantFrom(CANARY, `=${CANARY}`, `@${CANARY}`, ` ${CANARY}/+==`),
    fc.constantFrom('\n', '\r\n', '\r', '\\n', '\\r\\n', ' '),
  )
  // A list of words on one line is no text of a file that anybody could tell.
  .filter(([of, , end]) => end !== ' ' || /BEGIN|LS0|MIG|:/.test(of('')))
  .map(([of, secret, end]) => of(secret).replaceAll('\n', end));

function pem(kind: string, body: string): string {
  return `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----\n`;
}

const way = fc.constantFrom('=', 'apart', 'environment', 'mistyped', 'mistyped apart', 'stray');

/** What the process says to a value that was given for this flag in this way. */
function messageFor(how: string, name: string, value: string): string {
  const more = name === 'apiUrl' ? [] : [URL_FLAG];
  const mistyped = `--x-${flagOf(name).slice(2)}`;
  const words: Readonly<Record<string, readonly string[]>> = {
    '=': [`${flagOf(name)}=${value}`],
    apart: [flagOf(name), value],
    mistyped: [`${mistyped}=${value}`, `${flagOf(name).slice(1)}=${value}`],
    'mistyped apart': [mistyped, value],
    stray: [value],
  };
  const env = how === 'environment' ? { [variableOf(name)]: value } : {};
  return messageOf([...more, ...(words[how] ?? [])], env);
}

describe('whatever the process is started with', () => {
  test('a password in any value is not repeated', () => {
    fc.assert(
      fc.property(flag, withPassword, way, (name, value, how) => {
        expect(messageFor(how, name, value)).not.toContain(CANARY);
        expect(messageOf([URL_FLAG], { https_proxy: value })).not.toContain(CANARY);
      }),
      { numRuns: 4_000 },
    );
  });

  test('of the text of a file in the place of its path nothing is repeated', async () => {
    expect(FILE_FLAGS.length).toBeGreaterThan(1);
    const name = fc.constantFrom(...FILE_FLAGS, 'listen', 'selector', 'namespaces');
    await fc.assert(
      fc.asyncProperty(name, textOfFile, way, async (one, value, how) => {
        const message = messageFor(how, one, value);
        expect(message).toMatch(/^pipewright cannot start/);
        expect(message).not.toContain(CANARY);
        vi.stubEnv('KUBECONFIG', value);
        for (const kubeconfig of [undefined, value]) {
          const problem: unknown = await loadCluster(kubeconfig).catch((error: unknown) => error);
          expect(problem).toBeInstanceOf(Error);
          expect(JSON.stringify(errorFields(problem))).not.toContain(CANARY);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('of a key in the place of the path of a file not even the beginning is repeated', () => {
    const { key } = selfSigned();
    for (const text of [key, key.replaceAll('\n', ' '), key.replaceAll('\n', '\\n'), btoa(key)]) {
      const message = messageOf([URL_FLAG], { PIPEWRIGHT_API_CA_FILE: text });
      expect(message).toContain(
        'PIPEWRIGHT_API_CA_FILE: (the text of a file or a key, not shown) is not a file',
      );
      for (const part of text.match(/[A-Za-z0-9+/]{16}/g) ?? [])
        expect(message).not.toContain(part);
    }
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
      flag.map((name) => flagOf(name)),
      fc.tuple(flag, text).map(([name, value]) => `${flagOf(name)}=${value}`),
      fc.constantFrom('--', '-', '---', '--=', '--=x', '-h', '--no-help', '--__proto__', URL_FLAG),
    );
    const env = fc.dictionary(
      fc.oneof(flag.map(variableOf), fc.constantFrom('PIPEWRIGHT_', 'NO_PROXY', 'HTTP_PROXY')),
      text,
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), env, (argv, given) => {
        const lines = messageOf(argv, given).split('\n');
        const isHelp = lines[0]?.startsWith('Usage: pipewright') ?? false;
        expect(isHelp || lines.every((line) => line.length <= 1_024)).toBe(true);
      }),
      { numRuns: 1_500 },
    );
  });
});
