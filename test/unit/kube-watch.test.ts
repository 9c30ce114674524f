import { afterEach, expect, test, vi } from 'vitest';
import type { Cancel } from '../../src/clock.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import type { KubeError } from '../../src/kube/errors.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { Store } from '../../src/kube/store.ts';
import { startWatch, type WatchOptions, type WatchState } from '../../src/kube/watch.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aLine, aList, anObject, aStatus, type Behaviour, sendJson, startKubeServer } from '../support/kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** What a test's server does with lists and with watches. */
interface Plan {
  readonly list?: Behaviour;
  /** What it answers to who only asks for its present version; absent: one above all that were. */
  readonly version?: Behaviour;
  readonly watch: Behaviour;
}

const newest: Behaviour = (_, response) => sendJson(response, 200, aList([], '999'));
const emptyList: Behaviour = (_, response) => sendJson(response, 200, aList([], '10'));
/** Beginning of a stream, a page of a list, the silence of a watch whose random is 0.5. */
const DEADLINES_MS = [20_000, 30_000, 73_000];

/** A watch that says yes and stays silent. */
const silence: Behaviour = (_, response) => response.writeHead(200).flushHeaders();
const lines =
  (...all: string[]): Behaviour =>
  (_, response) => {
    response.writeHead(200);
    for (const line of all) response.write(line);
  };
const refuse =
  (code: number, reason: string, headers: Record<string, string> = {}): Behaviour =>
  (_, response) =>
    sendJson(response, code, aStatus(code, reason), headers);
/** Each behaviour once, the last one for ever. */
const inTurn = (...all: Behaviour[]): Behaviour => {
  let next = 0;
  return (request, response) => all[Math.min(next++, all.length - 1)]?.(request, response);
};

/** A fake clock that knows which of its timers are the watch's own waits: all that are no deadline of a call. */
class WatchClock extends FakeClock {
  readonly waits = new Set<number>();

  override at(delayMs: number, run: () => void): Cancel {
    const wait = DEADLINES_MS.includes(delayMs) ? undefined : delayMs;
    if (wait !== undefined) this.waits.add(wait);
    const done = (): void => void (wait !== undefined && this.waits.delete(wait));
    const cancel = super.at(delayMs, () => {
      done();
      run();
    });
    return () => {
      done();
      cancel();
    };
  }
}

async function follow(plan: Plan, more: Partial<WatchOptions<KubeObject>> = {}) {
  const behave = ({ list = emptyList, version = newest, watch }: Plan): Behaviour => {
    const ofList = ({ search }: Parameters<Behaviour>[0]): Behaviour => (search.get('limit') === '1' ? version : list);
    return (request, response) => (request.search.has('watch') ? watch : ofList(request))(request, response);
  };
  const server = await startKubeServer(behave(plan));
  const clock = new WatchClock();
  const client = createKubeClient(server.cluster, { clock });
  const stop = new AbortController();
  const { log, messages } = recordingLog();
  const news: string[] = [];
  const failures: KubeError[] = [];
  const states: WatchState[] = [];
  const watch = startWatch<KubeObject>({
    client,
    path: '/api/v1/things',
    clock,
    log,
    signal: stop.signal,
    random: () => 0.5,
    onState: (state) => states.push(state),
    sink: {
      replace: (objects, version, isRestored) => {
        const names = objects.map(({ metadata }) => metadata.name).join(',');
        news.push(`list ${names} @${version}${isRestored ? ', restored' : ''}`);
      },
      apply: (event, { metadata }) => void news.push(`${event} ${metadata.name} @${metadata.resourceVersion}`),
      bookmark: (version) => void news.push(`bookmark @${version}`),
      failed: (error) => void failures.push(error),
    },
    ...more,
  });
  ends.push(
    () => server.close(),
    () => client.close(),
    async () => {
      stop.abort();
      await watch.stopped;
    },
  );
  const of = (kind: 'watch' | 'list') =>
    server.requests.filter(
      (line) =>
        !line.includes('limit=1&') && !line.endsWith('limit=1') && line.includes('watch=true') === (kind === 'watch'),
    );
  const until = (check: () => void) => eventually(check);
  return {
    server,
    clock,
    client,
    stop,
    watch,
    news,
    failures,
    states,
    messages,
    until,
    lists: () => of('list').length,
    watches: () => of('watch').length,
    /** The resourceVersion of each watch so far. */
    resumes: () => of('watch').map((line) => new URL(line.slice(4), 'http://s').searchParams.get('resourceVersion')),
    /** Waits until the watch pauses, lets that time pass, and says how long it was. */
    async sitOut(): Promise<number> {
      await until(() => expect(clock.waits.size).toBe(1));
      const [wait = 0] = clock.waits;
      await clock.advance(wait);
      return wait;
    },
    plan: (next: Plan) => server.behave(behave(next)),
  };
}

