import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { allow, operatorRules, type Rule } from '../support/cluster.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { ready, secretKnown, secretListed, settled } from '../support/watching.ts';

/**
 * It goes on by itself, long before the next attempt in status, which is 48 s away or more; so
 * somebody told it.
 */
const AT_ONCE_MS = 30_000;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

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

  test('that is no key pair: no call, the message says what is wrong and no value; corrected, it is used at once', async () => {
    await scene.secret('half', { keyId: 'one-id' });
    await scene.psets.create('half', using('half'));
    const object = await scene.psets.until('half', 'SecretInvalid');
    expect(messageOf(object)).toMatch(/Secret "half".*no key "keySecret" \(its keys: "keyId"\)/);
    expect(messageOf(object)).not.toContain('one-id');
    expect(object.status.conditions[1]?.type).toBe('Stalled');
    expect(callsFor('half')).toEqual([]);
    await scene.newKey('half');
    await scene.psets.until('half', 'Applied', AT_ONCE_MS);
    expect(callsFor('half').length).toBe(1);
    expect(await readsOf('half')).toBe(2);
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
