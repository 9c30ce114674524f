import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { audit, waitFor } from '../controlplane/client.ts';
import { allow, operatorRules, type Rule } from '../support/cluster.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { settled } from '../support/watching.ts';

/** It is asked for every 2 s: long before the next attempt in status, which is 48 s away or more. */
const SOON_MS = 8_000;
/** A value is kept for 5 s. */
const ROTATED_MS = 6_000;

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
  test('that comes last: no call before, and the object is Ready soon after', async () => {
    await scene.psets.create('missing', using('missing'));
    const object = await scene.psets.until('missing', 'SecretNotFound');
    expect(messageOf(object)).toContain(
      `The Secret "missing" does not exist in namespace "${scene.namespace}"`,
    );
    expect(object.status.conditions[1]?.type).toBe('Reconciling');
    await scene.newKey('missing');
    await scene.psets.until('missing', 'Applied', SOON_MS);
    expect(callsFor('missing').length).toBe(1);
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
    await scene.psets.until('half', 'Applied', SOON_MS);
    expect(callsFor('half').length).toBe(1);
  });

  test('that is rotated causes no call, no read and no write; an edit soon after uses the new key', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `rotated-${index}`);
    await scene.newKey('rotated');
    await Promise.all(names.map((name) => scene.psets.create(name, using('rotated'))));
    await Promise.all(names.map((name) => scene.psets.until(name, 'Applied')));
    const reads = await readsOf('rotated');
    expect(reads, 'for ten objects').toBeLessThanOrEqual(2);
    const { id } = await scene.newKey('rotated');
    const rotatedAt = Date.now();
    await settled(scene);
    for (const name of names) expect(callsFor(name).length, name).toBe(1);
    let edits = 0;
    const usedKey = async (): Promise<string | undefined> => {
      const settings = { engine_max_threads: 4 + (edits += 1) };
      await scene.psets.create('rotated-0', { ...using('rotated'), settings });
      await scene.psets.until('rotated-0', 'Applied');
      return callsFor('rotated-0').at(-1)?.keyId;
    };
    await waitFor(usedKey, { what: 'the new key to be used', until: (keyId) => keyId === id });
    expect(Date.now() - rotatedAt).toBeLessThan(ROTATED_MS);
    expect(await writesOf('rotated-1', 1)).toBe(1);
  });

  test('whose key was refused is read anew: rotated meanwhile, the new one is tried at once', async () => {
    const { id } = await scene.newKey('revoked');
    await scene.psets.create('revoked', using('revoked'));
    await scene.psets.until('revoked', 'Applied');
    const next = await scene.newKey('revoked');
    scene.simulator.setKey(id, 'another-secret');
    await scene.psets.create('revoked', {
      ...using('revoked'),
      settings: { engine_max_threads: 5 },
    });
    await scene.psets.until('revoked', 'Applied', SOON_MS);
    // The first of them came with the old key where that was still in memory.
    const keys = callsFor('revoked').map(({ keyId }) => keyId);
    expect(keys).toBeOneOf([
      [id, id, next.id],
      [id, next.id],
    ]);
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
  expect(scene.simulator.log.filter(({ status }) => ![200, 401].includes(status ?? 0))).toEqual([]);
  const named = new Set(
    (await scene.psets.list()).map(
      ({ spec }) => (spec['credentialsSecretRef'] as { name: string }).name,
    ),
  );
  const asked = await audit({ user: scene.user, resource: 'secrets' });
  expect(asked.length).toBeGreaterThan(named.size);
  for (const { verb, name } of asked) {
    expect(verb).toBe('get');
    expect(named).toContain(name);
  }
});

describe('the right to read Secrets', () => {
  const without = (rules: readonly Rule[]): Rule[] =>
    rules.filter(({ resources }) => !resources.includes('secrets'));
  const grant = (rules: readonly Rule[]): Promise<void> =>
    allow(scene.namespace, 'operator', rules);

  afterEach(async () => grant(await operatorRules()));

  async function expectForbidden(name: string): Promise<void> {
    const object = await scene.psets.until(name, 'SecretForbidden');
    const rule = `{apiGroups: [""], resources: ["secrets"], resourceNames: ["${name}"], verbs: ["get"]}`;
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
    await scene.psets.until('no-right', 'Applied', SOON_MS);
    expect(callsFor('no-right').length).toBe(1);
  });
});