test('lists in pages, then watches from the version of the list', async () => {
  const pages = inTurn(
    (_, response) => sendJson(response, 200, aList([anObject('a', '1')], '10', 'more&more')),
    (_, response) => sendJson(response, 200, aList([anObject('b', '2')], '10')),
  );
  const f = await follow(
    { list: pages, watch: lines(aLine('ADDED', anObject('c', '11'))) },
    { pageSize: 2, labelSelector: 'a=b' },
  );
  await f.watch.synced;
  await f.until(() => expect(f.news).toEqual(['list a,b @10', 'ADDED c @11']));
  expect(f.server.requests).toEqual([
    'GET /api/v1/things?labelSelector=a%3Db&limit=2',
    'GET /api/v1/things?labelSelector=a%3Db&limit=2&continue=more%26more',
    'GET /api/v1/things?labelSelector=a%3Db&watch=true&allowWatchBookmarks=true&resourceVersion=10&timeoutSeconds=68',
  ]);
});

test('asks for metadata alone where told to', async () => {
  const accepts: unknown[] = [];
  const keep =
    (then: Behaviour): Behaviour =>
    (request, response) => {
      accepts.push(request.headers.accept);
      then(request, response);
    };
  const f = await follow({ list: keep(emptyList), watch: keep(silence) }, { metadataOnly: true });
  await f.until(() => expect(f.states).toEqual(['listing', 'watching']));
  expect(accepts).toEqual([
    'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  ]);
});

test('a list whose pages expired is begun anew, the third time in one piece', async () => {
  const page: Behaviour = (request, response) => {
    if (request.search.has('continue')) sendJson(response, 410, aStatus(410, 'Expired'));
    else if (request.search.has('limit')) sendJson(response, 200, aList([anObject('a', '1')], '10', 'more'));
    else sendJson(response, 200, aList([anObject('a', '1'), anObject('b', '2')], '12'));
  };
  const f = await follow({ list: page, watch: silence });
  await f.watch.synced;
  expect(f.news).toEqual(['list a,b @12']);
  expect(f.lists()).toBe(5);
});

test('a watch that ended well goes on at once from the last version, bookmarks count', async () => {
  const f = await follow({
    watch: inTurn(
      (_, response) =>
        response.end(aLine('ADDED', anObject('a', '11')) + aLine('BOOKMARK', { metadata: { resourceVersion: '15' } })),
      (_, response) => response.end(aLine('MODIFIED', anObject('a', '17'))),
      silence,
    ),
  });
  await f.until(() => expect(f.resumes()).toEqual(['10', '15', '17']));
  expect(f.news).toEqual(['list  @10', 'ADDED a @11', 'bookmark @15', 'MODIFIED a @17']);
  expect([f.lists(), f.clock.now()]).toEqual([1, Date.parse('2026-01-01T00:00:00Z')]);
  expect(f.failures).toEqual([]);
});

test('a connection cut inside an event is resumed without a list, and the event comes whole', async () => {
  const event = aLine('MODIFIED', anObject('a', '12'));
  const cut: Behaviour = (request, response) => {
    response
      .writeHead(200)
      .write(aLine('ADDED', anObject('a', '11')) + event.slice(0, 20), () => request.socket.destroy());
  };
  const f = await follow({ watch: inTurn(cut, lines(event)) });
  await f.sitOut();
  await f.until(() => expect(f.news.at(-1)).toBe('MODIFIED a @12'));
  expect([f.resumes(), f.lists()]).toEqual([['10', '11'], 1]);
});

test.each<[string, Behaviour]>([
  ['410 in the stream', lines(aLine('ERROR', aStatus(410, 'Expired')))],
  ['410 as the answer', refuse(410, 'Gone')],
])('after %s it lists again at once, so that what vanished meanwhile is known', async (_, expired) => {
  const f = await follow({
    list: inTurn(
      (_request, response) => sendJson(response, 200, aList([anObject('a', '1'), anObject('b', '2')], '10')),
      (_request, response) => sendJson(response, 200, aList([anObject('b', '2')], '30')),
    ),
    watch: inTurn(expired, silence),
  });
  await f.until(() => expect(f.resumes()).toEqual(['10', '30']));
  expect(f.news).toEqual(['list a,b @10', 'list b @30']);
  expect(f.failures).toEqual([]);
});

test.each<[string, string]>([
  ['no JSON', 'garbage\n'],
  ['JSON that is no event', '[1]\n'],
  ['an event without object', '{"type":"ADDED"}\n'],
  ['an object without version', aLine('ADDED', { metadata: {} })],
  ['an unknown type', aLine('RENAMED', anObject('a', '11'))],
])('%s in the stream leads to a list, and nothing of it is quoted', async (_, line) => {
  const f = await follow({ watch: inTurn(lines(line), silence) });
  await f.sitOut();
  await f.until(() => expect(f.watches()).toBe(2));
  expect(f.lists()).toBe(2);
  expect(f.failures.map(({ reason }) => reason)).toEqual(['Unreadable']);
  expect(f.failures[0]?.message).not.toContain('arbage');
});

test('a silent watch is given up 5 s after the server should have ended it, and a change is seen within 95 s', async () => {
  const f = await follow({ watch: inTurn(silence, lines(aLine('ADDED', anObject('a', '11')))) });
  await f.until(() => expect(f.states.at(-1)).toBe('watching'));
  const connections = f.server.connections.accepted;
  await f.clock.advance(72_999);
  expect(f.states.at(-1)).toBe('watching');
  await f.clock.advance(1);
  await f.sitOut();
  await f.until(() => expect(f.news.at(-1)).toBe('ADDED a @11'));
  expect(f.clock.monotonic()).toBeLessThan(75_000);
  expect(f.failures.map(({ reason }) => reason)).toEqual(['Timeout']);
  expect(f.server.connections.accepted).toBeGreaterThan(connections);
});

test.each([
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
])(
  'a list refused with %i is told once, tried on with growing waits, and works when it is allowed',
  async (code, reason) => {
    const f = await follow({ list: refuse(code, reason), watch: silence });
    for (let tries = 1; tries <= 8; tries++) {
      await f.sitOut();
      expect(f.failures.map(({ status }) => status)).toEqual([code]);
    }
    expect(f.messages.filter((line) => line.startsWith('warn'))).toHaveLength(1);
    await f.until(() => expect(f.clock.waits.size).toBe(1));
    f.plan({ watch: silence });
    await f.sitOut();
    await f.watch.synced;
    await f.until(() => expect(f.states.at(-1)).toBe('watching'));
    expect(f.messages.at(-1)).toContain('listing and watching again');
  },
);

test('another cause is told again, the same one after success too', async () => {
  const f = await follow({
    list: inTurn(refuse(403, 'Forbidden'), refuse(500, 'InternalError'), emptyList),
    watch: inTurn(refuse(500, 'InternalError'), silence),
  });
  for (let i = 0; i < 3; i++) {
    await f.sitOut();
    await f.until(() => expect(f.states.at(-1) === 'watching' || f.failures.length > i + 1).toBe(true));
  }
  expect(f.failures.map(({ status }) => status)).toEqual([403, 500, 500]);
});

test('waits double from half a second to half a minute, give or take a fifth', async () => {
  const f = await follow({ list: refuse(500, 'InternalError'), watch: silence });
  for (let tries = 0; tries < 10; tries++) {
    const wait = await f.sitOut();
    expect(Math.abs(wait / Math.min(500 * 2 ** tries, 30_000) - 1)).toBeLessThanOrEqual(0.2);
  }
});

test('Retry-After is kept to', async () => {
  const f = await follow({
    list: inTurn(refuse(429, 'TooManyRequests', { 'retry-after': '21' }), emptyList),
    watch: silence,
  });
  expect(await f.sitOut()).toBe(21_000);
  await f.watch.synced;
});

test('a server that ends every watch at once is not asked in a hot loop', async () => {
  const f = await follow({ watch: (_, response) => response.writeHead(200).end() });
  const waits = [];
  for (let i = 0; i < 8; i++) waits.push(await f.sitOut());
  expect(waits.at(-1)).toBeGreaterThanOrEqual(24_000);
  expect([f.watches() <= 10, f.lists()]).toEqual([true, 1]);
  expect(f.failures).toEqual([]);
});

test('a server whose versions are always too old is not listed in a hot loop', async () => {
  const f = await follow({ watch: refuse(410, 'Expired') });
  for (let i = 0; i < 4; i++) await f.sitOut();
  await f.until(() => expect(f.lists()).toBe(6));
});

test('resuming that is refused again and again ends in a list', async () => {
  const f = await follow({ version: emptyList, watch: refuse(504, 'Timeout') });
  for (let i = 0; i < 7; i++) await f.sitOut();
  await f.until(() => expect(f.lists()).toBe(2));
});

test('a list older than what was seen is refused for a minute, then believed', async () => {
  const older: Behaviour = (_, response) => sendJson(response, 200, aList([anObject('old', '4')], '5'));
  const f = await follow({ list: inTurn(emptyList, older), watch: inTurn(refuse(410, 'Expired'), silence) });
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toEqual(['StaleList']));
  expect(f.news).toEqual(['list  @10']);
  while (f.clock.monotonic() < 60_000) await f.sitOut();
  await f.until(() => expect(f.news.at(-1)).toBe('list old @5, restored'));
  expect(f.clock.monotonic()).toBeGreaterThanOrEqual(60_000);
});

test('a list older than what a read had shown is refused for a minute, too, also where the watch had not come so far', async () => {
  const store = new Store<KubeObject>({ onChange: () => undefined });
  const shown = (): string | undefined => store.get('ns/a')?.metadata.resourceVersion;
  const f = await follow(
    {
      list: inTurn(
        (_, response) => sendJson(response, 200, aList([anObject('a', '9')], '10')),
        (_, response) => sendJson(response, 200, aList([anObject('a', '14')], '14')),
      ),
      watch: inTurn((request, response) => {
        store.put(anObject('a', '19'));
        refuse(410, 'Expired')(request, response);
      }, silence),
    },
    { sink: store },
  );
  await f.until(() => expect(f.lists()).toBe(2));
  await f.sitOut();
  expect(shown()).toBe('19');
  while (f.clock.monotonic() < 60_000) await f.sitOut();
  await f.until(() => expect(f.resumes()).toEqual(['10', '14']));
  expect(shown()).toBe('14');
});

test('after a break the present version is held against what a read had shown', async () => {
  const store = new Store<KubeObject>({ onChange: () => undefined });
  const cut: Behaviour = (request, response) => {
    store.put(anObject('a', '19'));
    response.writeHead(200).flushHeaders();
    request.socket.destroy();
  };
  const f = await follow(
    {
      list: inTurn(
        (_, response) => sendJson(response, 200, aList([anObject('a', '9')], '10')),
        (_, response) => sendJson(response, 200, aList([anObject('a', '14')], '14')),
      ),
      version: (_, response) => sendJson(response, 200, aList([], '14')),
      watch: inTurn(cut, silence),
    },
    { sink: store },
  );
  while (f.clock.monotonic() < 60_000) await f.sitOut();
  await f.until(() => expect(f.resumes()).toEqual(['10', '14']));
  expect(store.get('ns/a')?.metadata.resourceVersion).toBe('14');
});

test('after a break it asks for the present version, and a server that went back is listed anew after a minute', async () => {
  const cut: Behaviour = (request, response) => {
    response.writeHead(200).write(aLine('ADDED', anObject('a', '11')), () => request.socket.destroy());
  };
  const restored = aList([anObject('old', '4')], '6');
  const f = await follow({
    list: inTurn(emptyList, (_, response) => sendJson(response, 200, restored)),
    version: (_, response) => sendJson(response, 200, aList([], '5')),
    watch: inTurn(cut, silence),
  });
  await f.sitOut();
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toEqual(['NoAnswer', 'StaleList']));
  while (f.clock.monotonic() < 60_000) await f.sitOut();
  await f.until(() => expect(f.resumes()).toEqual(['10', '6']));
  expect(f.news).toEqual(['list  @10', 'ADDED a @11', 'list old @6, restored']);
  expect(f.lists()).toBe(2);
});

