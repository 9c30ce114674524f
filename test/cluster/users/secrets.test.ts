import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit, waitFor } from '../../controlplane/client.ts';
import { allow, shippedRules } from '../../support/cluster.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ready, settled, side } from '../../support/watching.ts';

/** How keys arrive in Secrets, what is said of one that cannot be used, and when it is used. */

/** It is asked for every 2 s; by itself the object would be tried 24 s later or more. */
const SOON_MS = 15_000;

interface Pair {
  readonly id: string;
  readonly secret: string;
}
type Data = Readonly<Record<string, string>>;
const opaque = (id: string, secret: string): Data => ({ keyId: id, keySecret: secret });

type Usable = readonly [name: string, (pair: Pair) => Data, type: string, keys: object];
const USABLE: readonly Usable[] = [
  ['usual', ({ id, secret }) => opaque(id, secret), 'Opaque', {}],
  ['blanks-around', ({ id, secret }) => opaque(` ${id}\n`, `\t${secret} \r\n`), 'Opaque', {}],
  [
    'basic-auth',
    ({ id, secret }) => ({ username: id, password: secret }),
    'kubernetes.io/basic-auth',
    {},
  ],
  [
    'other-keys',
    ({ id, secret }) => ({ ID: id, 'my.secret': secret }),
    'Opaque',
    { keyIdKey: 'ID', keySecretKey: 'my.secret' },
  ],
];

/** What is not even sent, and of what is refused what can be seen without showing a value. */
const NOT_USABLE: readonly (readonly [name: string, (pair: Pair) => Data, says: RegExp])[] = [
  ['half', ({ id }) => ({ keyId: id }), /no key "keySecret" \(its keys: "keyId"\)/],
  ['empty', ({ id }) => opaque(id, ' \t\n'), /^The Secret "empty" cannot be used: its key/],
  ['quoted', ({ id, secret }) => opaque(id, `"${secret}"`), /has quotes around its value/],
  ['long', ({ id }) => opaque(id, 'x'.repeat(4_097)), /is longer than the 4096 bytes/],
  ['lines', ({ id, secret }) => opaque(id, `${secret}\n${secret}`), /contains control characters/],
];
const REFUSED: typeof NOT_USABLE = [
  ['swapped', ({ id, secret }) => opaque(secret, id), /they may be swapped/],
  ['twice', ({ id, secret }) => opaque(id, btoa(secret)), /it may have been encoded twice/],
  ['unknown', ({ id }) => opaque(id, 'none-of-this-id-and-long-enough-too'), /HTTP 401/],
];

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const using = (name: string, keys: object = {}) => ({ credentialsSecretRef: { name, ...keys } });

/** How often the operator has read a Secret. */
async function readsOf(name: string): Promise<number> {
  return (await audit({ user: scene.user, resource: 'secrets', verb: 'get', name })).length;
}

describe.concurrent('a Secret', () => {
  test.each(USABLE)('that is %s is used', async (name, dataOf, type, keys) => {
    await scene.secret(name, dataOf(await scene.newKey(`${name}-pair`)), type);
    await scene.psets.create(name, using(name, keys));
    await scene.psets.until(name, 'Applied');
    expect(scene.psets.puts(name)).toHaveLength(1);
  });

  test.each([
    ...NOT_USABLE.map((row) => [...row, 'SecretInvalid', 0] as const),
    ...REFUSED.map((row) => [...row, 'Unauthorized', 1] as const),
  ])('that is %s is told of without a value, and mended it is used', async (...row) => {
    const [name, dataOf, says, reason, calls] = row;
    const pair = await scene.newKey(`${name}-pair`);
    const data = dataOf(pair);
    await scene.secret(name, data);
    await scene.psets.create(name, using(name));
    const object = await scene.psets.until(name, reason);
    expect(side(object)).toBe('Stalled');
    expect(ready(object).message).toMatch(says);
    expect(scene.psets.puts(name)).toHaveLength(calls);
    for (const value of [pair.secret, data['keySecret']?.trim() || pair.secret])
      expect(JSON.stringify(object)).not.toContain(value);
    await scene.newKey(name);
    await scene.psets.until(name, 'Applied', SOON_MS);
  });
});

