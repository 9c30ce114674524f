import { describe, expect, test } from 'vitest';
import { objectPath } from '../../src/kube/resource.ts';
import { SECRET } from '../../src/kube/secrets/secret-state.ts';
import { eventually } from '../support/eventually.ts';
import { settle } from '../support/fake-clock.ts';
import { forbidden } from '../support/memory-kube.ts';

import { isGet, KEYS, path, present, value, world } from '../support/secrets-world.ts';

describe('watching', () => {
  test('asks for nothing but the one Secret, by name and without its data', async () => {
    const { kube } = await present();
    expect(kube.calls).toEqual([
      expect.objectContaining({
        path: '/api/v1/namespaces/ingest/secrets',
        query: expect.objectContaining({ fieldSelector: 'metadata.name=api' }) as unknown,
        accept: expect.stringContaining('as=PartialObjectMetadataList') as unknown,
      }),
    ]);
    expect(kube.streams).toBe(1);
  });

  test('watches once for any number of owners; with the last it stops, and says so', async () => {
    const { kube, secrets, changes } = await present();
    for (let n = 0; n < 1_000; n += 1) secrets.refer(`o${n}`, 'ingest', 'api');
    await settle();
    expect(kube.streams).toBe(1);
    secrets.release('a');
    for (let n = 0; n < 999; n += 1) secrets.release(`o${n}`);
    await settle();
    expect([kube.streams, changes]).toEqual([1, []]);
    secrets.release('o999');
    secrets.release('o999');
    expect(changes).toEqual(['ingest/api']);
    await settle();
    expect([kube.streams, secrets.state('ingest', 'api')]).toEqual([0, { state: 'unknown' }]);
  });

  test('leaves the former Secret when an owner refers to another', async () => {
    const { kube, secrets } = await present();
    kube.set(objectPath(SECRET, 'ingest', 'other'), value('two'));
    secrets.refer('a', 'ingest', 'other');
    await settle();
    expect(secrets.state('ingest', 'other')).toMatchObject({ state: 'present' });
    expect([kube.streams, secrets.state('ingest', 'api')]).toEqual([1, { state: 'unknown' }]);
  });

  test('watches 1,500 Secrets of a namespace, and each one more when a place is free, oldest first', async () => {
    const { kube, secrets, changes } = world();
    const refer = (n: number): void => secrets.refer(`o${n}`, 'ingest', `s${n}`);
    const stateOf = (n: number): string => secrets.state('ingest', `s${n}`).state;
    const asksFor = (n: number): boolean =>
      kube.calls.some(
        ({ path: asked, query }) =>
          asked.endsWith(`/s${n}`) || query?.['fieldSelector'] === `metadata.name=s${n}`,
      );
    for (let n = 0; n < 1_502; n += 1) {
      kube.set(objectPath(SECRET, 'ingest', `s${n}`), value('one'));
      refer(n);
    }
    secrets.refer('shares', 'ingest', 's0');
    secrets.refer('elsewhere', 'billing', 'api');
    await eventually(() => expect(kube.streams).toBe(1_501));
    expect([stateOf(0), stateOf(1_499), stateOf(1_500), stateOf(1_501)]).toEqual([
      'present',
      'present',
      'forbidden',
      'forbidden',
    ]);
    expect(secrets.state('billing', 'api').state).toBe('absent');
    expect(await secrets.read('ingest', 's1500', KEYS)).toEqual({
      state: 'forbidden',
      message: expect.stringMatching(/"ingest" refer to more than 1500 Secrets.*"s1500".*fewer/),
    });
    expect([asksFor(1_499), asksFor(1_500)]).toEqual([true, false]);

    // Its owner is not the last one.
    secrets.release('o0');
    expect(stateOf(1_500)).toBe('forbidden');
    changes.length = 0;
    secrets.release('o7');
    expect(changes).toEqual(['ingest/s7', 'ingest/s1500']);
    await settle();
    expect([stateOf(1_500), stateOf(1_501)]).toEqual(['present', 'forbidden']);
    // One that comes back stands at the end, and one that waits and goes frees nothing.
    refer(7);
    secrets.release('o1501');
    secrets.release('o8');
    await settle();
    expect([stateOf(7), kube.streams]).toEqual(['present', 1_501]);
  });

  test('tells when the Secret was last written', async () => {
    const { kube, secrets } = world();
    const managedFields = [
      { time: '2026-01-02T00:00:00Z' },
      { time: '2026-01-03T00:00:00Z' },
      { manager: 'x' },
    ];
    kube.set(path, { ...value('one'), metadata: { managedFields } });
    secrets.refer('a', 'ingest', 'api');
    await settle();
    expect(secrets.state('ingest', 'api')).toEqual({
      state: 'present',
      resourceVersion: '101',
      type: undefined,
      changedAt: Date.parse('2026-01-03T00:00:00Z'),
    });
  });

  test('tells of every change, of vanishing and of coming back', async () => {
    const { kube, secrets, changes } = await present();
    expect(changes).toEqual([]);
    kube.set(path, value('two'));
    await settle();
    expect(changes).toHaveLength(1);
    kube.remove(path);
    await settle();
    expect([changes.length, secrets.state('ingest', 'api')]).toEqual([2, { state: 'absent' }]);
    kube.set(path, value('three'));
    await settle();
    expect([changes.length, secrets.state('ingest', 'api').state]).toEqual([3, 'present']);
  });

  test('tells nothing when a broken watch lists again and nothing changed', async () => {
    const { kube, clock, changes } = await present();
    for (let n = 0; n < 12; n += 1) {
      kube.cutStreams();
      await clock.advance(40_000);
    }
    expect(changes).toEqual([]);
  });

  test('tells the first answer only to those who were told that there is none yet', async () => {
    const silent = world();
    silent.secrets.refer('a', 'ingest', 'api');
    await settle();
    expect(silent.secrets.state('ingest', 'api')).toEqual({ state: 'absent' });
    expect(silent.changes).toEqual([]);
    const asked = world(() => ({ back: 100 }));
    asked.secrets.refer('a', 'ingest', 'api');
    expect(asked.secrets.state('ingest', 'api')).toEqual({ state: 'unknown' });
    await asked.clock.advance(100);
    expect([asked.changes, asked.secrets.state('ingest', 'api')]).toEqual([
      ['ingest/api'],
      { state: 'absent' },
    ]);
  });
});

