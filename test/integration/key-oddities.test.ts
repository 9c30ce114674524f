import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScene, type Scene } from '../support/scene.ts';

/** How keys arrive in Secrets in the bug reports of other operators. */

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

type Oddity = (pair: { readonly id: string; readonly secret: string }) => {
  readonly keyId: string;
  readonly keySecret: string;
};

const ODDITIES: readonly (readonly [string, Oddity, string, RegExp])[] = [
  [
    'only-blanks',
    ({ id }) => ({ keyId: id, keySecret: ' \t\n' }),
    'SecretInvalid',
    /Secret "only-blanks" cannot be used: its key "keySecret" is empty/,
  ],
  [
    'blanks-around',
    ({ id, secret }) => ({ keyId: ` ${id}\n`, keySecret: `\t${secret} \r\n` }),
    'Applied',
    /request/,
  ],
  [
    'quotes-around',
    ({ id, secret }) => ({ keyId: id, keySecret: `"${secret}"` }),
    'SecretInvalid',
    /Secret "quotes-around" cannot be used: its key "keySecret" has quotes around its value/,
  ],
  [
    'too-long',
    ({ id, secret }) => ({ keyId: id, keySecret: secret.padEnd(4_097, 'x') }),
    'SecretInvalid',
    /Secret "too-long" cannot be used: its key "keySecret" is longer than the 4096 bytes/,
  ],
  [
    'control-inside',
    ({ id, secret }) => ({ keyId: id, keySecret: `${secret}\n${secret}` }),
    'SecretInvalid',
    /Secret "control-inside" cannot be used: its key "keySecret" contains control characters/,
  ],
  [
    'swapped',
    ({ id, secret }) => ({ keyId: secret, keySecret: id }),
    'Unauthorized',
    /The id in the Secret is longer than the secret: they may be swapped/,
  ],
  [
    'base64-twice',
    ({ id, secret }) => ({ keyId: id, keySecret: btoa(secret) }),
    'Unauthorized',
    /The secret in the Secret is base64 of a text: it may have been encoded twice/,
  ],
];

test.concurrent.each(ODDITIES)('%s', async (name, odd, reason, says) => {
  const pair = await scene.newKey(name);
  const stored = odd(pair);
  await scene.secret(name, stored);
  await scene.psets.create(name, { credentialsSecretRef: { name } });
  const object = await scene.psets.until(name, reason);
  const message = object.status.conditions[0]?.message ?? '';
  expect(message).toMatch(says);
  expect(scene.psets.puts(name)).toHaveLength(reason === 'SecretInvalid' ? 0 : 1);
  for (const value of [pair.secret, stored.keySecret.trim()].filter((text) => text !== ''))
    expect(JSON.stringify(object)).not.toContain(value);
  // Mended, it is used soon.
  await scene.newKey(name);
  await scene.psets.until(name, 'Applied', 8_000);
});