test('a server that was older when it was asked, and has caught up since, is taken for one that went back', async () => {
  const cut: Behaviour = (request, response) => {
    response.writeHead(200).write(aLine('ADDED', anObject('a', '11')), () => request.socket.destroy());
  };
  const at =
    (version: string): Behaviour =>
    (_, response) =>
      sendJson(response, 200, aList([], version));
  const f = await follow({
    list: inTurn(emptyList, (_, response) => sendJson(response, 200, aList([anObject('a', '4')], '12'))),
    version: inTurn(at('5'), at('12')),
    watch: inTurn(cut, silence),
  });
  await f.sitOut();
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toEqual(['NoAnswer', 'StaleList']));
  await f.sitOut();
  await f.until(() => expect(f.resumes()).toEqual(['10', '12']));
  expect(f.news).toEqual(['list  @10', 'ADDED a @11', 'list a @12, restored']);
});

test('the list of a server that went back is not older than the version that has told so: a server that is behind has what is gone', async () => {
  const cut: Behaviour = (request, response) => {
    response.writeHead(200).write(aLine('ADDED', anObject('a', '11')), () => request.socket.destroy());
  };
  const reply =
    (list: object): Behaviour =>
    (_, response) =>
      sendJson(response, 200, list);
  const f = await follow({
    list: inTurn(emptyList, reply(aList([anObject('gone', '4')], '6')), reply(aList([anObject('a', '11')], '13'))),
    version: inTurn(reply(aList([], '5')), reply(aList([], '12'))),
    watch: inTurn(cut, silence),
  });
  await f.sitOut();
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toEqual(['NoAnswer', 'StaleList']));
  await f.sitOut();
  await f.until(() => expect(f.lists()).toBe(2));
  await f.sitOut();
  await f.until(() => expect(f.resumes()).toEqual(['10', '13']));
  expect(f.news).toEqual(['list  @10', 'ADDED a @11', 'list a @13, restored']);
});

