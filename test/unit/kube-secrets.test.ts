import { describe, expect, test } from 'vitest';
import type { KubeClient } from '../../src/kube/client.ts';
import { KubeError } from '../../src/kube/errors.ts';
import { createSecrets, type SecretObject } from '../../src/kube/secrets.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

interface World {
  /** The Secret that there is; undefined: none. */
  stored: (Pick<SecretObject, 'type' | 'data'> & { readonly labels: object }) | undefined;
  /** What every GET ends with. */
  fail: KubeError | undefined;
  gets: number;
}

function holding(keyId: string, labels: Readonly<Record<string, string>> = {}) {
  return { type: 'Opaque', data: { keyId: btoa(keyId) }, labels };
}

function world(labels?: Readonly<Record<string, string>>) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const changes: string[] = [];
  const on: World = { stored: undefined, fail: undefined, gets: 0 };
  const versions = new Map<World['stored'], string>();
  const get = async (): Promise<unknown> => {
    on.gets += 1;
    await settle();
    if (on.fail) throw on.fail;
    if (!on.stored) throw refusal(404);
    const { labels: own, ...secret } = on.stored;
    const resourceVersion = versions.get(on.stored) ?? String(versions.size + 1);
    versions.set(on.stored, resourceVersion);
    return { ...secret, metadata: { name: 'api', namespace: 'ns', labels: own, resourceVersion } };
  };
  const client = { request: get } as Pick<KubeClient, 'request'> as KubeClient;
  const secrets = createSecrets(client, clock, stop.signal, labels);
  secrets.onChange((key) => changes.push(key));
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= SECOND) await clock.advance(Math.min(left, SECOND));
  };
  return Object.assign(on, { clock, stop, changes, secrets, pass });
}

function refusal(status: number, body = ''): KubeError {
  return new KubeError({ call: 'GET', status, reason: 'Refused', body });
}

describe('reading', () => {
  test('a value is kept for five seconds, then read again; anew at once', async () => {
    const on = world();
    const { secrets, pass } = on;
    on.stored = holding('one');
    const all = [1, 2, 3].map(() => secrets.read('ns/api'));
    expect(await Promise.all(all)).toMatchObject(all.map(() => ({ state: 'present' })));
    expect(on.gets, 'one in flight for all').toBe(1);
    on.stored = holding('two');
    await pass(4_900);
    expect(await secrets.read('ns/api')).toMatchObject({
      secret: { data: holding('one').data },
    });
    await pass(200);
    expect(await secrets.read('ns/api')).toMatchObject({
      secret: { data: holding('two').data },
    });
    on.stored = holding('three');
    expect(await secrets.read('ns/api', 'anew')).toMatchObject({
      secret: { data: holding('three').data },
    });
    expect(on.gets).toBe(3);
  });

  test('what is not there is absent; another version is news, the first read is none', async () => {
    const on = world();
    const { secrets, changes } = on;
    expect(secrets.state('ns/api')).toEqual({ state: 'unknown' });
    expect(await secrets.read('ns/api')).toEqual({ state: 'absent' });
    expect(changes).toEqual([]);
    on.stored = holding('one');
    const read = await secrets.read('ns/api', 'anew');
    expect(secrets.state('ns/api')).toMatchObject({ state: 'present' });
    expect(read).toMatchObject(secrets.state('ns/api'));
    expect(changes).toEqual(['ns/api']);
    await secrets.read('ns/api', 'anew');
    expect(changes).toHaveLength(1);
  });

  test('without the labels it is forbidden, with them it is not', async () => {
    const on = world({ use: 'api', tier: 'one' });
    const { secrets } = on;
    on.stored = holding('one', { use: 'api' });
    const read = await secrets.read('ns/api');
    expect(read).toMatchObject({ state: 'forbidden' });
    expect(JSON.stringify(read)).toContain('--secret-selector use=api,tier=one');
    expect(JSON.stringify(read)).not.toContain(btoa('one'));
    on.stored = holding('one', { use: 'api', tier: 'one', more: 'x' });
    expect(await secrets.read('ns/api', 'anew')).toMatchObject({ state: 'present' });
  });

  test('a missing right names the rule; any other failure is thrown and changes nothing', async () => {
    const on = world();
    const user = 'system:serviceaccount:ns:operator';
    on.fail = refusal(403, `secrets "api" is forbidden: User "${user}" cannot get resource`);
    const read = await on.secrets.read('ns/api');
    const rule =
      '{apiGroups: [""], resources: ["secrets"], resourceNames: ["api"], verbs: ["get"]}';
    expect(read).toEqual({
      state: 'forbidden',
      message: `${user} may not get the Secret "api"; add to a Role in namespace "ns" bound to ${user} the rule ${rule}`,
    });
    on.fail = refusal(403, 'admission webhook "guard" denied the request: not on Fridays');
    expect(await on.secrets.read('ns/api', 'anew')).toEqual({
      state: 'forbidden',
      message: expect.stringMatching(/^The Secret "api" may not be read: .*not on Fridays$/),
    });
    on.fail = refusal(500);
    await expect(on.secrets.read('ns/api', 'anew')).rejects.toBe(on.fail);
    expect(on.secrets.state('ns/api')).toEqual({ state: 'forbidden' });
    expect(on.changes).toEqual([]);
  });
});

