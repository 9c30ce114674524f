import { describe, expect, test } from 'vitest';
import { doubtAbout, keyPairIn } from '../../src/kube/key-pair.ts';
import type { SecretObject } from '../../src/kube/secrets.ts';

function aSecret(keyId: string, keySecret: string): SecretObject {
  const data = { keyId, keySecret };
  const encoded = Object.entries(data).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  const metadata = {
    name: 'api',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: 't',
  };
  return { metadata, data: Object.fromEntries(encoded) };
}

const pairOf = (keyId: string, keySecret: string) =>
  keyPairIn(aSecret(keyId, keySecret), { name: 'api' });

test.each([' \t%s', '%s \n', '\r\n%s\r\n\n', '\v\f%s'])(
  'white space around a value is not part of it: %j',
  (text) => {
    const around = (value: string) => text.replace('%s', value);
    expect(pairOf(around('id-1'), around('se cret'))).toEqual({
      keyId: 'id-1',
      keySecret: 'se cret',
    });
  },
);

describe('a Secret cannot be used, and the message says which key and why, when', () => {
  test.for<[string, string, string, RegExp]>([
    ['a value is nothing but blanks', ' \t\r\n', 'x', /^its key "keyId" is empty/],
    ['a control character is inside', 'a\tb', 'x', /^its key "keyId" contains control/],
    ['a line end is inside', 'id', 'a\nb', /^its key "keySecret" contains control/],
    ['a value has quotes', 'id', '"canary"', /^its key "keySecret" has quotes around/],
    ['a value has single quotes', "'canary'", 'x', /^its key "keyId" has quotes around/],
    [
      'an id has more than 256 bytes',
      'x'.repeat(257),
      'x',
      /^its key "keyId" is longer than the 256 bytes/,
    ],
    [
      'a secret has more than 4,096 bytes',
      'id',
      'x'.repeat(4097),
      /^its key "keySecret" is longer than the 4096 bytes/,
    ],
    ['an id has a colon', 'a:b', 'x', /id contains ":"/],
  ])('%s', ([, keyId, keySecret, message]) => {
    const problem = pairOf(keyId, keySecret);
    expect(problem).toMatch(message);
    expect(problem).not.toContain('canary');
  });

  test('but not when a value only has quotes in it, or is as long as it may be', () => {
    expect(pairOf('a"b"', `"${'x'.repeat(4095)}`)).toMatchObject({ keyId: 'a"b"' });
    expect(pairOf('x'.repeat(256), 'y'.repeat(4096))).toBeTypeOf('object');
  });
});

describe('of a refused key', () => {
  const SECRET = 'r4nd0mCharactersOfASecret';
  test.for<[string, string, string, string | undefined]>([
    ['nothing is said that looks like any other', 'AbCd1234', SECRET, undefined],
    ['an id longer than the secret may be swapped', SECRET, 'AbCd1234', 'swapped'],
    [
      'the placeholder of the README is seen',
      'YOUR-KEY-ID',
      'YOUR-KEY-SECRET',
      'id in the Secret looks like a placeholder',
    ],
    [
      'the placeholder of a guide is seen',
      'AbCd1234',
      'REPLACE-WITH-KEY-SECRET',
      'secret in the Secret looks like a placeholder',
    ],
    [
      'base64 of a text is seen',
      'AbCd1234',
      Buffer.from('a text of some length\n').toString('base64'),
      'encoded twice',
    ],
    [
      'letters that decode to no text are none',
      'AbCd1234',
      'QUJDREVGR0hJSktMTU5PUFFS//79/Pv6',
      undefined,
    ],
  ])('%s', ([, keyId, keySecret, says]) => {
    const doubt = doubtAbout({ keyId, keySecret });
    expect(doubt ?? '').toContain(says ?? '');
    expect(doubt === undefined).toBe(says === undefined);
    expect(doubt ?? '').not.toContain(keySecret);
  });
});
