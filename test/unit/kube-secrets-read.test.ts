import { describe, expect, test } from 'vitest';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import { settle } from '../support/fake-clock.ts';
import { refused } from '../support/memory-kube.ts';

import { isGet, KEYS, path, present, value, world } from '../support/secrets-world.ts';

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