describe('a Secret that an object waits for', () => {
  test('is asked for every 2 s, then 10 s, then 60 s, and its change is told', async () => {
    const on = world();
    const { secrets, changes, pass } = on;
    await secrets.read('ns/api');
    const during = async (ms: number): Promise<number> => {
      const before = on.gets;
      await pass(ms);
      return on.gets - before;
    };
    secrets.awaitChange('a', 'ns/api');
    secrets.awaitChange('a', 'ns/api');
    expect(await during(MINUTE)).toBeOneOf([30, 31]);
    expect(await during(9 * MINUTE)).toBeOneOf([53, 54, 55]);
    expect(await during(20 * MINUTE)).toBeOneOf([20, 21]);
    expect(changes).toEqual([]);
    on.stored = holding('one');
    expect(await during(2 * MINUTE), 'quick again after a change').toBeGreaterThan(30);
    expect(changes).toEqual(['ns/api']);
  });

  test('is read soon after a start, and that is told too', async () => {
    const on = world();
    const { secrets, changes, pass } = on;
    on.stored = holding('one');
    secrets.awaitChange('a', 'ns/api');
    await pass(2 * SECOND);
    expect(changes).toEqual(['ns/api']);
  });

  test('is asked for once for all, and no more when the last one that waits is gone', async () => {
    const on = world();
    const { secrets, stop, pass } = on;
    for (const owner of ['a', 'b', 'c']) secrets.awaitChange(owner, 'ns/api');
    await pass(20 * SECOND);
    expect(on.gets).toBeOneOf([10, 11]);
    secrets.awaitChange('c', 'ns/other');
    secrets.awaitChange('a', undefined);
    secrets.awaitChange('c', undefined);
    const before = on.gets;
    await pass(4 * SECOND);
    expect(on.gets).toBeGreaterThan(before);
    secrets.awaitChange('b', undefined);
    const last = on.gets;
    await pass(MINUTE);
    expect(on.gets).toBe(last);
    secrets.awaitChange('a', 'ns/api');
    stop.abort();
    await pass(MINUTE);
    expect(on.gets, 'nor when the process ends').toBe(last);
  });

  test('is asked for more rarely while Kubernetes gives none', async () => {
    const on = world();
    on.fail = refusal(429);
    on.secrets.awaitChange('a', 'ns/api');
    let before = 0;
    for (let minute = 0; minute < 10; minute += 1) {
      before = on.gets;
      await on.pass(MINUTE);
    }
    expect(on.gets - before).toBeLessThanOrEqual(2);
    on.fail = undefined;
    on.stored = holding('one');
    await on.pass(73 * SECOND);
    expect(on.changes).toEqual(['ns/api']);
  });
});
