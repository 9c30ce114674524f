import { describe, expect, test } from 'vitest';
import { at, SECOND } from './objects.ts';
import { bad, KEY } from './process.ts';
import { staged } from './stage.ts';

type Values = Readonly<Record<string, string>>;
const decoded = (authorization = '') => atob(authorization.slice('Basic '.length));

/** One whose Secret holds this. */
function withSecret(values: Values | string | undefined, type = 'Opaque', ref: object = {}) {
  const spec = { credentialsSecretRef: { name: 'own', ...ref } };
  const one = staged('PipeSettings', { spec });
  one.stage.secrets.set('own', values, type);
  return one;
}

const ALL = { ...KEY, username: 'user', password: 'word', id: 'own-id', 'the.secret': 'own-one' };
const NAMED = { keyIdKey: 'id', keySecretKey: 'the.secret' };
const LONGEST = { keyId: 'i'.repeat(256), keySecret: 's'.repeat(4096) };

const PAIR = Object.values(KEY).join(':');
test.each<[law: string, pair: string, values: Values, type?: string, ref?: object]>([
  ['under keyId and keySecret', PAIR, ALL],
  ['under username and password of basic-auth', 'user:word', ALL, 'kubernetes.io/basic-auth'],
  ['under named keys', 'own-id:own-one', ALL, 'Opaque', NAMED],
  ['less the space around', 'id:s e', { keyId: '\n id\r\n', keySecret: '\ts e \v\n' }],
  ['as long as it may be', Object.values(LONGEST).join(':'), LONGEST],
])('the key is found %s', async (_, pair, values, type, ref) => {
  const { stage, run } = withSecret(values, type, ref);
  await run();
  expect(decoded(stage.secrets.used[0])).toBe(pair);
});

const keyId = 'canary';
const CREATE =
  'The Secret "own" does not exist in namespace "ingest". Create it with the keys keyId and keySecret';
const ADD =
  'The Secret "own" cannot be used: it has no key "keyId" (its keys: none). Add it, or name';
const QUOTED = 'its key "keySecret" has quotes around its value. Store it without them';
/** The message names the Secret and its key, says why and what to do, and shows no value. */
test.each<readonly [values: Values | string | undefined, reason: string, message: string]>([
  [undefined, 'NotFound', CREATE],
  ['It lacks the label x=y', 'Forbidden', 'It lacks the label x=y'],
  [{}, 'Invalid', ADD],
  [{ keyId: ' \t\r\n', keySecret: keyId }, 'Invalid', 'its key "keyId" is empty'],
  [{ keyId, keySecret: 'can\nary' }, 'Invalid', 'its key "keySecret" contains a line break'],
  [{ keyId, keySecret: '"canary"' }, 'Invalid', QUOTED],
  [{ keyId: 'canäry', keySecret: 'x' }, 'Invalid', 'its key "keyId" contains '],
  [{ keyId: 'x'.repeat(257), keySecret: 'x' }, 'Invalid', 'is longer than the 256 bytes'],
  [{ keyId: 'canary:x', keySecret: 'x' }, 'Invalid', 'the API key id contains ":"'],
  [{ keyId, keySecret: 'x'.repeat(4097) }, 'Invalid', 'is longer than the 4096 bytes'],
])('a Secret with %j is Secret%s', async (values, reason, message) => {
  const { stage, run } = withSecret(values);
  const seen = await run();
  expect([seen.ready, seen.side, stage.log]).toEqual([`False Secret${reason}`, 'Stalled', []]);
  expect(seen.message).toContain(message);
  expect(JSON.stringify(seen.status)).not.toContain('canary');
  expect(stage.secrets.awaited.size).toBe(1);
});

test('a missing Secret is waited for in the first two minutes of an object', async () => {
  const one = staged('PipeSettings', { metadata: { creationTimestamp: at(0) } });
  one.stage.secrets.set('api', undefined);
  const { side, wait } = await one.run(30 * SECOND);
  expect([side, wait]).toEqual(['Reconciling', 90 * SECOND]);
  expect((await one.run(90 * SECOND)).side).toBe('Stalled');
});

