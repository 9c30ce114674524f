import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../src/api/reply.ts';
import { an, staged } from './objects.ts';
import { bad } from './replies.ts';
import { KEY } from './secrets.ts';
import { at, MINUTE, SECOND, type Seen } from './stage.ts';

type Values = Readonly<Record<string, string>>;
const decoded = (authorization = '') =>
  Buffer.from(authorization.slice('Basic '.length), 'base64').toString();

/** One whose Secret holds this. */
function withSecret(values: Values | string | undefined, type = 'Opaque', ref: object = {}) {
  const spec = { credentialsSecretRef: { name: 'own', ...ref } };
  const one = staged('PipeSettings', { spec, metadata: { creationTimestamp: at(-60 * MINUTE) } });
  one.stage.secrets.set('own', values, type);
  return one;
}

const BOTH = {
  ...KEY,
  username: 'user',
  password: 'word',
  id: 'own-id',
  'the.secret': 'own-secret',
};
const NAMES = { keyIdKey: 'id', keySecretKey: 'the.secret' };
const BASIC = 'kubernetes.io/basic-auth';

test.each<readonly [law: string, values: Values, type: string, ref: object, pair: string]>([
  ['under keyId and keySecret', BOTH, 'Opaque', {}, `${KEY.keyId}:${KEY.keySecret}`],
  ['under username and password of a basic-auth Secret', BOTH, BASIC, {}, 'user:word'],
  ['under named keys', BOTH, 'Opaque', NAMES, 'own-id:own-secret'],
  ['under named keys of a basic-auth Secret', BOTH, BASIC, NAMES, 'own-id:own-secret'],
  ['under one of them', BOTH, 'Opaque', { keyIdKey: 'id' }, `own-id:${KEY.keySecret}`],
  [
    'without white space around it',
    { keyId: '\n id\r\n', keySecret: '\ts e \v\n' },
    'Opaque',
    {},
    'id:s e',
  ],
  [
    'with quotes and colons inside',
    { keyId: 'a"b"', keySecret: 'a: b' },
    'Opaque',
    {},
    'a"b":a: b',
  ],
  [
    'as long as it may be',
    { keyId: 'i'.repeat(256), keySecret: 's'.repeat(4096) },
    'Opaque',
    {},
    `${'i'.repeat(256)}:${'s'.repeat(4096)}`,
  ],
])('the key is found %s', async (_, values, type, ref, pair) => {
  const { stage, run } = withSecret(values, type, ref);
  await run();
  expect(decoded(stage.secrets.used[0])).toBe(pair);
});

/** The message names the Secret and its key, says why and what to do, and shows no value. */
test.each<readonly [values: Values | string | undefined, ready: string, message: string]>([
  [
    undefined,
    'SecretNotFound',
    'The Secret "own" does not exist in namespace "ingest". Create it with the id and the secret of the API key',
  ],
  ['It lacks the label x=y', 'SecretForbidden', 'It lacks the label x=y'],
  [
    {},
    'SecretInvalid',
    'The Secret "own" cannot be used: it has no key "keyId" (its keys: none). Add it, or name another key in spec.credentialsSecretRef',
  ],
  [
    { keyId: 'canary', b: 'x', c: 'x', d: 'x', e: 'x', f: 'x' },
    'SecretInvalid',
    'no key "keySecret" (its keys: "b", "c", "d", "e", "f" and 1 more)',
  ],
  [{ keyId: ' \t\r\n', keySecret: 'canary' }, 'SecretInvalid', 'its key "keyId" is empty'],
  [
    { keyId: 'canary', keySecret: 'can\nary' },
    'SecretInvalid',
    'its key "keySecret" contains control characters',
  ],
  [
    { keyId: 'canary', keySecret: 'canary\0x' },
    'SecretInvalid',
    'its key "keySecret" contains control characters',
  ],
  [{ keyId: 'canary', keySecret: 'canaryé' }, 'SecretInvalid', 'characters outside ASCII'],
  [
    { keyId: 'canary', keySecret: '"canary"' },
    'SecretInvalid',
    'its key "keySecret" has quotes around its value. Store it without them',
  ],
  [{ keyId: "'canary'", keySecret: 'x' }, 'SecretInvalid', 'its key "keyId" has quotes around'],
  [{ keyId: 'canary:x', keySecret: 'x' }, 'SecretInvalid', 'the API key id contains ":"'],
  [
    { keyId: 'canary'.repeat(43), keySecret: 'x' },
    'SecretInvalid',
    'its key "keyId" is longer than the 256 bytes',
  ],
  [
    { keyId: 'id', keySecret: 'x'.repeat(4097) },
    'SecretInvalid',
    'its key "keySecret" is longer than the 4096 bytes',
  ],
])('a Secret with %j: %s', async (values, reason, message) => {
  const { stage, run } = withSecret(values);
  const seen = await run();
  expect([seen.ready, seen.side, stage.log]).toEqual([`False ${reason}`, 'Stalled', []]);
  expect(seen.message).toContain(message);
  expect(JSON.stringify(seen)).not.toContain('canary');
  expect(stage.secrets.awaited.size).toBe(1);
});

test('a key named as every object has one is none', async () => {
  const { run } = withSecret(KEY, 'Opaque', { keyIdKey: 'constructor' });
  expect((await run()).message).toContain('no key "constructor"');
});

