import { describe, expect, test } from 'vitest';
import { type CredentialRead, createCredentials } from '../../src/kinds/shared/credentials.ts';
import type { SecretRef } from '../../src/kube/key-pair.ts';
import type { SecretRead } from '../../src/kube/secrets.ts';
import { expectReadable } from '../support/status-law.ts';

const KEY_ID = 'canary-key-id-7731';
const KEY_SECRET = 'canary-key-secret-9462';
const REF: SecretRef = { name: 'api' };

function base64(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
}

function aSecret(
  values: Readonly<Record<string, string>>,
  more: { type?: string; version?: string } = {},
): SecretRead {
  const metadata = {
    name: 'api',
    namespace: 'ns',
    uid: 'u',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  const secret = {
    metadata: { ...metadata, resourceVersion: more.version ?? '1' },
    type: more.type ?? 'Opaque',
    data: base64(values),
  };
  return { state: 'present', resourceVersion: secret.metadata.resourceVersion, secret };
}

const GOOD = { keyId: KEY_ID, keySecret: KEY_SECRET };

/** Secrets by `namespace/name`, and what is guarded at the moment. */
function setUp(secrets: Record<string, SecretRead>, baseUrl = 'https://api.test') {
  const guarded: (readonly string[])[] = [];
  const forgotten: string[] = [];
  const credentials = createCredentials({
    secrets: {
      read: (key) => Promise.resolve(secrets[key] ?? { state: 'absent' }),
      forget: (key) => void forgotten.push(key),
    },
    baseUrl,
    guard: (values) => {
      guarded.push(values);
      return () => void guarded.splice(guarded.indexOf(values), 1);
    },
  });
  return { credentials, secrets, guarded, forgotten };
}

async function readOne(secret: SecretRead, ref: SecretRef = REF): Promise<CredentialRead> {
  return setUp({ 'ns/api': secret }).credentials.read('ns', ref);
}

async function problemOf(secret: SecretRead, ref: SecretRef = REF) {
  const read = await readOne(secret, ref);
  if (read.ok) throw new Error('a usable key');
  expectReadable([read.problem.message]);
  for (const value of [KEY_ID, KEY_SECRET, ...Object.values(base64(GOOD))]) {
    expect(JSON.stringify(read)).not.toContain(value);
  }
  return read;
}

async function pairOf(secret: SecretRead, ref: SecretRef = REF): Promise<string> {
  const read = await readOne(secret, ref);
  if (!read.ok) throw new Error(read.problem.message);
  return Buffer.from(read.credential.authorization.slice('Basic '.length), 'base64').toString();
}

describe('the key is found', () => {
  const both = {
    ...GOOD,
    username: 'user',
    password: 'word',
    id: 'own-id',
    'the.secret': 'own-secret',
  };
  test.for<[string, SecretRead, SecretRef, string]>([
    ['under keyId and keySecret', aSecret(both), REF, `${KEY_ID}:${KEY_SECRET}`],
    [
      'under username and password of a basic-auth Secret',
      aSecret(both, { type: 'kubernetes.io/basic-auth' }),
      REF,
      'user:word',
    ],
    [
      'under named keys',
      aSecret(both),
      { ...REF, keyIdKey: 'id', keySecretKey: 'the.secret' },
      'own-id:own-secret',
    ],
    [
      'under named keys of a basic-auth Secret',
      aSecret(both, { type: 'kubernetes.io/basic-auth' }),
      { ...REF, keyIdKey: 'id', keySecretKey: 'the.secret' },
      'own-id:own-secret',
    ],
    [
      'under one named key and one default',
      aSecret(both),
      { ...REF, keyIdKey: 'id' },
      `own-id:${KEY_SECRET}`,
    ],
    [
      'without white space around it',
      aSecret({ keyId: `\n ${KEY_ID}\n`, keySecret: `\t${KEY_SECRET} \r\n\n` }),
      REF,
      `${KEY_ID}:${KEY_SECRET}`,
    ],
    [
      'with blanks and colons in the secret',
      aSecret({ keyId: KEY_ID, keySecret: 'a: b' }),
      REF,
      `${KEY_ID}:a: b`,
    ],
  ])('%s', async ([, secret, ref, pair]) => {
    expect(await pairOf(secret, ref)).toBe(pair);
  });
});

describe('a Secret is refused, and no value told, when', () => {
  test.for<[string, Record<string, string>, RegExp]>([
    ['it is empty', {}, /no key "keyId" \(its keys: none\)/],
    ['the id is missing', { keySecret: KEY_SECRET }, /no key "keyId" \(its keys: "keySecret"\)/],
    [
      'the secret is missing',
      { keyId: KEY_ID, token: 'x' },
      /no key "keySecret" \(its keys: "keyId", "token"\)/,
    ],
    ['the id is empty', { keyId: '', keySecret: KEY_SECRET }, /"keyId" is empty/],
    [
      'the secret is nothing but line ends',
      { keyId: KEY_ID, keySecret: '\r\n\n' },
      /"keySecret" is empty/,
    ],
    [
      'a line end is inside',
      { keyId: KEY_ID, keySecret: `${KEY_SECRET}\n${KEY_SECRET}` },
      /"keySecret" contains control/,
    ],
    [
      'it has quotes around a value',
      { keyId: KEY_ID, keySecret: `"${KEY_SECRET}"` },
      /"keySecret" has quotes around/,
    ],
    [
      'a NUL is inside',
      { keyId: KEY_ID, keySecret: `${KEY_SECRET}\0` },
      /"keySecret" contains control/,
    ],
    ['it is not ASCII', { keyId: KEY_ID, keySecret: `${KEY_SECRET}é` }, /outside ASCII/],
    ['the id has a colon', { keyId: `${KEY_ID}:x`, keySecret: KEY_SECRET }, /contains ":"/],
  ])('%s', async ([, values, message]) => {
    const read = await problemOf(aSecret(values, { version: '7' }));
    expect(read).toMatchObject({ resourceVersion: '7', problem: { reason: 'SecretInvalid' } });
    expect(read.problem.message).toMatch(message);
    expect(read.problem.message).toContain('"api"');
  });

  test('it has the key only as every object has it', async () => {
    const { problem } = await problemOf(aSecret(GOOD), { ...REF, keyIdKey: 'constructor' });
    expect(problem).toMatchObject({
      reason: 'SecretInvalid',
      message: expect.stringContaining('no key "constructor"'),
    });
  });

  test('it has a thousand other keys: a few are named, and what to do', async () => {
    const values = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`k${index}`, KEY_SECRET]),
    );
    const { problem } = await problemOf(aSecret(values));
    expect(problem.message).toMatch(
      /"k0", .* and 995 more\). Add it, or name another key in spec.credentialsSecretRef$/,
    );
  });
});