test.each([
  ['AbCd1234', 'r4nd0mCharactersOfASecret', '(request req-1). Put a valid'],
  ['YOUR-KEY-ID', 'YOUR-KEY-SECRET', 'The id in the Secret looks like a placeholder. '],
  ['AbCd1234', btoa('a text of some length\n'), 'base64 of a text: it may have been encoded twice'],
])('of a refused key is said what can be seen: %s, %s', async (id, keySecret, doubt) => {
  const { stage, run } = withSecret({ keyId: id, keySecret });
  stage.options = { api: () => bad(401) };
  const { message } = await run();
  expect(message).toContain(doubt);
  expect(message).not.toContain(keySecret);
});

describe('a key', () => {
  test('is made once for each version, and kept out of the log as it is sent', async () => {
    const { stage, id, run } = withSecret(KEY);
    await run();
    stage.ask(id, 'now');
    await run();
    expect(stage.guarded).toEqual([[KEY.keySecret, btoa(PAIR)]]);
    stage.secrets.set('own', { ...KEY, keySecret: 'rotated-secret' });
    stage.ask(id, 'again');
    await run();
    expect(stage.guarded.map(([secret]) => secret)).toEqual(['rotated-secret']);
    expect(decoded(stage.secrets.used.at(-1))).toBe(`${KEY.keyId}:rotated-secret`);
  });

  test('that was refused is read anew, and tried at once where it has changed', async () => {
    const { stage, id, run } = withSecret(KEY);
    const rotate = () => stage.secrets.set('own', { ...KEY, keySecret: 'rotated-secret' });
    stage.options = { api: (_, nth) => (nth === 0 ? bad(401) : undefined), on: rotate };
    await run();
    expect([stage.secrets.anew, stage.woken.at(-1)]).toEqual([['ingest/own'], `${id} scheduled`]);
    expect((await run()).ready).toBe('True Applied');
  });

  test.each<readonly [waits: string, before: Values | string | undefined]>([
    ['is missing', undefined],
    ['may not be read', 'It lacks the label x=y'],
    ['has no key', {}],
    ['has a key of another organization', KEY],
  ])('of a Secret that %s is used at once when that has changed', async (_, before) => {
    const { stage, id, run } = withSecret(before);
    stage.options = { api: (__, nth) => (before === KEY && nth === 0 ? bad(404) : undefined) };
    expect((await run()).wait).toBeGreaterThan(SECOND);
    stage.woken.length = 0;
    stage.secrets.set('own', { ...KEY, keySecret: 'rotated-secret' });
    await stage.secrets.read('ingest/own');
    expect(stage.woken).toEqual([`${id} scheduled`]);
    expect((await run()).ready).toBe('True Applied');
    expect(decoded(stage.secrets.used.at(-1))).toBe(`${KEY.keyId}:rotated-secret`);
  });

  test('that Kubernetes does not give changes nothing in the status', async () => {
    const { stage, id, run } = withSecret(KEY);
    const { status } = stage.get(id);
    stage.secrets.read = () => Promise.reject(new Error('HTTP 503'));
    await expect(run()).rejects.toThrow('HTTP 503');
    expect([stage.get(id).status, stage.log]).toEqual([status, []]);
  });

  test('goes with the last object that refers to its Secret', async () => {
    const { stage, id, run } = withSecret(KEY);
    await run();
    stage.edit(id, { credentialsSecretRef: { name: 'api' } });
    expect([stage.guarded, stage.secrets.forgotten]).toEqual([[], ['ingest/own']]);
    stage.edit(id, { credentialsSecretRef: { name: 'own' } });
    await run();
    expect(stage.guarded, 'made anew').toHaveLength(1);
    stage.remove(id);
    expect([stage.guarded, stage.secrets.forgotten.at(-1)]).toEqual([[], 'ingest/own']);
  });

  test('has an id of its pair, salted in each process, that says nothing of it', async () => {
    const idsOf = async (...all: readonly Values[]) => {
      const { stage, id, run } = withSecret(KEY);
      const found: string[] = [];
      stage.options = { api: ({ credential }) => void found.push(credential.id) };
      for (const [index, values] of all.entries()) {
        stage.secrets.set('own', values);
        stage.ask(id, `${index}`);
        await run();
      }
      return found;
    };
    const shifted = [
      { keyId: 'ab', keySecret: 'c' },
      { keyId: 'a', keySecret: 'bc' },
    ];
    const [one, same, ...others] = await idsOf(KEY, { ...KEY, note: '' }, ...shifted);
    expect([same, new Set([one, ...others]).size]).toEqual([one, 3]);
    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(await idsOf(KEY)).not.toEqual([one]);
  });
});