test('a version that the server has told is seen, also where the watch has not come so far: a lower one says that it went back', async () => {
  const cut: Behaviour = (request, response) => {
    response.writeHead(200).write(aLine('ADDED', anObject('a', '11')), () => request.socket.destroy());
  };
  const at =
    (version: string): Behaviour =>
    (_, response) =>
      sendJson(response, 200, aList([], version));
  const f = await follow({
    list: inTurn(emptyList, (_, response) => sendJson(response, 200, aList([anObject('b', '12')], '17'))),
    version: inTurn(at('15'), at('13'), at('16')),
    watch: inTurn(cut, cut, silence),
  });
  await f.sitOut();
  await f.until(() => expect(f.watches()).toBe(2));
  await f.sitOut();
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toContain('StaleList'));
  await f.sitOut();
  await f.until(() => expect(f.news.at(-1)).toBe('list b @17, restored'));
});

test('a watch that ended well goes on without asking for the version', async () => {
  const f = await follow({ watch: inTurn((_, response) => response.writeHead(200).end(), silence) });
  await f.until(() => expect(f.watches()).toBe(2));
  expect(f.server.requests.filter((line) => line.includes('limit=1'))).toEqual([]);
});

test('who stood still until long after the watch had ended well asks for the version before it goes on', async () => {
  const clock = new WatchClock();
  const watched = vi.spyOn(clock, 'monotonic');
  const f = await follow(
    {
      version: (_, response) => sendJson(response, 200, aList([], '5')),
      watch: (_, response) => {
        watched.mockReturnValue(73_001);
        response.writeHead(200).end();
      },
    },
    { clock },
  );
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toEqual(['StaleList']));
  expect(f.watches()).toBe(1);
});

