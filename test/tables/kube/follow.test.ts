import { describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { anObject, follow, lists, says, served } from './followed.ts';
import { answers, type Behaviour, refuses } from './server.ts';

const ADDED = ['ADDED', anObject('a', '20')] as const;
const BOOKMARK = ['BOOKMARK', { metadata: { resourceVersion: '30' } }] as const;
const EXPIRED = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
const HOUR = 3_600_000;

/** Says these lines, and then the watch ends as it should. */
const ends =
  (...lines: Parameters<typeof says>): Behaviour =>
  (request, response) => {
    says(...lines)(request, response);
    response.end();
  };
const breaks: Behaviour = (request, response) => {
  says(ADDED, BOOKMARK)(request, response);
  setImmediate(() => request.socket.destroy());
};

// What the first watch does, and what is asked for then: a watch from a version, or a list.
describe('after a watch that', () => {
  test.each<[string, Behaviour, string, string]>([
    ['ends with nothing said, it goes on from the list', ends(), '10', ''],
    ['ends after an event, it goes on from there', ends(ADDED), '20', ''],
    ['ends after a bookmark, it goes on from there', ends(ADDED, BOOKMARK), '30', ''],
    ['is refused as too old, everything is listed', refuses(410, 'Gone'), 'list', '410 Gone'],
    ['says ERROR, everything is listed', ends(['ERROR', EXPIRED]), 'list', '410 Expired: too old'],
    ['is cut, everything is listed', breaks, 'list', 'NoAnswer'],
    ['fails, everything is listed', refuses(500, 'X'), 'list', '500 InternalServerError'],
  ])('%s', async (_what, watch, then, logged) => {
    const { next, asked, messages } = await follow(served(lists(), watch, says()));
    await next();
    await eventually(() => expect(asked().length).toBeGreaterThan(2));
    expect(asked().slice(0, 3)).toEqual(['list', '10', then]);
    expect(messages.filter((line) => line.startsWith('warn'))).toHaveLength(logged ? 1 : 0);
    expect(messages.join()).toContain(logged);
  });

  test('says nothing more for 40 s, everything is listed', async () => {
    const on = await follow(served(lists(), says(ADDED), says()));
    await eventually(() => expect([on.asked(), on.news]).toEqual([['list', '10'], ['event a']]));
    await on.clock.advance(39_999);
    expect(on.messages).toEqual([]);
    await on.clock.advance(1);
    await eventually(() => expect(on.messages.join()).toContain('the watch did not end in time'));
    await on.next();
    await eventually(() => expect(on.asked().slice(2)).toEqual(['list', '10']));
  });

  test.each([
    [7.9, '30'],
    [12.1, 'list'],
  ])('ends %d h after the last list, the next is from %s', async (hours, then) => {
    const { clock, next, asked } = await follow(served(lists(), ends(BOOKMARK), says()));
    await eventually(() => expect(clock.waits).toHaveLength(1));
    clock.laterMs = hours * HOUR;
    await next();
    await eventually(() => expect(asked()[2]).toBe(then));
  });
});

test('asks for pages of 500, bookmarks for 25 s, and what the selector says', async () => {
  const page = (name: string, next?: string): object => ({
    metadata: { resourceVersion: '10', continue: next },
    items: [anObject(name, '5')],
  });
  const list: Behaviour = (request, response) =>
    answers(request.query.has('continue') ? page('b') : page('a', 'more'))(request, response);
  const { requests, news } = await follow(served(list, says()), [], 'a=b');
  await eventually(() => expect(requests).toHaveLength(3));
  const path = 'GET /apis/test.dev/v1/pipes?';
  expect(requests).toEqual([
    `${path}labelSelector=a%3Db&limit=500`,
    `${path}labelSelector=a%3Db&limit=500&continue=more`,
    `${path}watch=true&labelSelector=a%3Db&resourceVersion=10` +
      '&timeoutSeconds=25&allowWatchBookmarks=true',
  ]);
  expect(news).toEqual(['list a', 'list b']);
});

test.each([
  ['a version alone', { metadata: { resourceVersion: '1' } }],
  ['a list of something else', { metadata: { resourceVersion: '1' }, items: [{}] }],
])('%s is not taken for a list, and asked again by back-off', async (_what, body) => {
  const list: Behaviour = (_, response) => void response.end(JSON.stringify(body));
  const { clock, next, news, messages, asked } = await follow(served(list));
  const seconds = [1, 2, 4, 8, 16, 30, 30];
  for (const wait of seconds) {
    await next();
    const waited = (clock.waits.at(-1) ?? 0) / wait;
    expect(waited).toBeGreaterThanOrEqual(800);
    expect(waited).toBeLessThanOrEqual(1_200);
  }
  expect([news, messages.length]).toEqual([[], 1]);
  expect(new Set(asked())).toEqual(new Set(['list']));
});

describe('what is waited for at first', () => {
  /** Refuses what `isRefused` says, until the test says otherwise. */
  async function refused(status: number, refused: string, namespaces: string[]) {
    const state = { status };
    const list: Behaviour = (request, response) => {
      const isRefused = state.status !== 200 && request.url?.includes(refused);
      const answer = isRefused ? refuses(state.status, 'Refused') : lists('one');
      answer(request, response);
    };
    const followed = await follow(served(list, says()), namespaces);
    return Object.assign(followed, { state });
  }

  test.each([
    [403, 'pipes: GET /apis/test.dev/v1/pipes: 403 Refused: Refused it is'],
    [404, 'pipes: the API server knows no pipes.test.dev; install the CRDs of this release'],
  ])('is every namespace, however long it is refused (%i), in words', async (status, words) => {
    const on = await refused(status, '', []);
    expect(on.missing()).toBe('pipes: the first list is not complete');
    for (let tries = 0; tries < 8; tries += 1) await on.next();
    expect([on.isSynced(), on.missing()]).toEqual([false, expect.stringContaining(words)]);
    on.state.status = 200;
    await on.next();
    await eventually(() => expect([on.isSynced(), on.news]).toEqual([true, ['list one']]));
    expect(on.missing()).toBeUndefined();
  });

  test.each([403, 404])(
    'is no namespace refused with %i for 30 s, asked all the same',
    async (status) => {
      const on = await refused(status, '/namespaces/b/', ['a', 'b']);
      while (on.clock.monotonic() < 24_000) {
        expect(on.isSynced()).toBe(false);
        await on.next();
      }
      await eventually(() => expect(on.isSynced()).toBe(true));
      expect([on.missing(), on.clock.monotonic() <= 45_000]).toEqual([undefined, true]);
      const says = /^warn a namespace could not be listed for 30 s; .*namespace "b"/;
      const said = expect.stringMatching(says);
      expect(on.messages).toContainEqual(said);
      on.state.status = 200;
      await on.next();
      const watch = '/namespaces/b/pipes?watch=true';
      await eventually(() => expect(on.requests.join()).toContain(watch));
    },
  );

  test('is a namespace that is refused for a moment, and fails otherwise since', async () => {
    const on = await refused(403, '', ['b']);
    for (let tries = 0; tries < 8; tries += 1) {
      await on.next();
      on.state.status = 503;
    }
    expect(on.isSynced()).toBe(false);
  });
});
