import { expect, test, vi } from 'vitest';
import { Store } from '../../src/kube/cache/store.ts';
import { startWatch } from '../../src/kube/cache/watch.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import {
  emptyList,
  follow,
  inTurn,
  type Plan,
  refuse,
  shows,
  silence,
  WatchClock,
} from '../support/followed-watch.ts';
import { aLine, anObject, type Behaviour } from '../support/kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

/** A watch that brings an object, and breaks. */
const cut: Behaviour = (request, response) => {
  response
    .writeHead(200)
    .write(aLine('ADDED', anObject('a', '11')), () => request.socket.destroy());
};

test('a list older than what was seen is refused for a minute, then believed', async () => {
  const older = shows('5', anObject('old', '4'));
  const f = await follow({
    list: inTurn(emptyList, older),
    watch: inTurn(refuse(410, 'Expired'), silence),
  });
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
      list: inTurn(shows('10', anObject('a', '9')), shows('14', anObject('a', '14'))),
      watch: inTurn((request, response) => {
        store.put(anObject('a', '19'));
        refuse(410, 'Expired')(request, response);
      }, silence),
    },
    { sink: store.sink() },
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
      list: inTurn(shows('10', anObject('a', '9')), shows('14', anObject('a', '14'))),
      version: shows('14'),
      watch: inTurn(cut, silence),
    },
    { sink: store.sink() },
  );
  while (f.clock.monotonic() < 60_000) await f.sitOut();
  await f.until(() => expect(f.resumes()).toEqual(['10', '14']));
  expect(store.get('ns/a')?.metadata.resourceVersion).toBe('14');
});

test('after a break it asks for the present version, and a server that went back is listed anew after a minute', async () => {
  const f = await follow({
    list: inTurn(emptyList, shows('6', anObject('old', '4'))),
    version: shows('5'),
    watch: inTurn(cut, silence),
  });
  await f.sitOut();
  await f.until(() =>
    expect(f.failures.map(({ reason }) => reason)).toEqual(['NoAnswer', 'StaleList']),
  );
  while (f.clock.monotonic() < 60_000) await f.sitOut();
  await f.until(() => expect(f.resumes()).toEqual(['10', '6']));
  expect(f.news).toEqual(['list  @10', 'ADDED a @11', 'list old @6, restored']);
  expect(f.lists()).toBe(2);
});

test('a server that was older when it was asked, and has caught up since, is taken for one that went back', async () => {
  const f = await follow({
    list: inTurn(emptyList, shows('12', anObject('a', '4'))),
    version: inTurn(shows('5'), shows('12')),
    watch: inTurn(cut, silence),
  });
  await f.sitOut();
  await f.until(() =>
    expect(f.failures.map(({ reason }) => reason)).toEqual(['NoAnswer', 'StaleList']),
  );
  await f.sitOut();
  await f.until(() => expect(f.resumes()).toEqual(['10', '12']));
  expect(f.news).toEqual(['list  @10', 'ADDED a @11', 'list a @12, restored']);
});

test('the list of a server that went back is not older than the version that has told so: a server that is behind has what is gone', async () => {
  const f = await follow({
    list: inTurn(emptyList, shows('6', anObject('gone', '4')), shows('13', anObject('a', '11'))),
    version: inTurn(shows('5'), shows('12')),
    watch: inTurn(cut, silence),
  });
  await f.sitOut();
  await f.until(() =>
    expect(f.failures.map(({ reason }) => reason)).toEqual(['NoAnswer', 'StaleList']),
  );
  await f.sitOut();
  await f.until(() => expect(f.lists()).toBe(2));
  await f.sitOut();
  await f.until(() => expect(f.resumes()).toEqual(['10', '13']));
  expect(f.news).toEqual(['list  @10', 'ADDED a @11', 'list a @13, restored']);
});

test('a version that the server has told is seen, also where the watch has not come so far: a lower one says that it went back', async () => {
  const f = await follow({
    list: inTurn(emptyList, shows('17', anObject('b', '12'))),
    version: inTurn(shows('15'), shows('13'), shows('16')),
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
  const f = await follow({
    watch: inTurn((_, response) => response.writeHead(200).end(), silence),
  });
  await f.until(() => expect(f.watches()).toBe(2));
  expect(f.server.requests.filter((line) => line.includes('limit=1'))).toEqual([]);
});

test('who stood still until long after the watch had ended well asks for the version before it goes on', async () => {
  const clock = new WatchClock();
  const watched = vi.spyOn(clock, 'monotonic');
  const f = await follow(
    {
      version: shows('5'),
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

/**
 * A watch of others that stands, and then one of things by the same client, at a server that does
 * as planned from then on. `seen`: the versions of the lists of things; `end`: the server ends the
 * watch of the others.
 */
async function besideOthers(plan: Plan) {
  let end = (): void => undefined;
  const watch: Behaviour = (_, response) => {
    response.writeHead(200).flushHeaders();
    end = () => response.end();
  };
  const f = await follow({ watch }, { path: '/api/v1/others' });
  await f.until(() => expect(f.states.at(-1)).toBe('watching'));
  f.plan(plan);
  const seen: string[] = [];
  const one = new AbortController();
  const things = startWatch<KubeObject>({
    client: f.client,
    path: '/api/v1/things',
    clock: f.clock,
    log: recordingLog().log,
    random: () => 0.5,
    signal: AbortSignal.any([one.signal, f.stop.signal]),
    sink: { replace: (_, version) => void seen.push(version), apply: () => undefined },
  });
  const stopThings = async (): Promise<void> => {
    one.abort();
    await things.stopped;
  };
  return { f, end, seen, stopThings };
}

test('where one watch has seen that the server went back, the others list anew, though its versions are as high again', async () => {
  const later = shows('12', anObject('old', '4'));
  const { f, end, seen } = await besideOthers({
    list: inTurn(emptyList, shows('5'), shows('5'), later),
    watch: inTurn(refuse(410, 'Expired'), silence),
    version: later,
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
  const { f, end, seen } = await besideOthers({
    list: inTurn(emptyList, shows('5'), shows('20'), shows('21')),
    version: inTurn(shows('13'), shows('21')),
    watch: inTurn(refuse(410, 'Expired'), silence),
  });
  await f.sitOut();
  await f.until(() => expect(seen).toEqual(['10', '20']));
  end();
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toEqual(['StaleList']));
  await f.sitOut();
  await f.until(() => expect(f.news).toEqual(['list  @10', 'list  @21, restored']));
});

test('who hears from another watch that the server went back, and doubts its older versions, asks for no whole list meanwhile', async () => {
  const older = shows('5');
  const watch = inTurn(refuse(410, 'Expired'), silence);
  const { f, end, seen, stopThings } = await besideOthers({
    list: inTurn(emptyList, older),
    watch,
    version: older,
  });
  await f.until(() => expect(f.clock.waits.size).toBe(1));
  await f.clock.advance(60_000);
  await f.until(() => expect(seen).toEqual(['10', '5']));
  await stopThings();
  const before = f.lists();
  end();
  await f.until(() => expect(f.failures.map(({ reason }) => reason)).toEqual(['StaleList']));
  const heardAt = f.clock.monotonic();
  while (f.clock.monotonic() < heardAt + 60_000) await f.sitOut();
  await f.until(() => expect(f.news).toEqual(['list  @10', 'list  @5, restored']));
  expect(f.lists()).toBe(before + 1);
});