test('where one watch has seen that the server went back, the others list anew, though its versions are as high again', async () => {
  const others = '/api/v1/others';
  let endOthers = (): void => undefined;
  const f = await follow(
    {
      version: (_, response) => sendJson(response, 200, aList([], '5')),
      watch: (_, response) => {
        response.writeHead(200).flushHeaders();
        endOthers = () => response.end();
      },
    },
    { path: others },
  );
  await f.until(() => expect(f.states.at(-1)).toBe('watching'));
  const end = endOthers;
  const seen: string[] = [];
  const older: Behaviour = (_, response) => sendJson(response, 200, aList([], '5'));
  const later: Behaviour = (_, response) => sendJson(response, 200, aList([anObject('old', '4')], '12'));
  f.plan({
    list: inTurn(emptyList, older, older, later),
    watch: inTurn(refuse(410, 'Expired'), silence),
    version: later,
  });
  const { signal } = f.stop;
  startWatch<KubeObject>({
    client: f.client,
    path: '/api/v1/things',
    clock: f.clock,
    log: recordingLog().log,
    signal,
    sink: { replace: (_, version) => void seen.push(version), apply: () => undefined },
  });
  await f.until(() => expect(f.clock.waits.size).toBe(1));
  await f.clock.advance(60_000);
  await f.until(() => expect(seen).toEqual(['10', '5']));
  expect(f.news).toEqual(['list  @10']);
  end();
  await f.until(() => expect(f.news).toEqual(['list  @10', 'list old @12, restored']));
  await f.until(() => expect(f.states.at(-1)).toBe('watching'));
  // Two of the others, three of the one that saw it.
  expect([f.lists(), f.failures]).toEqual([5, []]);
});

