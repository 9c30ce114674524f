import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { allow, operatorRules, type Rule } from '../support/cluster.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { recordVersions, type Versions } from '../support/versions.ts';
import { ready, secretKnown, secretListed, settled } from '../support/watching.ts';

/**
 * It goes on by itself, long before the next attempt in status, which is 48 s away or more; so
 * somebody told it.
 */
const AT_ONCE_MS = 30_000;

let scene: Scene;
let versions: Versions;

beforeAll(async () => {
  scene = await openScene();
  versions = await recordVersions(scene.namespace);
});

afterAll(async () => {
  await versions?.end();
  await scene?.end();
});

function using(
  secret: string,
  keys: Readonly<Record<string, string>> = {},
): Readonly<Record<string, unknown>> {
  return { credentialsSecretRef: { name: secret, ...keys } };
}

function callsFor(name: string) {
  return scene.simulator.calls({ pathIncludes: pathOf(name) });
}

/** How often the operator has read the value of a Secret. */
async function readsOf(secret: string): Promise<number> {
  return (await audit({ user: scene.user, resource: 'secrets', verb: 'get', name: secret })).length;
}

/**
 * How often the status of an object was written: so often at least, because a write shows before it
 * is in the audit log.
 */
async function writesOf(name: string, atLeast: number): Promise<number> {
  const writes = await waitFor(
    () => audit({ user: scene.user, resource: 'pipesettings', subresource: 'status', name }),
    {
      what: `${atLeast} writes to ${name}`,
      until: ({ length }) => length >= atLeast,
    },
  );
  return writes.length;
}

function messageOf({ status }: Pset): string {
  return status.conditions[0]?.message ?? '';
}

/** A key pair that the API knows, which no Secret holds yet. */
function aKey(): { readonly id: string; readonly secret: string } {
  const key = { id: `id-${crypto.randomUUID()}`, secret: `secret-${crypto.randomUUID()}` };
  scene.simulator.setKey(key.id, key.secret);
  return key;
}

