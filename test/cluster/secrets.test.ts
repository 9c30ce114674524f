import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { allow, operatorRules } from '../support/cluster.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { ready, settled, side } from '../support/watching.ts';

/** How keys arrive in Secrets, what is said of one that cannot be used, and when it is used. */

/** It is asked for every 2 s; by itself the object would be tried 24 s later or more. */
const SOON_MS = 15_000;

interface Pair {
  readonly id: string;
  readonly secret: string;
}
type Data = Readonly<Record<string, string>>;
interface Stored {
  readonly data: (pair: Pair) => Data;
  readonly type?: string;
  /** Further fields of the reference. */
  readonly keys?: object;
  readonly outcome: string;
  readonly says: RegExp;
}

const opaque = (id: string, secret: string): Data => ({ keyId: id, keySecret: secret });
const cannot = (name: string, why: string) =>
  new RegExp(`Secret "${name}" cannot be used: .*key "keySecret" ${why}`);

const ROWS: Readonly<Record<string, Stored>> = {
  usual: { data: ({ id, secret }) => opaque(id, secret), outcome: 'Applied –', says: /request/ },
  'basic-auth': {
    data: ({ id, secret }) => ({ username: id, password: secret }),
    type: 'kubernetes.io/basic-auth',
    outcome: 'Applied –',
    says: /request/,
  },
  'other-keys': {
    data: ({ id, secret }) => ({ ID: id, 'my.secret': secret }),
    keys: { keyIdKey: 'ID', keySecretKey: 'my.secret' },
    outcome: 'Applied –',
    says: /request/,
  },
  'blanks-around': {
    data: ({ id, secret }) => opaque(` ${id}\n`, `\t${secret} \r\n`),
    outcome: 'Applied –',
    says: /request/,
  },
  half: {
    data: ({ id }) => ({ keyId: id }),
    outcome: 'SecretInvalid Stalled',
    says: /Secret "half".*no key "keySecret" \(its keys: "keyId"\)/,
  },
  'only-blanks': {
    data: ({ id }) => opaque(id, ' \t\n'),
    outcome: 'SecretInvalid Stalled',
    says: cannot('only-blanks', 'is empty'),
  },
  quoted: {
    data: ({ id, secret }) => opaque(id, `"${secret}"`),
    outcome: 'SecretInvalid Stalled',
    says: cannot('quoted', 'has quotes around its value'),
  },
  'too-long': {
    data: ({ id, secret }) => opaque(id, secret.padEnd(4_097, 'x')),
    outcome: 'SecretInvalid Stalled',
    says: cannot('too-long', 'is longer than the 4096 bytes'),
  },
  'two-lines': {
    data: ({ id, secret }) => opaque(id, `${secret}\n${secret}`),
    outcome: 'SecretInvalid Stalled',
    says: cannot('two-lines', 'contains control characters'),
  },
  swapped: {
    data: ({ id, secret }) => opaque(secret, id),
    outcome: 'Unauthorized Stalled',
    says: /The id in the Secret is longer than the secret: they may be swapped/,
  },
  'encoded-twice': {
    data: ({ id, secret }) => opaque(id, btoa(secret)),
    outcome: 'Unauthorized Stalled',
    says: /The secret in the Secret is base64 of a text: it may have been encoded twice/,
  },
  unknown: {
    data: ({ id }) => opaque(id, 'a-secret-that-is-none-of-this-id-and-long'),
    outcome: 'Unauthorized Stalled',
    says: /HTTP 401.*Put a valid, enabled API key in the Secret/,
  },
};

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const using = (name: string, keys: object = {}) => ({ credentialsSecretRef: { name, ...keys } });
const outcomeOf = (object: Pset) => `${ready(object).reason} ${side(object) ?? '–'}`;

/** How often the operator has read a Secret. */
async function readsOf(name: string): Promise<number> {
  return (await audit({ user: scene.user, resource: 'secrets', verb: 'get', name })).length;
}

describe.concurrent('a Secret with', () => {
  test.each(Object.entries(ROWS))('%s', async (name, { data, type, keys, outcome, says }) => {
    const pair = await scene.newKey(`${name}-of-a-good-one`);
    const stored = data(pair);
    await scene.secret(name, stored, type);
    await scene.psets.create(name, using(name, keys));
    const object = await scene.psets.until(name, outcome.split(' ')[0] ?? '');
    expect(outcomeOf(object)).toBe(outcome);
    expect(ready(object).message).toMatch(says);
    expect(scene.psets.puts(name)).toHaveLength(outcome.startsWith('SecretInvalid') ? 0 : 1);
    for (const value of [pair.secret, ...Object.values(stored)].filter((one) => one.length > 8))
      if (value !== pair.id) expect(JSON.stringify(object)).not.toContain(value.trim());
    if (outcome.startsWith('Applied')) return;
    // Mended, it is used soon.
    await scene.newKey(name);
    expect(outcomeOf(await scene.psets.until(name, 'Applied', SOON_MS))).toBe('Applied –');
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

  test('is refused is read anew, and tried at once where it was rotated meanwhile', async () => {
    const old = await scene.newKey('revoked');
    await scene.psets.create('revoked', using('revoked'));
    await scene.psets.until('revoked', 'Applied');
    const { id } = await scene.newKey('revoked');
    scene.simulator.setKey(old.id, 'another-secret');
    const settings = { engine_max_threads: 5 };
    await scene.psets.create('revoked', { ...using('revoked'), settings });
    await scene.psets.until('revoked', 'Applied', SOON_MS);
    const [first, ...rest] = scene.psets.puts('revoked').map(({ keyId }) => keyId);
    // The first of the rest came with the old key where that was still in memory.
    expect([first, rest]).toEqual([old.id, expect.toBeOneOf([[old.id, id], [id]])]);
  });

  test('belongs to an object that makes no call is not read', async () => {
    await scene.newKey('unread');
    await scene.psets.create('unread-1', { ...using('unread'), mode: 'Plan' });
    await scene.psets.create('unread-2', { ...using('unread'), suspend: true });
    await scene.psets.until('unread-1', 'Planned');
    await scene.psets.until('unread-2', 'Suspended');
    expect(await readsOf('unread')).toBe(0);
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
  const rules = await operatorRules();
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