test('who hears from another watch that the server went back takes no list that is older than what has told that one so', async () => {
  let endOthers = (): void => undefined;
  const f = await follow(
    {
      watch: (_, response) => {
        response.writeHead(200).flushHeaders();
        endOthers = () => response.end();
      },
    },
    { path: '/api/v1/others' },
  );
  await f.until(() => expect(f.states.at(-1)).toBe('watching'));
  const end = endOthers;
  const at =
    (version: string): Behaviour =>
    (_, response) =>
      sendJson(response, 200, aList([], version));
  f.plan({
    list: inTurn(emptyList, at('5'), at('20'), at('21')),
    version: inTurn(at('13'), at('21')),
    watch: inTurn(refuse(410, 'Expired'), silence),
  });
  const seen: string[] = [];
  startWatch<KubeObject>({
    client: f.client,
    path: '/api/v1/things',
    clock: f.clock,
    log: recordingLog().log,
    random: () => 0.5,
    signal: f.stop.signal,
    sink: { replace: (_, version) => void seen.push(version), apply: () => undefined },
  });
  await f.sitOut();
  await f.until(() => expect(seen).toEqual(['10', '20']));
  end();
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toEqual(['StaleList']));
  await f.sitOut();
  await f.until(() => expect(f.news).toEqual(['list  @10', 'list  @21, restored']));
});

