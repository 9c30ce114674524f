import { expect, test, vi } from 'vitest';
import { listAll } from '../../src/kube/cache/list.ts';
import type { KubeClient } from '../../src/kube/client/client.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { eventually } from '../support/eventually.ts';
import { emptyList, follow, inTurn, lines, refuse, silence } from '../support/followed-watch.ts';
import {
  aLine,
  aList,
  anObject,
  aStatus,
  type Behaviour,
  sendJson,
} from '../support/kube-server.ts';

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

/** A client for a list, which is asked for by requests alone. */
function asking(request: KubeClient['request']): KubeClient {
  const unused = (): never => {
    throw new Error('a list needs nothing but requests');
  };
  return { request, stream: unused, close: unused };
}

test('the next page is asked for before the objects of this one are worked on', async () => {
  const steps: string[] = [];
  const pages = [aList([anObject('a', '1')], '10', 'more'), aList([anObject('b', '2')], '10')];
  const request = <T>(): Promise<T> => {
    steps.push('asked');
    return Promise.resolve(pages.shift() as T);
  };
  const { objects } = await listAll<KubeObject>({
    client: asking(request),
    path: '/api/v1/things',
    trim: (object) => {
      steps.push(`trimmed ${object.metadata.name}`);
      return object;
    },
  });
  expect(steps).toEqual(['asked', 'asked', 'trimmed a', 'trimmed b']);
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
});

test.each([[''], [null], [undefined]])(
  'a page that names %j as what follows is the last one',
  async (next) => {
    let asked = 0;
    const request = <T>(): Promise<T> => {
      asked += 1;
      if (asked > 1) throw new Error('asked again');
      return Promise.resolve({
        metadata: { resourceVersion: '10', continue: next },
        items: [],
      } as T);
    };
    const path = '/api/v1/things';
    const { resourceVersion } = await listAll<KubeObject>({ client: asking(request), path });
    expect([asked, resourceVersion]).toEqual([1, '10']);
  },
);

test('a list whose pages expired is begun anew, the third time in one piece', async () => {
  const page: Behaviour = (request, response) => {
    if (request.search.has('continue')) sendJson(response, 410, aStatus(410, 'Expired'));
    else if (request.search.has('limit'))
      sendJson(response, 200, aList([anObject('a', '1')], '10', 'more'));
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
        response.end(
          aLine('ADDED', anObject('a', '11')) +
            aLine('BOOKMARK', { metadata: { resourceVersion: '15' } }),
        ),
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
      .write(aLine('ADDED', anObject('a', '11')) + event.slice(0, 20), () =>
        request.socket.destroy(),
      );
  };
  const f = await follow({ watch: inTurn(cut, lines(event)) });
  await f.sitOut();
  await f.until(() => expect(f.news.at(-1)).toBe('MODIFIED a @12'));
  expect([f.resumes(), f.lists()]).toEqual([['10', '11'], 1]);
});

test.each<[string, Behaviour]>([
  ['410 in the stream', lines(aLine('ERROR', aStatus(410, 'Expired')))],
  ['410 as the answer', refuse(410, 'Gone')],
])(
  'after %s it lists again at once, so that what vanished meanwhile is known',
  async (_, expired) => {
    const f = await follow({
      list: inTurn(
        (_request, response) =>
          sendJson(response, 200, aList([anObject('a', '1'), anObject('b', '2')], '10')),
        (_request, response) => sendJson(response, 200, aList([anObject('b', '2')], '30')),
      ),
      watch: inTurn(expired, silence),
    });
    await f.until(() => expect(f.resumes()).toEqual(['10', '30']));
    expect(f.news).toEqual(['list a,b @10', 'list b @30']);
    expect(f.failures).toEqual([]);
  },
);

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
    await f.until(() =>
      expect(f.states.at(-1) === 'watching' || f.failures.length > i + 1).toBe(true),
    );
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

test('a sink that throws does not end the watch, and is told of at once', async () => {
  const applied: string[] = [];
  const f = await follow(
    {
      list: inTurn(emptyList, (_, response) => sendJson(response, 200, aList([], '11'))),
      watch: inTurn(
        lines(aLine('ADDED', anObject('a', '11'))),
        lines(aLine('ADDED', anObject('b', '12'))),
      ),
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
  // The list that follows goes well, so that no count of failures would ever tell of it.
  expect(f.messages).toEqual([
    expect.stringMatching(
      /^error watch failed, a bug; listing again .*"error":"a defect".*"errorStack":\["at /,
    ),
  ]);
});

test('a list is trimmed before anything else has it; an event comes as it was sent', async () => {
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
  await eventually(() => expect(seen).toEqual([anObject('a', '1'), { ...big, spec: 'more' }]));
});

test.each(['listing', 'watching', 'waiting'] as const)(
  'stopped while %s, it tells nobody anything any more',
  async (when) => {
    const hang: Behaviour = () => undefined;
    const f = await follow({
      list:
        when === 'listing' ? hang : when === 'waiting' ? refuse(500, 'InternalError') : emptyList,
      watch: silence,
    });
    await f.until(() =>
      expect([f.states.at(-1), f.server.requests.length > 0]).toEqual([when, true]),
    );
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
  const end: Behaviour = (_, response) =>
    response.end(aLine('ADDED', anObject(`a${++version}`, String(version))));
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
