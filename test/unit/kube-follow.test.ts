import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { createKubeClient } from '../../src/kube/client.ts';
import { startInformers } from '../../src/kube/follow.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { Store } from '../../src/kube/store.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  aLine,
  aList,
  anObject,
  type Behaviour,
  type KubeServer,
  sendJson,
  startKubeServer,
} from '../support/kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

// How a watch ends at the real API server: test/integration/kube-follow.test.ts.

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A list of nothing as of version 10; `watch` answers the watches. */
const served =
  (
    watch: Behaviour,
    list: Behaviour = (_, response) => sendJson(response, 200, aList([], '10')),
  ): Behaviour =>
  (request, response) =>
    (request.search.has('watch') ? watch : list)(request, response);

/** Begins to answer, and goes on with these lines. */
const says =
  (...lines: string[]): Behaviour =>
  (_, response) => {
    response.writeHead(200).flushHeaders();
    for (const line of lines) response.write(line);
  };

/** The time passes, and none of its timers rings. */
class LaterClock extends FakeClock {
  laterMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.laterMs;
  }
}

const type = { group: '', version: 'v1', plural: 'things', kind: 'Thing' };

/** Keeps nothing, and says what it is given. */
class Listener extends Store<KubeObject> {
  readonly news: string[] = [];

  constructor() {
    super({ trim: (object) => object, indexes: {}, onChange: () => {} });
  }

  override beginList() {
    return (objects: readonly KubeObject[], version: string) =>
      void this.news.push(
        `list ${objects.map(({ metadata }) => metadata.name).join()} @${version}`,
      );
  }

  override apply(change: string, { metadata }: KubeObject): void {
    this.news.push(`${change} ${metadata.name}`);
  }
}

async function start(behaviour: Behaviour, labelSelector?: string) {
  const server = await startKubeServer(behaviour);
  const clock = new LaterClock();
  const client = createKubeClient(server.cluster, clock);
  const stop = new AbortController();
  const store = new Listener();
  const { log, messages } = recordingLog();
  const { cluster } = server;
  const shared = { cluster, client, labelSelector, clock, log };
  startInformers([{ type, store }], [], { ...shared, signal: stop.signal });
  ends.push(
    () => server.close(),
    () => client.close(),
    async () => stop.abort(),
  );
  return { server, clock, news: store.news, messages };
}

/** The query of each list or watch so far. */
function queries({ requests }: KubeServer, of: 'watch' | 'list'): URLSearchParams[] {
  const all = requests.map((line) => new URL(line.slice(4), 'http://server').searchParams);
  return all.filter((query) => query.has('watch') === (of === 'watch'));
}

const bookmark = aLine('BOOKMARK', { metadata: { resourceVersion: '30' } });

test('asks for bookmarks, for 25 s, for what the selector says; and goes on from the last version', async () => {
  const ends = (_: unknown, response: Parameters<Behaviour>[1]): void =>
    void response.end(aLine('ADDED', anObject('a', '20')) + bookmark);
  let watches = 0;
  const { server, clock, news } = await start(
    served((...args) => ((watches += 1) < 3 ? ends(...args) : says()(...args))),
    'a=b',
  );
  for (const count of [1, 2, 3]) {
    await eventually(() => expect(queries(server, 'watch')).toHaveLength(count));
    await eventually(() => expect(clock.pending).toBe(1));
    if (count < 3) await clock.advance(1_000);
  }
  const asked = queries(server, 'watch');
  expect(asked.map((query) => query.get('resourceVersion'))).toEqual(['10', '30', '30']);
  for (const query of asked) {
    expect([query.get('allowWatchBookmarks'), query.get('labelSelector')]).toEqual(['true', 'a=b']);
    expect(query.get('timeoutSeconds')).toBe('25');
  }
  expect(queries(server, 'list').map(String)).toEqual(['labelSelector=a%3Db&limit=500']);
  expect(news).toEqual(['list  @10', 'ADDED a', 'ADDED a']);
});

test.each([
  ['whose answer does not begin', () => {}, 1],
  ['that says nothing more', says(aLine('ADDED', anObject('a', '20'))), 2],
])('a watch %s is given up by the Clock', async (_, watch, told) => {
  const { server, clock, news, messages } = await start(served(watch));
  await eventually(() => expect(queries(server, 'watch')).toHaveLength(1));
  await eventually(() => expect(clock.pending).toBe(1));
  await eventually(() => expect(news).toHaveLength(told));
  await clock.advance(39_000);
  expect(messages).toEqual([]);
  await clock.advance(1_000);
  await eventually(() => expect(messages.join()).toContain('the watch did not end in time'));
  await clock.advance(1_200);
  await eventually(() => expect(queries(server, 'list')).toHaveLength(2));
});

test.each([
  ['no object', 'null'],
  ['no list', JSON.stringify({ kind: 'Status' })],
  ['a version alone', JSON.stringify({ metadata: { resourceVersion: '1' } })],
  ['a list without a version', JSON.stringify({ metadata: {}, items: [] })],
  ['a list of something else', JSON.stringify({ metadata: { resourceVersion: '1' }, items: [{}] })],
])('%s is not taken for a list, and by back-off it is asked again', async (_, text) => {
  const { server, clock, news, messages } = await start((__, response) => void response.end(text));
  for (const [index, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
    await eventually(() => expect(queries(server, 'list')).toHaveLength(index + 1));
    await eventually(() => expect(clock.pending).toBe(1));
    await clock.advance(seconds * 799);
    expect(queries(server, 'list')).toHaveLength(index + 1);
    await clock.advance(seconds * 402);
  }
  expect(news).toEqual([]);
  expect(messages).toHaveLength(1);
});

test('everything is listed again every 10 h, ±20 %', async () => {
  const open: ServerResponse[] = [];
  const { server, clock } = await start(
    served((request, response) => {
      says()(request, response);
      open.push(response);
    }),
  );
  let hours = 0;
  for (; queries(server, 'list').length < 2 && hours < 13; hours += 0.5) {
    await eventually(() => expect(open).toHaveLength(1));
    clock.laterMs += 1_800_000;
    open.pop()?.end(bookmark);
  }
  expect(hours).toBeGreaterThanOrEqual(8);
  expect(queries(server, 'list')).toHaveLength(2);
});