test('who hears from another watch that the server went back, and doubts its older versions, asks for no whole list meanwhile', async () => {
  let endOthers = (): void => undefined;
  const f = await follow(
    {
      watch: (_, response) => {
        response.writeHead(200).flushHeaders();
        endOthers = () => response.end();
      },
    },
    { path: '/api/v1/others' },
  );
  await f.until(() => expect(f.states.at(-1)).toBe('watching'));
  const end = endOthers;
  const older: Behaviour = (_, response) => sendJson(response, 200, aList([], '5'));
  f.plan({ list: inTurn(emptyList, older), watch: inTurn(refuse(410, 'Expired'), silence), version: older });
  const seen: string[] = [];
  const one = new AbortController();
  const other = startWatch<KubeObject>({
    client: f.client,
    path: '/api/v1/things',
    clock: f.clock,
    log: recordingLog().log,
    signal: one.signal,
    sink: { replace: (_, version) => void seen.push(version), apply: () => undefined },
  });
  await f.until(() => expect(f.clock.waits.size).toBe(1));
  await f.clock.advance(60_000);
  await f.until(() => expect(seen).toEqual(['10', '5']));
  one.abort();
  await other.stopped;
  const before = f.lists();
  end();
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toEqual(['StaleList']));
  const heardAt = f.clock.monotonic();
  while (f.clock.monotonic() < heardAt + 60_000) await f.sitOut();
  await f.until(() => expect(f.news).toEqual(['list  @10', 'list  @5, restored']));
  expect(f.lists()).toBe(before + 1);
});

test('a sink that throws does not end the watch', async () => {
  const applied: string[] = [];
  const f = await follow(
    {
      list: inTurn(emptyList, (_, response) => sendJson(response, 200, aList([], '11'))),
      watch: inTurn(lines(aLine('ADDED', anObject('a', '11'))), lines(aLine('ADDED', anObject('b', '12')))),
    },
    {
      sink: {
        replace: () => undefined,
        apply: (_, { metadata }) => {
          applied.push(metadata.name);
          if (metadata.name === 'a') throw new Error('a defect');
        },
      },
    },
  );
  await f.sitOut();
  await f.until(() => expect(applied).toEqual(['a', 'b']));
  expect(f.lists()).toBe(2);
});

test('objects are trimmed before anything else has them', async () => {
  const seen: unknown[] = [];
  const big = anObject('a', '1', { spec: 'much' });
  await follow(
    {
      list: (_, response) => sendJson(response, 200, aList([big], '10')),
      watch: lines(aLine('MODIFIED', { ...big, spec: 'more' })),
    },
    {
      sink: {
        trim: ({ metadata: { name, namespace, uid, resourceVersion, creationTimestamp } }) => ({
          metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
        }),
        replace: (objects) => seen.push(...objects),
        apply: (_, object) => seen.push(object),
      },
    },
  );
  await eventually(() => expect(seen).toEqual([anObject('a', '1'), anObject('a', '1')]));
});

test.each(['listing', 'watching', 'waiting'] as const)(
  'stopped while %s, it tells nobody anything any more',
  async (when) => {
    const hang: Behaviour = () => undefined;
    const f = await follow({
      list: when === 'listing' ? hang : when === 'waiting' ? refuse(500, 'InternalError') : emptyList,
      watch: silence,
    });
    await f.until(() => expect([f.states.at(-1), f.server.requests.length > 0]).toEqual([when, true]));
    const before = [...f.news];
    f.stop.abort();
    await f.watch.stopped;
    expect(f.states.at(-1)).toBe('stopped');
    expect(f.news).toEqual(before);
    expect(f.clock.pending).toBe(0);
  },
);

test('two hundred reconnects leave no listener, no timer and one socket', async () => {
  let version = 10;
  const end: Behaviour = (_, response) => response.end(aLine('ADDED', anObject(`a${++version}`, String(version))));
  const f = await follow({ watch: inTurn(...Array.from({ length: 200 }, () => end), silence) });
  const added = vi.spyOn(f.stop.signal, 'addEventListener');
  const removed = vi.spyOn(f.stop.signal, 'removeEventListener');
  await f.until(() => expect(f.watches()).toBe(201));
  // Once the last one is open.
  await f.until(() => {
    expect(added.mock.calls.length - removed.mock.calls.length).toBeLessThanOrEqual(1);
    expect(f.clock.pending).toBe(1);
    expect(f.server.connections.open.size).toBeLessThanOrEqual(2);
  });
  expect(f.states).toEqual(['listing', 'watching']);
});
