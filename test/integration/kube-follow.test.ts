import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { Cluster } from '../../src/kube/cluster.ts';
import { startInformers } from '../../src/kube/follow.ts';
import { collectionPath, type KubeObject, objectPath } from '../../src/kube/resource.ts';
import { Store } from '../../src/kube/store.ts';
import { controlPlane, newNamespace, waitFor } from '../controlplane/client.ts';
import { requestToken } from '../controlplane/identity.ts';
import { type Proxy, type ProxyOptions, startProxy } from '../faults/proxy.ts';
import { allow, asAdmin } from '../support/cluster.ts';
import { folderOf } from '../support/folder.ts';
import { recordingLog } from '../support/recording-log.ts';

const CONFIG_MAP = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };
const READ = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];

/** Counts the lists that are complete, and throws at so many events. */
class CountingStore extends Store<KubeObject> {
  readonly lists: number[] = [];
  throws = 0;

  constructor() {
    super({ trim: (object) => object, indexes: {}, onChange: () => undefined });
  }

  override beginList(namespace?: string) {
    const complete = super.beginList(namespace);
    return (objects: readonly KubeObject[], version: string) => {
      this.lists.push(performance.now());
      complete(objects, version);
    };
  }

  override apply(...event: Parameters<Store<KubeObject>['apply']>): void {
    this.throws -= 1;
    if (this.throws >= 0) throw new Error('a defect');
    super.apply(...event);
  }
}

/** ConfigMaps of a namespace, followed through a proxy that cuts. */
class Scene {
  readonly namespace: string;
  readonly proxy: Proxy;
  readonly store = new CountingStore();
  readonly recorded = recordingLog();

  private constructor(namespace: string, proxy: Proxy) {
    this.namespace = namespace;
    this.proxy = proxy;
  }

  static async open(options: Partial<ProxyOptions> = {}): Promise<Scene> {
    const namespace = await newNamespace();
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await asAdmin('POST', account, { metadata: { name: 'follower' } });
    await allow(namespace, 'follower', READ);
    const { server: upstream, ca } = controlPlane;
    const proxy = await startProxy({ upstream, ca, ...options });
    onTestFinished(() => proxy.close());
    return new Scene(namespace, proxy);
  }

  token(): Promise<string> {
    return requestToken(controlPlane.admin, { namespace: this.namespace, name: 'follower' });
  }

  /** Follows until the test ends; resolves when the first watch is open. `tokenFile`: its path. */
  async follow({
    tokenFile,
    wait = true,
  }: {
    tokenFile?: string;
    wait?: boolean;
  } = {}): Promise<this> {
    const cluster = new Cluster();
    const authProvider = { name: 'tokenFile', config: { tokenFile } };
    cluster.loadFromClusterAndUser(
      { name: 'c', server: this.proxy.url, skipTLSVerify: true },
      {
        name: 'u',
        ...(tokenFile === undefined ? { token: await this.token() } : { authProvider }),
      },
    );
    const client = createKubeClient(cluster);
    const stop = new AbortController();
    startInformers([{ type: CONFIG_MAP, store: this.store }], [this.namespace], {
      cluster,
      client,
      labelSelector: undefined,
      clock: systemClock,
      log: this.recorded.log,
      signal: stop.signal,
    });
    onTestFinished(async () => {
      stop.abort();
      await client.close();
    });
    if (wait) await this.untilWatching();
    return this;
  }

  async untilWatching(): Promise<void> {
    await waitFor(() => this.proxy.watches.size, { what: 'a watch', until: (size) => size === 1 });
  }

  create(name: string): Promise<KubeObject> {
    const path = collectionPath(CONFIG_MAP, this.namespace);
    return asAdmin('POST', path, { metadata: { name } });
  }

  async remove(name: string): Promise<void> {
    await asAdmin('DELETE', objectPath(CONFIG_MAP, this.namespace, name));
  }

  /** Waits until these are held, and gives how long it took, in ms. */
  async untilHeld(...names: string[]): Promise<number> {
    const since = performance.now();
    await waitFor(() => [...this.store.values()].map(({ metadata }) => metadata.name).sort(), {
      what: `${names.join()} to be held`,
      until: (held) => held.join() === names.join(),
      timeoutMs: 90_000,
    });
    return performance.now() - since;
  }