describe('without the right', () => {
  const rule =
    'add to a Role in namespace "ingest" bound to system:serviceaccount:pw:pw the rule {apiGroups: [""], resources: ["secrets"], resourceNames: ["api"], verbs: ["get", "list", "watch"]}';

  test('names the missing rule, tells when it comes, and needs no restart', async () => {
    let may = false;
    const { secrets, kube, clock, changes } = world(() =>
      may ? {} : { fail: forbidden('list', 'secrets', 'ingest') },
    );
    kube.set(path, value('one'));
    secrets.refer('a', 'ingest', 'api');
    const message = `system:serviceaccount:pw:pw may not list secrets "api" in namespace "ingest"; ${rule}`;
    await settle();
    expect(secrets.state('ingest', 'api')).toEqual({ state: 'forbidden', message });
    expect(await secrets.read('ingest', 'api', KEYS)).toEqual({ state: 'forbidden', message });
    expect(changes).toEqual([]);
    may = true;
    await clock.advance(60_000);
    expect([changes.length, secrets.state('ingest', 'api').state]).toEqual([1, 'present']);
  });

  test('tells when it is taken away, and drops the value', async () => {
    const { secrets, kube, clock, changes } = await present();
    await secrets.read('ingest', 'api', KEYS);
    kube.breakStreams(forbidden('watch', 'secrets', 'ingest'));
    await clock.advance(5_000);
    expect([changes.length, await secrets.read('ingest', 'api', KEYS)]).toEqual([
      1,
      {
        state: 'forbidden',
        message: expect.stringContaining('may not watch secrets "api"') as unknown,
      },
    ]);
    await clock.advance(600_000);
    expect(changes).toHaveLength(1);
  });

  test('asks once in ten seconds for a value that it may watch but not read', async () => {
    const { secrets, clock, gets } = await present((call) =>
      isGet(call) ? { fail: forbidden('get', 'secrets', 'ingest') } : {},
    );
    for (let n = 0; n < 50; n += 1)
      expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject({
        state: 'forbidden',
        message: expect.stringContaining('may not get secrets "api"') as unknown,
      });
    expect(gets()).toBe(1);
    await clock.advance(10_000);
    await secrets.read('ingest', 'api', KEYS);
    expect(gets()).toBe(2);
  });
});

describe('many at the start', () => {
  test('lists eight at once, in the order in which they were referred to', async () => {
    const made = world(() => ({ back: 100 }));
    for (let n = 0; n < 1_000; n += 1) made.secrets.refer(`o${n}`, 'ingest', `s${n}`);
    await made.clock.advance(0);
    expect(made.kube.calls).toHaveLength(8);
    await made.clock.advance(200);
    const listed = made.kube.calls.map((call) => call.query?.fieldSelector);
    expect(listed).toEqual(Array.from({ length: 24 }, (_, n) => `metadata.name=s${n}`));
    await made.clock.advance(13_000);
    expect([made.kube.calls.length, made.kube.streams]).toEqual([1_000, 1_000]);
  });

  test('goes on with the others when some get no answer', async () => {
    const made = world((call) =>
      Number(/s(\d+)$/.exec(call.query?.fieldSelector ?? '')?.[1]) < 8 ? { lost: 'request' } : {},
    );
    for (let n = 0; n < 20; n += 1) made.secrets.refer(`o${n}`, 'ingest', `s${n}`);
    await made.clock.advance(5_000);
    expect(made.secrets.state('ingest', 's19')).toEqual({ state: 'absent' });
  });

  test('never starts what nobody refers to any more', async () => {
    const made = world(() => ({ back: 100 }));
    for (let n = 0; n < 20; n += 1) made.secrets.refer('the one', 'ingest', `s${n}`);
    await made.clock.advance(60_000);
    expect(made.kube.calls.map((call) => call.query?.fieldSelector)).not.toContain(
      'metadata.name=s12',
    );
    expect(made.secrets.state('ingest', 's19')).toEqual({ state: 'absent' });
  });
});

test('lets no value into the log or into an error', async () => {
  const made = await present();
  await made.secrets.read('ingest', 'api', KEYS);
  made.kube.breakStreams(true);
  await made.clock.advance(600_000);
  expect(made.messages.length).toBeGreaterThan(0);
  expect(made.messages.join('\n')).not.toContain(btoa('one'));
});