test('a Secret that is not there is named with its namespace, and what happens then', async () => {
  const { problem } = await problemOf({ state: 'absent' });
  expect(problem.reason).toBe('SecretNotFound');
  expect(problem.message).toMatch(/Secret "api" does not exist in namespace "ns"\. Create it/);
});

test('a Secret that may not be read is told in the words of who was refused', async () => {
  const { problem } = await problemOf({ state: 'forbidden', message: 'the rule is missing' });
  expect(problem).toEqual({ reason: 'SecretForbidden', message: 'the rule is missing' });
});

describe('the id of a credential', () => {
  async function idOf({ credentials }: ReturnType<typeof setUp>, name: string): Promise<string> {
    const read = await credentials.read('ns', { name });
    if (!read.ok) throw new Error(read.problem.message);
    return read.credential.id;
  }
  const secrets = {
    'ns/one': aSecret(GOOD),
    'ns/same': aSecret({ ...GOOD, keySecret: `${KEY_SECRET}\n` }),
    'ns/other-secret': aSecret({ ...GOOD, keySecret: 'wrong' }),
    'ns/other-id': aSecret({ ...GOOD, keyId: 'wrong' }),
  };

  test('is one for equal pairs in two Secrets, another for another secret or id, and tells nothing', async () => {
    const set = setUp(secrets);
    const one = await idOf(set, 'one');
    expect(await idOf(set, 'same')).toBe(one);
    expect(await idOf(set, 'other-secret')).not.toBe(one);
    expect(await idOf(set, 'other-id')).not.toBe(one);
    expect(one).toMatch(/^[0-9a-f]{16}$/);
  });

  test('does not confuse where the id ends and the secret begins', async () => {
    const set = setUp({
      'ns/a': aSecret({ keyId: 'ab', keySecret: 'c' }),
      'ns/b': aSecret({ keyId: 'a', keySecret: 'bc' }),
    });
    expect(await idOf(set, 'a')).not.toBe(await idOf(set, 'b'));
  });

  test('is salted anew in each process', async () => {
    expect(await idOf(setUp(secrets), 'one')).not.toBe(await idOf(setUp(secrets), 'one'));
  });
});

describe('what is made of a Secret', () => {
  test('is made once per version and choice of keys, and guarded: the secret and the encoded pair', async () => {
    const { credentials, guarded } = setUp({ 'ns/api': aSecret(GOOD) });
    const reads = await Promise.all([1, 2, 3].map(() => credentials.read('ns', REF)));
    expect(new Set(reads).size).toBe(1);
    expect(guarded).toEqual([
      [KEY_SECRET, Buffer.from(`${KEY_ID}:${KEY_SECRET}`).toString('base64')],
    ]);
    await credentials.read('ns', { ...REF, keyIdKey: 'keyId' });
    expect(guarded).toHaveLength(2);
  });

  test('is another for the next version, and the old one is guarded no longer', async () => {
    const { credentials, guarded, secrets } = setUp({ 'ns/api': aSecret(GOOD) });
    await credentials.read('ns', REF);
    secrets['ns/api'] = aSecret({ ...GOOD, keySecret: 'rotated-secret' }, { version: '2' });
    expect(await credentials.read('ns', REF)).toMatchObject({ ok: true, resourceVersion: '2' });
    expect(guarded.map(([secret]) => secret)).toEqual(['rotated-secret']);
  });

  test('is dropped when it is forgotten, with its guard, under every choice of keys', async () => {
    const { credentials, guarded } = setUp({ 'ns/api': aSecret(GOOD), 'ns/else': aSecret(GOOD) });
    const first = await credentials.read('ns', REF);
    await credentials.read('ns', { ...REF, keyIdKey: 'keyId' });
    await credentials.read('ns', { name: 'else' });
    credentials.forget('ns/api');
    expect(guarded).toHaveLength(1);
    expect(await credentials.read('ns', REF)).not.toBe(first);
    credentials.forget('ns/never-seen');
    expect(guarded).toHaveLength(2);
  });

  test('masks the key id, the secret and the pair in any text', async () => {
    const read = await readOne(aSecret(GOOD));
    if (!read.ok) throw new Error(read.problem.message);
    const said = `${KEY_ID} ${KEY_SECRET} ${read.credential.authorization}`;
    expect(read.credential.mask(said)).toBe('*** *** Basic ***');
  });
});
