import { describe, expect, test } from 'vitest';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import { objectPath } from '../../src/kube/resource.ts';
import { SECRET } from '../../src/kube/secrets/secret-state.ts';
import { createSecrets, type Secrets } from '../../src/kube/secrets/secrets.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { type Fate, forbidden, MemoryKube, refused } from '../support/memory-kube.ts';
import { recordingLog } from '../support/recording-log.ts';

const path = objectPath(SECRET, 'ingest', 'api');
const KEYS = ['keyId'];
const value = (text: string) => ({ type: 'Opaque', data: { keyId: btoa(text) } });

interface World {
  readonly kube: MemoryKube;
  readonly clock: FakeClock;
  readonly secrets: Secrets;
  readonly changes: string[];
  readonly stop: AbortController;
  readonly messages: string[];
  /** GETs of Secrets by name so far. */
  readonly gets: () => number;
}

function world(fate: (call: RequestCall) => Fate = () => ({})): World {
  const kube = new MemoryKube();
  const clock = new FakeClock();
  const stop = new AbortController();
  const changes: string[] = [];
  const { log, messages } = recordingLog();
  const secrets = createSecrets({
    client: kube.client({ clock, fate }),
    clock,
    log,
    signal: stop.signal,
    onChange: (namespace, name) => changes.push(`${namespace}/${name}`),
  });
  const gets = (): number => kube.calls.filter((call) => isGet(call)).length;
  return { kube, clock, secrets, changes, stop, messages, gets };
}

/** A GET of one Secret, not a list. */
function isGet(call: RequestCall): boolean {
  return call.method === 'GET' && call.path.split('/').at(-2) === 'secrets';
}

async function present(fate?: (call: RequestCall) => Fate): Promise<World> {
  const made = world(fate);
  made.kube.set(path, value('one'));
  made.secrets.refer('a', 'ingest', 'api');
  await settle();
  return made;
}

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

