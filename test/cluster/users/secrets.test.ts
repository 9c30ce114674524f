import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit, waitFor } from '../../controlplane/client.ts';
import { allow, shippedRules } from '../../support/cluster.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ready, settled, side } from '../../support/watching.ts';

/** How keys arrive in Secrets, what is said of one that cannot be used, and when it is used. */

/** It is asked for every 2 s; by itself the object would be tried 24 s later or more. */
const SOON_MS = 15_000;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const using = (name: string) => ({ credentialsSecretRef: { name } });

/** How often the operator has read a Secret. */
async function readsOf(name: string): Promise<number> {
  return (await audit({ user: scene.user, resource: 'secrets', verb: 'get', name })).length;
}

describe.concurrent('a Secret that', () => {
  test('is of type basic-auth is used', async () => {
    const { id, secret } = await scene.newKey('its-pair');
    await scene.secret('basic', { username: id, password: secret }, 'kubernetes.io/basic-auth');
    await scene.psets.create('basic', using('basic'));
    await scene.psets.until('basic', 'Applied');
    expect(scene.psets.puts('basic').map(({ keyId }) => keyId)).toEqual([id]);
  });

  test.each([
    ['half', 'SecretInvalid', 0, /no key "keySecret" \(its keys: "keyId"\)/],
    ['swapped', 'Unauthorized', 1, /they may be swapped/],
  ])('is %s is told of without a value, and mended it is used', async (...row) => {
    const [name, reason, calls, says] = row;
    const { id, secret } = await scene.newKey(`${name}-pair`);
    const swapped = { keyId: secret, keySecret: id };
    await scene.secret(name, name === 'half' ? { keyId: secret } : swapped);
    await scene.psets.create(name, using(name));
    const object = await scene.psets.until(name, reason);
    expect(side(object)).toBe('Stalled');
    expect(ready(object).message).toMatch(says);
    expect(scene.psets.puts(name)).toHaveLength(calls);
    for (const value of [id, secret]) expect(JSON.stringify(object)).not.toContain(value);
    await scene.newKey(name);
    await scene.psets.until(name, 'Applied', SOON_MS);
  });

  test('comes last costs no call before, and is used soon', async () => {
    await scene.psets.create('late', using('late'));
    const object = await scene.psets.until('late', 'SecretNotFound');
    expect(ready(object).message).toBe(
      `The Secret "late" does not exist in namespace "${scene.namespace}". Create it with the keys keyId and keySecret; it is used within a minute`,
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

  test('changes after a 404 is tried soon, and once', async () => {
    const first = await scene.newKey('answered-404');
    scene.simulator.always({ status: 404 }, { pathIncludes: pathOf('answered-404') });
    await scene.psets.create('answered-404', using('answered-404'));
    await scene.psets.until('answered-404', 'NotFound');
    const second = await scene.newKey('answered-404');
    await scene.psets.putsUntil('answered-404', 2);
    await settled(scene);
    const keys = scene.psets.puts('answered-404').map(({ keyId }) => keyId);
    expect(keys).toEqual([first.id, second.id]);
  });
});

test('no Secret is asked for but by its name, and none that no object names', async () => {
  const objects = await scene.psets.list();
  const named = objects.map(({ spec }) => spec['credentialsSecretRef']);
  const asked = await audit({ user: scene.user, resource: 'secrets' });
  expect(asked.length).toBeGreaterThan(10);
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
  const rule = 'resources: ["secrets"], resourceNames: ["no-right"], verbs: ["get"]}';
  expect(message).toContain(
    `${rule} to a Role in namespace "${scene.namespace}" that is bound to ${scene.user}`,
  );
  expect(scene.psets.puts('no-right')).toEqual([]);
  await allow(scene.namespace, 'operator', rules);
  await scene.psets.until('no-right', 'Applied', SOON_MS);
});