describe.concurrent('a Secret that', () => {
  test('comes last costs no call before, and is used soon', async () => {
    await scene.psets.create('late', using('late'));
    const object = await scene.psets.until('late', 'SecretNotFound');
    expect(ready(object).message).toBe(
      `The Secret "late" does not exist in namespace "${scene.namespace}". Create it with the id and the secret of the API key; the operator continues by itself`,
    );
    expect(side(object)).toBe('Reconciling');
    await scene.newKey('late');
    await scene.psets.until('late', 'Applied', SOON_MS);
    expect(scene.psets.puts('late')).toHaveLength(1);
  });

  test('is rotated causes no call and no write, and the next edit uses the new key', async () => {
    const names = ['rotated-0', 'rotated-1', 'rotated-2'];
    await scene.newKey('rotated');
    await Promise.all(names.map((name) => scene.psets.create(name, using('rotated'))));
    const before = await Promise.all(names.map((name) => scene.psets.until(name, 'Applied')));
    expect(await readsOf('rotated')).toBeLessThanOrEqual(2);
    const { id } = await scene.newKey('rotated');
    await settled(scene);
    const after = await Promise.all(names.map((name) => scene.psets.get(name)));
    expect(after).toEqual(before);
    for (const name of names) expect(scene.psets.puts(name)).toHaveLength(1);
    let threads = 8;
    const usedKey = async () => {
      const settings = { engine_max_threads: (threads += 1) };
      await scene.psets.create('rotated-0', { ...using('rotated'), settings });
      await scene.psets.until('rotated-0', 'Applied');
      return scene.psets.puts('rotated-0').at(-1)?.keyId;
    };
    await waitFor(usedKey, { what: 'the new key to be used', until: (used) => used === id });
  });

  test.each([
    [404, 'NotFound'],
    [400, 'Rejected'],
    [403, 'Forbidden'],
  ])('changes after a %i is tried soon, and once', async (status, reason) => {
    const name = `answered-${status}`;
    const first = await scene.newKey(name);
    scene.simulator.always({ status }, { pathIncludes: pathOf(name) });
    await scene.psets.create(name, using(name));
    await scene.psets.until(name, reason);
    const second = await scene.newKey(name);
    await scene.psets.putsUntil(name, 2);
    await settled(scene);
    expect(scene.psets.puts(name).map(({ keyId }) => keyId)).toEqual([first.id, second.id]);
  });
});

test('no Secret is asked for but by its name, and none that no object names', async () => {
  const objects = await scene.psets.list();
  const named = objects.map(({ spec }) => spec['credentialsSecretRef']);
  const asked = await audit({ user: scene.user, resource: 'secrets' });
  expect(asked.length).toBeGreaterThan(20);
  for (const { verb, name } of asked)
    expect([verb, named]).toEqual([
      'get',
      expect.arrayContaining([expect.objectContaining({ name })]),
    ]);
});

test('without the right to read Secrets the message has the rule, and given it, it goes on', async () => {
  const rules = await shippedRules('ClusterRole');
  const others = rules.filter(({ resources }) => !resources.includes('secrets'));
  expect(others.length).toBeLessThan(rules.length);
  await allow(scene.namespace, 'operator', others);
  await scene.newKey('no-right');
  await scene.psets.create('no-right', using('no-right'));
  const object = await scene.psets.until('no-right', 'SecretForbidden');
  expect(side(object)).toBe('Stalled');
  const { message } = ready(object);
  expect(message).toContain(
    `add to a Role in namespace "${scene.namespace}" bound to ${scene.user}`,
  );
  expect(message).toContain('resources: ["secrets"], resourceNames: ["no-right"], verbs: ["get"]}');
  expect(scene.psets.puts('no-right')).toEqual([]);
  await allow(scene.namespace, 'operator', rules);
  await scene.psets.until('no-right', 'Applied', SOON_MS);
});
