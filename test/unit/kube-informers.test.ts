import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Informers } from '../../src/kube/cache/informers.ts';
import { PIPE } from '../support/engine.ts';
import { eventually } from '../support/eventually.ts';
import type { Fate } from '../support/fake-kube-server.ts';
import { FORBIDDEN, Informed } from '../support/informed.ts';

let on: Informed;

beforeEach(async () => {
  on = await Informed.open();
});
afterEach(() => on.close());

interface Started extends Informers {
  readonly isSynced: () => boolean;
}

function start(namespaces: readonly string[] = [], labelSelector?: string): Started {
  const informers = on.start(namespaces, labelSelector);
  let synced = false;
  void informers.synced.then(() => (synced = true));
  return { ...informers, isSynced: () => synced };
}

const NO_CRD: Fate = { status: 404, reason: 'NotFound', message: '404 page not found' };

function keys(): string[] {
  return [...on.pipes.values()]
    .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
    .toSorted();
}

describe('without namespaces', () => {
  test('is synced after the first complete list of every object, and says what is missing until then', async () => {
    on.server.create(PIPE, 'a/one');
    on.server.create(PIPE, 'b/two');
    const informers = start();
    expect(informers.missing()).toBe('pipes: the first list is not complete');
    await informers.synced;
    expect(keys()).toEqual(['a/one', 'b/two']);
    expect(informers.missing()).toBeUndefined();
  });

  test('waits while the list is forbidden, names the rights that are missing, and goes on when they come', async () => {
    on.refuse(FORBIDDEN);
    const informers = start();
    await eventually(() => expect(informers.missing()).toContain('cannot list'));
    expect(informers.missing()).toContain(
      'allow get, list and watch on pipes.test.dev, and update on pipes/status',
    );
    await on.clock.advance(120_000);
    expect(informers.isSynced()).toBe(false);
    on.server.fate = () => undefined;
    await eventually(async () => {
      await on.clock.advance(30_000);
      expect(informers.isSynced()).toBe(true);
    });
  });
});

test('of a shard its own objects are asked for alone, in lists and in watches', async () => {
  const { request, stream } = on.client;
  const asked: (string | undefined)[] = [];
  on.client = {
    ...on.client,
    request: (call) => {
      asked.push(call.query?.['labelSelector']);
      return request(call);
    },
    stream: (call) => {
      asked.push(call.query?.['labelSelector']);
      return stream(call);
    },
  };
  await start([], 'shard=a').synced;
  await eventually(() => expect(asked.length).toBeGreaterThanOrEqual(2));
  expect(new Set(asked)).toEqual(new Set(['shard=a']));
});

describe('with named namespaces', () => {
  test('sees the objects of those, and none of others', async () => {
    for (const key of ['a/one', 'b/two', 'c/three']) on.server.create(PIPE, key);
    await start(['a', 'b']).synced;
    expect(keys()).toEqual(['a/one', 'b/two']);
  });

  test('waits for one that is forbidden for a moment', async () => {
    on.server.create(PIPE, 'a/one');
    on.server.create(PIPE, 'b/two');
    on.refuse(FORBIDDEN, 'b');
    const informers = start(['a', 'b']);
    await eventually(() =>
      expect(informers.missing()).toMatch(/^pipes in namespace "b": .*cannot list/),
    );
    expect(keys()).toEqual(['a/one']);
    on.server.fate = () => undefined;
    await eventually(async () => {
      await on.clock.advance(10);
      expect(informers.isSynced()).toBe(true);
    });
    expect(keys()).toEqual(['a/one', 'b/two']);
  });

  test('passes over one that stays forbidden, says so once, and takes it in when it is allowed', async () => {
    on.server.create(PIPE, 'a/one');
    on.server.create(PIPE, 'b/two');
    on.refuse(FORBIDDEN, 'b');
    const informers = start(['a', 'b']);
    await eventually(() => expect(informers.missing()).toContain('cannot list'));
    await on.clock.advance(29_999);
    expect(informers.isSynced()).toBe(false);
    await on.clock.advance(1);
    expect(informers.isSynced()).toBe(true);
    expect(keys()).toEqual(['a/one']);
    expect(informers.missing()).toBeUndefined();
    await on.clock.advance(60_000);
    const advice = on.recorded.messages.filter((message) =>
      message.includes('cannot watch: a permission or a CRD is missing'),
    );
    expect(advice).toHaveLength(1);
    expect(advice[0]).toContain('pipes in namespace "b"');
    on.server.fate = () => undefined;
    await eventually(async () => {
      await on.clock.advance(30_000);
      expect(keys()).toEqual(['a/one', 'b/two']);
    });
  });

  test('does not take a missing CRD for a missing namespace', async () => {
    on.refuse(NO_CRD);
    const informers = start(['a', 'b']);
    await eventually(() =>
      expect(informers.missing()).toContain('install the CRDs of this release'),
    );
    await on.clock.advance(60_000);
    expect(informers.isSynced()).toBe(false);
  });

  test('waits for a namespace that only fails to answer', async () => {
    on.server.create(PIPE, 'b/two');
    on.refuse({ status: 500, reason: 'InternalError', message: 'etcd is away' }, 'b');
    const informers = start(['a', 'b']);
    await eventually(() =>
      expect(informers.missing()).toMatch(/^pipes in namespace "b": .*etcd is away/),
    );
    expect(informers.isSynced()).toBe(false);
  });
});

describe('missing CRDs', () => {
  test('are named with what to install, in readiness and log, and found once they are there', async () => {
    on.refuse(NO_CRD);
    const informers = start();
    await eventually(() =>
      expect(informers.missing()).toMatch(
        /^pipes: the API server knows no pipes\.test\.dev; install the CRDs of this release/,
      ),
    );
    expect(on.recorded.messages.join('\n')).toContain('install the CRDs of this release');
    on.server.fate = () => undefined;
    on.server.create(PIPE, 'a/one');
    await eventually(async () => {
      await on.clock.advance(30_000);
      expect(keys()).toEqual(['a/one']);
    });
    expect(informers.missing()).toBeUndefined();
  });
});