describe('reading', () => {
  test('shares one GET among all who ask for one version, at once or later', async () => {
    const { secrets, gets, kube, clock } = await present((call) =>
      isGet(call) ? { back: 20 } : {},
    );
    const reads = Promise.all(
      Array.from({ length: 1_000 }, () => secrets.read('ingest', 'api', KEYS)),
    );
    await clock.advance(20);
    for (const read of await reads)
      expect(read).toEqual({
        ...value('one'),
        state: 'present',
        resourceVersion: '101',
        keyNames: KEYS,
        keyCount: 1,
      });
    await secrets.read('ingest', 'api', KEYS);
    expect(gets()).toBe(1);
    expect(secrets.state('ingest', 'api')).toMatchObject({ type: 'Opaque' });
    kube.set(path, value('two'));
    await settle();
    expect([gets(), secrets.state('ingest', 'api')]).toEqual([
      1,
      expect.objectContaining({ type: undefined }),
    ]);
    const again = Promise.all(
      Array.from({ length: 1_000 }, () => secrets.read('ingest', 'api', KEYS)),
    );
    await clock.advance(20);
    for (const read of await again) expect(read).toMatchObject(value('two'));
    expect(gets()).toBe(2);
  });

  test('keeps the keys that are asked for and no others, and reads once more for new ones', async () => {
    const { kube, secrets, gets } = await present();
    const data = {
      keyId: 'b25l',
      keySecret: 'dHdv',
      'tls.key': 'x'.repeat(400_000),
      other: 'eHh4',
    };
    kube.set(path, { type: 'Opaque', data });
    await settle();
    const read = await secrets.read('ingest', 'api', ['keyId', 'keySecret', 'username']);
    expect(read).toEqual({
      state: 'present',
      type: 'Opaque',
      resourceVersion: '102',
      data: { keyId: 'b25l', keySecret: 'dHdv', username: undefined },
      keyNames: ['keyId', 'keySecret', 'other', 'tls.key'],
      keyCount: 4,
    });
    const both = [
      secrets.read('ingest', 'api', ['other']),
      secrets.read('ingest', 'api', ['tls.key']),
    ];
    const [other, long] = await Promise.all(both);
    expect(other).toMatchObject({ data: { other: 'eHh4' } });
    expect(JSON.stringify(long).length).toBeLessThan(9_000);
    expect(gets()).toBe(2);
    for (let n = 0; n < 100; n += 1) await secrets.read('ingest', 'api', [`k${n}`]);
    const last = await secrets.read('ingest', 'api', ['k99']);
    expect(last).toMatchObject({ keyCount: 4 });
    expect(Object.keys('data' in last ? last.data : {}).length).toBeLessThanOrEqual(32);
  });

  test('drops the value with the Secret, and answers absent without asking', async () => {
    const { secrets, gets, kube } = await present();
    await secrets.read('ingest', 'api', KEYS);
    kube.remove(path);
    await settle();
    expect(await secrets.read('ingest', 'api', KEYS)).toEqual({ state: 'absent' });
    expect(gets()).toBe(1);
  });

  test('gives a value newer than the watch knows to its caller, and keeps it when the watch comes to confirm it', async () => {
    const { secrets, gets, kube, clock } = world();
    kube.set(path, value('one'));
    kube.holdStreams();
    secrets.refer('a', 'ingest', 'api');
    await settle();
    kube.set(path, value('two'));
    expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject(value('two'));
    expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject(value('two'));
    expect([gets(), secrets.state('ingest', 'api')]).toEqual([
      2,
      expect.objectContaining({ resourceVersion: '101' }),
    ]);
    kube.releaseStreams();
    await clock.advance(0);
    expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject({
      ...value('two'),
      resourceVersion: '102',
    });
    expect(gets()).toBe(2);
  });

  test('reads again when the Secret changed while it was read', async () => {
    const { secrets, kube, clock, gets } = await present((call) =>
      isGet(call) ? { back: 20 } : {},
    );
    const read = secrets.read('ingest', 'api', KEYS);
    await clock.advance(10);
    kube.set(path, value('two'));
    await clock.advance(30);
    expect(await read).toMatchObject(value('two'));
    expect(gets()).toBe(2);
  });

  test('reads once per call while the watch is broken, and keeps again when it is back', async () => {
    let down = false;
    const { secrets, kube, clock, gets } = await present((call) =>
      down && !isGet(call) ? { fail: refused(call, 500, 'InternalError') } : {},
    );
    await secrets.read('ingest', 'api', KEYS);
    down = true;
    kube.breakStreams(true);
    await clock.advance(10_000);
    expect(gets()).toBe(1);
    for (const expected of [2, 3, 4]) {
      expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject(value('one'));
      expect(gets()).toBe(expected);
    }
    down = false;
    kube.breakStreams(false);
    await clock.advance(60_000);
    await secrets.read('ingest', 'api', KEYS);
    const back = gets();
    await secrets.read('ingest', 'api', KEYS);
    await secrets.read('ingest', 'api', KEYS);
    expect(gets()).toBe(back);
  });

  test('notices what it missed while the watch was broken', async () => {
    const { secrets, kube, clock, changes } = await present();
    await secrets.read('ingest', 'api', KEYS);
    kube.breakStreams(true);
    await clock.advance(5_000);
    kube.set(path, value('two'));
    kube.breakStreams(false);
    await clock.advance(60_000);
    expect(changes).toHaveLength(1);
    expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject(value('two'));
  });

  test('finds a Secret that appeared while the watch was broken', async () => {
    const { secrets, kube, clock } = world();
    secrets.refer('a', 'ingest', 'api');
    await settle();
    expect(secrets.state('ingest', 'api')).toEqual({ state: 'absent' });
    kube.breakStreams(true);
    await clock.advance(5_000);
    kube.set(path, value('one'));
    expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject(value('one'));
  });

  test('drops the value when the watch breaks', async () => {
    const { secrets, kube, clock, gets } = await present();
    await secrets.read('ingest', 'api', KEYS);
    kube.breakStreams(true);
    await clock.advance(1);
    kube.breakStreams(false);
    await clock.advance(60_000);
    await secrets.read('ingest', 'api', KEYS);
    expect(gets()).toBe(2);
  });

  test('shares no GET from before a change with those who ask after it', async () => {
    const { secrets, kube, clock } = await present((call) => (isGet(call) ? { back: 20 } : {}));
    kube.holdStreams();
    kube.remove(path);
    const before = secrets.read('ingest', 'api', KEYS);
    await clock.advance(10);
    kube.set(path, value('two'));
    kube.releaseStreams();
    await settle();
    const after = secrets.read('ingest', 'api', KEYS);
    await clock.advance(40);
    // Its answer was overtaken by the watch, so it asked once more.
    expect(await before).toMatchObject(value('two'));
    expect(await after).toMatchObject(value('two'));
  });

  test('hands on a failure as a value', async () => {
    const { secrets } = await present((call) =>
      isGet(call) ? { fail: refused(call, 503, 'Busy') } : {},
    );
    const read = await secrets.read('ingest', 'api', KEYS);
    expect(read).toEqual({ state: 'failed', error: expect.any(KubeError) as unknown });
  });

  test('goes on reading after its end, for the passes that are let end', async () => {
    const { secrets, stop, gets, kube } = await present();
    stop.abort();
    await settle();
    expect(kube.streams).toBe(0);
    expect(await secrets.read('ingest', 'api', KEYS)).toMatchObject(value('one'));
    expect(gets()).toBe(1);
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