  logged(part: string): string[] {
    return this.recorded.messages.filter((line) => line.includes(part));
  }
}

const TROUBLE = 'warn cannot list or watch; retrying';
const AGAIN = 'info listing and watching again';

test('what is there is listed, and what happens is heard of at once', async () => {
  const scene = await Scene.open();
  await scene.create('a');
  await scene.follow();
  await scene.untilHeld('a');
  await scene.create('b');
  await scene.remove('a');
  expect(await scene.untilHeld('b')).toBeLessThan(1_000);
  expect([scene.store.lists.length, scene.recorded.messages]).toEqual([1, []]);
});

test('a watch that the server ends in its time goes on where it was, without a list', async () => {
  const scene = await (await Scene.open()).follow();
  const [first] = scene.proxy.watches;
  await waitFor(() => [...scene.proxy.watches][0], {
    what: 'the next watch',
    until: (one) => one !== undefined && one !== first,
  });
  await scene.create('a');
  await scene.untilHeld('a');
  expect([scene.store.lists.length, scene.recorded.messages]).toEqual([1, []]);
});

test('a proxy that ends every watch at once, as it should, is not asked more than once a second', async () => {
  const scene = await (await Scene.open()).follow();
  let watches = 0;
  for (const until = performance.now() + 4_000; performance.now() < until; await pause(10)) {
    const [watch] = scene.proxy.watches;
    if (!watch) continue;
    watches += 1;
    watch.end();
    await waitFor(() => scene.proxy.watches.has(watch), { what: 'its end', until: (is) => !is });
  }
  expect(watches).toBeLessThanOrEqual(5);
  expect(scene.store.lists).toHaveLength(1);
  await scene.create('a');
  await scene.untilHeld('a');
});

const gone = (code: number, reason: string): string =>
  JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code, reason, message: 'too bad' } });

test.each([
  ['a version that is too old', (scene: Scene) => send(scene, gone(410, 'Expired')), 1],
  ['an ERROR event', (scene: Scene) => send(scene, gone(500, 'InternalError')), 1],
  ['an event of no object', (scene: Scene) => send(scene, '{"type":"MODIFIED","object":{}}'), 1],
  [
    'an unknown event',
    (scene: Scene) => send(scene, '{"type":"X","object":{"metadata":{"resourceVersion":"1"}}}'),
    1,
  ],
  [
    'a reset',
    (scene: Scene) => {
      for (const watch of scene.proxy.watches) watch.sever();
    },
    1,
  ],
])('after %s comes a list, which has what the watch did not tell', async (_, breaks, warnings) => {
  const scene = await (await Scene.open()).follow();
  await scene.create('a');
  await scene.untilHeld('a');
  const lost: string[] = [];
  scene.proxy.handle({ line: (line) => (lost.push(line), []) });
  await scene.remove('a');
  await scene.create('b');
  // An event may come later than the answer to the call that it tells of.
  await waitFor(() => lost.length, { what: 'both events', until: (events) => events >= 2 });
  scene.proxy.handle({});
  breaks(scene);
  expect(await scene.untilHeld('b')).toBeLessThan(3_000);
  expect(scene.store.lists).toHaveLength(2);
  expect(scene.logged(TROUBLE)).toHaveLength(warnings);
  await scene.create('c');
  await scene.untilHeld('b', 'c');
  expect(scene.logged(AGAIN)).toHaveLength(warnings);
});

function send({ proxy }: Scene, line: string): void {
  for (const watch of proxy.watches) watch.send(line);
}

test('a watch that is cut off without a word is back within 60 s', {
  timeout: 90_000,
}, async () => {
  const scene = await (await Scene.open()).follow();
  for (const watch of scene.proxy.watches) watch.freeze();
  await scene.create('a');
  expect(await scene.untilHeld('a')).toBeLessThan(60_000);
  expect(scene.store.lists).toHaveLength(2);
  expect(scene.logged(TROUBLE)).toHaveLength(1);
});

