import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCredentials } from '../../src/kinds/shared/credentials.ts';
import type { SecretObject } from '../../src/kube/secrets.ts';
import { anObject } from '../support/kube-server.ts';

/** Whoever may write a Secret may write anything into it, under any name, and refer to any key. */

const CANARY = 'canary7f3a9c2e5b1d';

const keyName = fc.constantFrom(
  'keyId',
  'keySecret',
  'username',
  'password',
  '__proto__',
  'constructor',
  'toString',
  'k'.repeat(253),
);
const content = fc.oneof(
  fc.constantFrom(
    '',
    CANARY,
    `${CANARY}\r\n`,
    `\n${CANARY}`,
    `${CANARY}:x`,
    `${CANARY}\0`,
    `ü${CANARY}`,
  ),
  fc.nat(40).map((size) => `${CANARY}${'(a+)+$'.repeat(size)}`),
  fc
    .constantFrom(100, 238, 239, 4_078, 4_079, 16_000, 700_000)
    .map((size) => CANARY.padEnd(CANARY.length + size, '\\')),
  fc.string({ unit: 'binary-ascii', maxLength: 12 }).map((text) => `${text}${CANARY}`),
);
const value = fc.oneof(
  { weight: 5, arbitrary: content.map((text) => Buffer.from(text).toString('base64')) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 50 })
      .map((bytes) => Buffer.from(bytes).toString('base64')),
  },
  { weight: 1, arbitrary: fc.constantFrom('%%%%', '=', 'YQ', `!${CANARY}!`) },
);
const data = fc
  .array(fc.tuple(keyName, value), { maxLength: 6 })
  .map((all) => Object.fromEntries(all) as Readonly<Record<string, string>>);
const ref = fc.record({ keyIdKey: keyName, keySecretKey: keyName }, { requiredKeys: [] });
const type = fc.constantFrom('Opaque', 'kubernetes.io/basic-auth', '__proto__', '');

test('any Secret is a usable key, or a problem in words without a value of it', async () => {
  await fc.assert(
    fc.asyncProperty(data, ref, type, async (held, keys, of) => {
      const secret: SecretObject = { ...anObject('api', '7'), type: of, data: held };
      const { read } = createCredentials({
        secrets: {
          read: () => Promise.resolve({ state: 'present', resourceVersion: '7', secret }),
          forget: () => undefined,
        },
        baseUrl: 'https://api.test',
        guard: () => () => undefined,
      });
      const got = await read('ns', { name: 'api', ...keys });
      const message = got.ok ? '' : got.problem.message;
      const authorization = got.ok ? got.credential.authorization : 'Basic YTpi';
      expect(message).not.toContain('canary');
      expect(message).not.toContain(Buffer.from(CANARY).toString('base64').slice(0, 20));
      expect([...message].length).toBeLessThanOrEqual(1_024);
      expect(message).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(Buffer.from(authorization.slice(6), 'base64').toString('latin1')).toMatch(
        /^[ -9;-~]{1,256}:[ -~]{1,4096}$/,
      );
      const pair = Buffer.from(authorization.slice(6), 'base64').toString('latin1');
      const echoed = got.ok ? got.credential.mask(`no key ${pair} or ${authorization}`) : '';
      expect(echoed).not.toContain('canary');
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 400 },
  );
});