describe.concurrent('a Secret', () => {
  test('that is missing: no call; when it appears the object is applied at once, after one read', async () => {
    await scene.psets.create('missing', using('missing'));
    const object = await scene.psets.until('missing', 'SecretNotFound');
    expect(messageOf(object)).toContain(
      `The Secret "missing" does not exist in namespace "${scene.namespace}"`,
    );
    expect(object.status.conditions[1]?.type).toBe('Reconciling');
    // Before the watch has spoken for the first time it may be asked for once.
    const reads = await readsOf('missing');
    expect(reads).toBeLessThanOrEqual(1);
    await scene.newKey('missing');
    await scene.psets.until('missing', 'Applied', AT_ONCE_MS);
    expect(callsFor('missing').length).toBe(1);
    expect(await readsOf('missing')).toBe(reads + 1);
    expect(await writesOf('missing', 2)).toBe(2);
  });

  test.each([
    {
      what: 'without the secret',
      data: { keyId: 'one-id' },
      says: /no key "keySecret" \(its keys: "keyId"\)/,
    },
    {
      what: 'without the id',
      data: { keySecret: 'one-secret' },
      says: /no key "keyId" \(its keys: "keySecret"\)/,
    },
    { what: 'without anything', data: {}, says: /no key "keyId" \(its keys: none\)/ },
    {
      what: 'with other names',
      data: { id: 'one-id', secret: 'one-secret' },
      says: /its keys: "id", "secret"/,
    },
    {
      what: 'with an empty id',
      data: { keyId: '', keySecret: 'one-secret' },
      says: /its key "keyId" is empty/,
    },
    {
      what: 'with an empty secret',
      data: { keyId: 'one-id', keySecret: '' },
      says: /its key "keySecret" is empty/,
    },
    {
      what: 'with nothing but line ends',
      data: { keyId: 'one-id', keySecret: '\r\n\n' },
      says: /"keySecret" is empty/,
    },
    {
      what: 'with a line end inside',
      data: { keyId: 'one-id', keySecret: 'one\nsecret' },
      says: /"keySecret" contains control/,
    },
    {
      what: 'with a tab',
      data: { keyId: 'one\tid', keySecret: 'one-secret' },
      says: /"keyId" contains control/,
    },
    {
      what: 'with a zero byte',
      data: { keyId: 'one-id', keySecret: 'one\0secret' },
      says: /"keySecret" contains control/,
    },
    {
      what: 'with umlauts',
      data: { keyId: 'one-id', keySecret: 'one-sécret' },
      says: /outside ASCII/,
    },
    {
      what: 'with a colon in the id',
      data: { keyId: 'one:id', keySecret: 'one-secret' },
      says: /the API key id contains ":"/,
    },
  ])(
    '$what: no call, the message says what is wrong and no value; corrected, it is used at once',
    async ({ what, data, says }) => {
      const name = what.replaceAll(' ', '-');
      await scene.secret(name, data);
      await scene.psets.create(name, using(name));
      const object = await scene.psets.until(name, 'SecretInvalid');
      expect(messageOf(object)).toContain(`Secret "${name}"`);
      expect(messageOf(object)).toMatch(says);
      expect(messageOf(object)).not.toMatch(/one.?(id|secret)/);
      expect(object.status.conditions[1]?.type).toBe('Stalled');
      expect(callsFor(name)).toEqual([]);
      await scene.newKey(name);
      await scene.psets.until(name, 'Applied', AT_ONCE_MS);
      expect(callsFor(name).length).toBe(1);
      expect(await readsOf(name)).toBe(2);
    },
  );

  test('with line ends after the values is read without them', async () => {
    const { id, secret } = aKey();
    await scene.secret('newlines', { keyId: `${id}\n`, keySecret: `${secret}\r\n` });
    await scene.psets.create('newlines', using('newlines'));
    await scene.psets.until('newlines', 'Applied');
    expect(callsFor('newlines').map(({ keyId, status }) => [keyId, status])).toEqual([[id, 200]]);
  });

  test('of type basic-auth is read as such', async () => {
    const { id, secret } = aKey();
    await scene.secret('basic', { username: id, password: secret }, 'kubernetes.io/basic-auth');
    await scene.psets.create('basic', using('basic'));
    await scene.psets.until('basic', 'Applied');
    expect(callsFor('basic')[0]?.keyId).toBe(id);
  });

  test('with keys of other names works once they are named, and each object may name its own', async () => {
    const [one, two] = [aKey(), aKey()];
    await scene.secret('named', {
      'one.id': one.id,
      'one.secret': one.secret,
      a: two.id,
      b: two.secret,
    });
    await scene.psets.create(
      'named-1',
      using('named', { keyIdKey: 'one.id', keySecretKey: 'one.secret' }),
    );
    await scene.psets.until('named-1', 'Applied');
    await secretListed(scene, 'named');
    await scene.psets.create('named-2', using('named', { keyIdKey: 'a', keySecretKey: 'b' }));
    await scene.psets.create('named-3', using('named', { keyIdKey: 'a', keySecretKey: 'c' }));
    await scene.psets.until('named-2', 'Applied');
    expect(messageOf(await scene.psets.until('named-3', 'SecretInvalid'))).toContain('no key "c"');
    expect(callsFor('named-1')[0]?.keyId).toBe(one.id);
    expect(callsFor('named-2')[0]?.keyId).toBe(two.id);
    expect(await readsOf('named')).toBe(1);
  });

  test('that is rotated causes no call, no read and no write; the next call uses the new key', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `rotated-${index}`);
    await scene.newKey('rotated');
    await scene.psets.create('rotated-0', using('rotated'));
    await scene.psets.until('rotated-0', 'Applied');
    await secretListed(scene, 'rotated');
    await Promise.all(names.slice(1).map((name) => scene.psets.create(name, using('rotated'))));
    await Promise.all(names.map((name) => scene.psets.until(name, 'Applied')));
    expect(await readsOf('rotated')).toBe(1);
    const { id } = await scene.newKey('rotated');
    // Once a witness is applied with the new key, news of the Secret has arrived; it comes by a
    // watch of its own.
    let witnesses = 0;
    const usedKey = async (): Promise<string | undefined> => {
      const witness = `witness-${++witnesses}`;
      await scene.psets.create(witness, using('rotated'));
      await scene.psets.until(witness, 'Applied');
      return callsFor(witness)[0]?.keyId;
    };
    await waitFor(usedKey, { what: 'the new key to be used', until: (keyId) => keyId === id });
    await settled(scene);
    for (const name of names) expect(callsFor(name).length, name).toBe(1);
    await scene.psets.create('rotated-0', {
      ...using('rotated'),
      settings: { engine_max_threads: 4 },
    });
    const { status } = await scene.psets.until('rotated-0', 'Applied');
    expect(status.applied?.generation).toBe(2);
    expect(callsFor('rotated-0')[1]?.keyId).toBe(id);
    expect(await readsOf('rotated')).toBe(2);
    expect(await writesOf('rotated-1', 1)).toBe(1);
  });

  test('that vanishes leaves what is applied alone; an edit then waits for it and goes on when it is back', async () => {
    await scene.newKey('vanishing');
    await scene.psets.create('vanishing', using('vanishing'));
    await scene.psets.until('vanishing', 'Applied');
    await scene.removeSecret('vanishing');
    await secretKnown(scene, 'vanishing', 'SecretNotFound');
    await scene.psets.create('vanishing', {
      ...using('vanishing'),
      settings: { engine_max_threads: 4 },
    });
    const { status } = await scene.psets.until('vanishing', 'SecretNotFound');
    expect(status.applied?.generation).toBe(1);
    expect(callsFor('vanishing').length).toBe(1);
    const { id } = await scene.newKey('vanishing');
    await scene.psets.until('vanishing', 'Applied', AT_ONCE_MS);
    expect(callsFor('vanishing').map(({ keyId }) => keyId)[1]).toBe(id);
    await waitFor(() => versions.reasons('vanishing').join(), {
      what: 'all that vanishing went through',
      until: (all) => all === ['Pending', 'Applied', 'SecretNotFound', 'Applied'].join(),
    });
  });

  test('whose key lacks the right is tried again at once when it changes', async () => {
    const { id, secret } = await scene.newKey('read-only');
    scene.simulator.setKey(id, secret, { readOnly: true });
    await scene.psets.create('read-only', using('read-only'));
    await scene.psets.until('read-only', 'Forbidden');
    await scene.newKey('read-only');
    await scene.psets.until('read-only', 'Applied', AT_ONCE_MS);
    expect(callsFor('read-only').map(({ status }) => status)).toEqual([403, 200]);
  });

  test('is not read for an object that makes no call', async () => {
    await scene.newKey('unread');
    await scene.psets.create('planned', { ...using('unread'), mode: 'Plan' });
    await scene.psets.create('suspended', { ...using('unread'), suspend: true });
    await Promise.all([
      scene.psets.until('planned', 'Planned'),
      scene.psets.until('suspended', 'Suspended'),
    ]);
    expect(await readsOf('unread')).toBe(0);
  });
});