test('a server that is down is asked by back-off, and told of once', {
  timeout: 60_000,
}, async () => {
  const scene = await (await Scene.open()).follow();
  const port = Number(new URL(scene.proxy.url).port);
  await scene.proxy.close();
  await scene.create('a');
  await waitFor(() => scene.logged('ECONNREFUSED'), {
    what: 'a log line',
    until: ({ length }) => length > 0,
  });
  await pause(8_000);
  const { server: upstream, ca } = controlPlane;
  let calls = 0;
  const proxy = await startProxy({
    upstream,
    ca,
    port,
    take: async (passing) => {
      calls += 1;
      await passing.forward();
      await passing.reply();
    },
  });
  onTestFinished(() => proxy.close());
  expect(await scene.untilHeld('a')).toBeLessThan(12_000);
  expect(calls).toBe(1);
  expect(scene.logged(TROUBLE).length).toBeLessThanOrEqual(2);
});

test.each([429, 503])(
  'a server in trouble (%i) is asked again, and told of once',
  async (status) => {
    let refusals = 3;
    const scene = await Scene.open({
      take: async (passing) => {
        await passing.forward();
        refusals -= 1;
        await passing.reply(refusals >= 0 ? { status, text: '{}' } : undefined);
      },
    });
    await scene.create('a');
    await scene.follow({ wait: false });
    expect(await scene.untilHeld('a')).toBeGreaterThan(5_000);
    expect(scene.logged(TROUBLE)).toHaveLength(1);
    expect(scene.logged(`"status":${status}`)).toHaveLength(1);
  },
);

test('rights that are taken and given again: told of once each, and nothing is lost', async () => {
  const scene = await (await Scene.open()).follow();
  await allow(scene.namespace, 'follower', []);
  for (const watch of scene.proxy.watches) watch.sever();
  await waitFor(() => scene.logged('"status":403'), {
    what: 'a 403',
    until: ({ length }) => length > 0,
  });
  await scene.create('a');
  await pause(3_000);
  await allow(scene.namespace, 'follower', READ);
  await scene.untilHeld('a');
  await scene.create('b');
  await scene.untilHeld('a', 'b');
  expect(scene.logged(TROUBLE)).toHaveLength(2);
  expect(scene.logged(AGAIN)).toHaveLength(1);
});

test('a token that is refused, and another one in its file', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const scene = await Scene.open();
  const folder = await folderOf({ token: 'of-nobody' });
  await scene.create('a');
  await scene.follow({ tokenFile: `${folder}/token`, wait: false });
  await waitFor(() => scene.logged('"status":401'), {
    what: 'a 401',
    until: ({ length }) => length > 0,
  });
  await writeFile(`${folder}/token`, await scene.token());
  vi.setSystemTime(Date.now() + 61_000);
  await scene.untilHeld('a');
  expect(scene.logged(TROUBLE)).toHaveLength(1);
});

test('a defect of the store costs a list, and the log says where it is', async () => {
  const scene = await Scene.open();
  scene.store.throws = 1;
  await scene.follow();
  await scene.create('a');
  await scene.untilHeld('a');
  expect(scene.logged(TROUBLE)).toHaveLength(1);
  expect(scene.logged('CountingStore.apply')).toHaveLength(1);
  await scene.create('b');
  await scene.untilHeld('a', 'b');
});

test('a long list comes in pages, and one whose pages have expired is begun anew', async () => {
  const queries: URLSearchParams[] = [];
  let expired = false;
  const scene = await Scene.open({
    take: async (passing) => {
      const { searchParams } = new URL(passing.path, 'http://proxy');
      if (searchParams.has('limit')) queries.push(searchParams);
      const { text } = await passing.forward();
      const isSecond = searchParams.has('continue') && !expired;
      expired ||= isSecond;
      await passing.reply(isSecond ? { status: 410, text } : undefined);
    },
  });
  const names = Array.from({ length: 501 }, (_, i) => `c-${String(i).padStart(3, '0')}`);
  for (let at = 0; at < names.length; at += 50)
    await Promise.all(names.slice(at, at + 50).map((name) => scene.create(name)));
  await scene.follow();
  await scene.untilHeld(...names);
  expect(queries.map((query) => [query.get('limit'), query.has('continue')])).toEqual([
    ['500', false],
    ['500', true],
    ['500', false],
    ['500', true],
  ]);
});