test('a missing Secret is waited for in the first two minutes of an object; then a person must act', async () => {
  const one = staged('PipeSettings', { metadata: { creationTimestamp: at(0) } });
  one.stage.secrets.set('api', undefined);
  const shown = ({ side, wait }: Seen) => [side, wait];
  expect(shown(await one.run(30 * SECOND))).toEqual(['Reconciling', 90 * SECOND]);
  expect((await one.run(90 * SECOND)).side).toBe('Stalled');
});

const REFUSED = [
  { keyId: 'AbCd1234', keySecret: 'r4nd0mCharactersOfASecret' },
  /\(request req-1\)\. Put a valid/,
] as const;
test.each<readonly [values: Values, doubt: RegExp]>([
  REFUSED,
  [
    { keyId: 'r4nd0mCharactersOfASecret', keySecret: 'AbCd1234' },
    /longer than the secret: they may be swapped\. Put/,
  ],
  [
    { keyId: 'YOUR-KEY-ID', keySecret: 'YOUR-KEY-SECRET' },
    /The id in the Secret looks like a placeholder\. /,
  ],
  [
    { keyId: 'AbCd1234', keySecret: 'REPLACE-WITH-KEY-SECRET' },
    /The secret in the Secret looks like a placeholder\. /,
  ],
  [
    { keyId: 'AbCd1234', keySecret: btoa('a text of some length\n') },
    /base64 of a text: it may have been encoded twice\. /,
  ],
  [
    { keyId: 'AbCd1234', keySecret: 'QUJDREVGR0hJSktMTU5PUFFS//79/Pv6' },
    /\(request req-1\)\. Put a valid/,
  ],
])('of a refused key is said what can be seen without showing it: %j', async (values, doubt) => {
  const { stage, run } = withSecret(values);
  stage.options = { api: () => bad(401) };
  const { message } = await run();
  expect(message).toMatch(doubt);
  expect(message).not.toContain(values.keySecret);
});

describe('what is made of a Secret', () => {
  test('is made once for each version, and guarded in logs: the secret, and the pair as it is sent', async () => {
    const { stage, id, run } = withSecret(KEY);
    await run();
    const pair = btoa(`${KEY.keyId}:${KEY.keySecret}`);
    expect(stage.guarded).toEqual([[KEY.keySecret, pair]]);
    stage.ask(id, 'now');
    await run();
    expect(stage.guarded).toHaveLength(1);
    stage.secrets.set('own', { ...KEY, keySecret: 'rotated-secret' });
    stage.ask(id, 'again');
    await run();
    expect(stage.guarded.map(([secret]) => secret)).toEqual(['rotated-secret']);
    expect(decoded(stage.secrets.used.at(-1))).toBe(`${KEY.keyId}:rotated-secret`);
  });

  test('goes with the last object that refers to it, or no longer does, under each choice of keys', async () => {
    const { stage, id, run } = withSecret(KEY);
    await run();
    stage.edit(id, { credentialsSecretRef: { name: 'own', keyIdKey: 'keyId' } });
    await run();
    expect(stage.guarded).toHaveLength(2);
    stage.edit(id, { credentialsSecretRef: { name: 'api' } });
    expect([stage.guarded, stage.secrets.forgotten]).toEqual([[], ['ingest/own']]);
    stage.edit(id, { credentialsSecretRef: { name: 'own' } });
    await run();
    expect(stage.guarded, 'made anew').toHaveLength(1);
    stage.remove(id);
    expect([stage.guarded, stage.secrets.forgotten.at(-1)]).toEqual([[], 'ingest/own']);
  });

  test('masks the key wherever an answer repeats it, in the names of fields too', async () => {
    const { stage, run } = withSecret(KEY);
    const pair = btoa(`${KEY.keyId}:${KEY.keySecret}`);
    const text = JSON.stringify({ result: { [KEY.keySecret]: pair, [`${pair}x`]: [KEY.keyId] } });
    const raw = { httpStatus: 200, headers: {}, body: { text } };
    stage.options = { api: ({ credential: { mask } }) => readAnswer(raw, { nowMs: 0, mask }) };
    const { status } = await run();
    expect(status.otherSettings).toHaveLength(2);
    expect(JSON.stringify(status)).not.toMatch(new RegExp([...Object.values(KEY), pair].join('|')));
  });

  test('has an id for each pair, salted in each process, that says nothing of it', async () => {
    const ids = async (...all: readonly Values[]) => {
      const found: string[] = [];
      const one = staged(
        'PipeSettings',
        {},
        { api: (request) => void found.push(request.credential.id) },
      );
      for (const [index, values] of all.entries()) {
        one.stage.secrets.set(`s${index}`, values);
        const spec = { pipeId: `p${index}`, credentialsSecretRef: { name: `s${index}` } };
        await one.stage.run(one.stage.put(an('PipeSettings', { name: `o${index}`, spec })));
      }
      return found;
    };
    const all = [
      KEY,
      { ...KEY, keySecret: `${KEY.keySecret}\n` },
      { keyId: 'ab', keySecret: 'c' },
      { keyId: 'a', keySecret: 'bc' },
    ];
    const [one, same, other, shifted] = await ids(...all);
    expect(same).toBe(one);
    expect(new Set([one, other, shifted]).size).toBe(3);
    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(await ids(KEY)).not.toEqual([one]);
  });
});