test('no call was made with a key that no Secret held, and no Secret was asked for that no object names', async () => {
  expect(scene.simulator.log.filter(({ status }) => status !== 200 && status !== 403)).toEqual([]);
  const named = new Set(
    (await scene.psets.list()).map(
      ({ spec }) => (spec['credentialsSecretRef'] as { name: string }).name,
    ),
  );
  const asked = await audit({ user: scene.user, resource: 'secrets' });
  expect(asked.length).toBeGreaterThan(named.size);
  for (const { verb, name, requestURI } of asked) {
    const selected = /fieldSelector=metadata\.name%3D([^&]+)/.exec(requestURI)?.[1];
    expect(verb === 'get' ? name : selected, requestURI).toSatisfy((one: string) => named.has(one));
  }
});

describe('the right to read Secrets', () => {
  const without = (rules: readonly Rule[]): Rule[] =>
    rules.filter(({ resources }) => !resources.includes('secrets'));
  const secretRule = (...verbs: string[]): Rule => ({
    apiGroups: [''],
    resources: ['secrets'],
    verbs,
  });

  const grant = (rules: readonly Rule[]): Promise<void> =>
    allow(scene.namespace, 'operator', rules);

  afterEach(async () => grant(await operatorRules()));

  async function expectForbidden(name: string): Promise<void> {
    const object = await scene.psets.until(name, 'SecretForbidden');
    const rule = `{apiGroups: [""], resources: ["secrets"], resourceNames: ["${name}"], verbs: ["get", "list", "watch"]}`;
    expect(messageOf(object)).toContain(
      `add to a Role in namespace "${scene.namespace}" bound to ${scene.user}`,
    );
    expect(messageOf(object)).toContain(rule);
    expect(object.status.conditions[1]?.type).toBe('Stalled');
  }

  test('that is missing: no call, the condition names the rule; given back, the operator goes on by itself', async () => {
    const rules = await operatorRules();
    await grant(without(rules));
    await scene.newKey('no-right');
    await scene.psets.create('no-right', using('no-right'));
    await expectForbidden('no-right');
    expect(callsFor('no-right')).toEqual([]);
    await grant(rules);
    await scene.psets.until('no-right', 'Applied', 40_000);
    expect(callsFor('no-right').length).toBe(1);
  });

  test('without get: no call; given back, a request to try now works, because nothing else tells of it', async () => {
    const rules = await operatorRules();
    await grant([...without(rules), secretRule('list', 'watch')]);
    await scene.newKey('no-get');
    await scene.psets.create('no-get', using('no-get'));
    await expectForbidden('no-get');
    await secretListed(scene, 'no-get');
    expect(callsFor('no-get')).toEqual([]);
    expect(await readsOf('no-get')).toBeLessThanOrEqual(2);
    await grant(rules);
    // A refusal is remembered for a moment: a request within that would be answered by it, and a
    // second one be a second call.
    await secretKnown(scene, 'no-get', 'Applied', 4_000);
    expect(ready(await scene.psets.get('no-get')).reason).toBe('SecretForbidden');
    await scene.psets.request('no-get');
    await scene.psets.until('no-get', 'Applied');
    expect(callsFor('no-get').length).toBe(1);
  });

  test('without watch: a change of the Secret would go unseen, so the rule is asked for before a second call', async () => {
    const rules = await operatorRules();
    await grant([...without(rules), secretRule('get', 'list')]);
    await scene.newKey('no-watch');
    await scene.psets.create('no-watch', using('no-watch'));
    const refused = `/api/v1/namespaces/${scene.namespace}/secrets`;
    await scene
      .operator()
      .waitForLine(
        ({ path, error }) => path === refused && String(error).includes('no-watch'),
        'it said so',
      );
    await scene.psets.create('no-watch', {
      ...using('no-watch'),
      settings: { engine_max_threads: 4 },
    });
    await expectForbidden('no-watch');
    expect(callsFor('no-watch').length).toBeLessThanOrEqual(1);
    await grant(rules);
    await scene.psets.until('no-watch', 'Applied', 40_000);
  });
});
