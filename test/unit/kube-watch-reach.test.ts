import { expect, test } from 'vitest';
import { follow, inTurn, lines, refuse, shows, silence } from '../support/followed-watch.ts';
import { aLine, anObject, type Behaviour } from '../support/kube-server.ts';

const ignore = (): void => undefined;

/** Whether the watch has reached a version that it was asked for. */
function reaching(reached: Promise<void>): { isOver: boolean } {
  const state = { isOver: false };
  void reached.then(() => (state.isOver = true));
  return state;
}

/** A list that is answered when the test says so. */
function held(then: Behaviour): { readonly behave: Behaviour; readonly answer: () => void } {
  const gate = Promise.withResolvers<void>();
  return {
    behave: (request, response) => void gate.promise.then(() => then(request, response)),
    answer: gate.resolve,
  };
}

test.each([['10'], ['9'], ['11']])(
  'version %s is reached without a call where list or watch have come so far',
  async (version) => {
    const f = await follow({ watch: lines(aLine('ADDED', anObject('a', '11'))) });
    await f.until(() => expect(f.news).toContain('ADDED a @11'));
    await f.watch.reach(version, ignore);
    expect([f.lists(), f.watches()]).toEqual([1, 1]);
  },
);

test('a version that the watch has not told of is reached by a list, from which it goes on watching', async () => {
  const f = await follow({
    list: inTurn(shows('10'), shows('13', anObject('a', '12'))),
    watch: silence,
  });
  await f.until(() => expect(f.states).toEqual(['listing', 'watching']));
  const state = reaching(f.watch.reach('13', ignore));
  await f.until(() => expect(state.isOver).toBe(true));
  expect(f.news).toEqual(['list  @10', 'list a @13']);
  await f.until(() => expect(f.states).toEqual(['listing', 'watching', 'listing', 'watching']));
  expect(f.resumes()).toEqual(['10', '13']);
  // It was no trouble: nobody is told, and nothing is waited for.
  expect([f.failures, f.messages, [...f.clock.waits]]).toEqual([[], [], []]);
});

test('a list that was asked for before is not the one that is waited for, unless it shows the version', async () => {
  for (const [first, lists] of [
    ['12', 2],
    ['13', 1],
  ] as const) {
    const slow = held(shows(first));
    const f = await follow({ list: inTurn(slow.behave, shows('14')), watch: silence });
    await f.until(() => expect(f.lists()).toBe(1));
    const state = reaching(f.watch.reach('13', ignore));
    slow.answer();
    await f.until(() => expect(state.isOver).toBe(true));
    expect(f.lists()).toBe(lists);
  }
});

test('of two that ask, the second one while a list is under way, each gets a list that comes after', async () => {
  const second = held(shows('12'));
  const f = await follow({
    list: inTurn(shows('10'), second.behave, shows('20')),
    watch: silence,
  });
  await f.watch.synced;
  const one = reaching(f.watch.reach('11', ignore));
  await f.until(() => expect(f.lists()).toBe(2));
  const other = reaching(f.watch.reach('15', ignore));
  second.answer();
  await f.until(() => expect([one.isOver, other.isOver]).toEqual([true, true]));
  expect(f.news).toEqual(['list  @10', 'list  @12', 'list  @20']);
});

test('a watch that ends after that goes on from its version, without another list', async () => {
  const f = await follow({
    list: inTurn(shows('10'), shows('13')),
    watch: inTurn(silence, lines(), silence),
  });
  await f.until(() => expect(f.states.at(-1)).toBe('watching'));
  await f.watch.reach('13', ignore);
  await f.until(() => expect(f.watches()).toBe(2));
  await f.clock.advance(73_000);
  await f.until(() => expect(f.watches()).toBe(3));
  expect([f.lists(), f.resumes()]).toEqual([2, ['10', '13', '13']]);
});

test('a version from before a break is not trusted: the server may have gone back since', async () => {
  const f = await follow({
    list: inTurn(shows('10'), shows('11', anObject('a', '11'))),
    watch: inTurn((request, response) => {
      lines(aLine('ADDED', anObject('a', '11')))(request, response);
      response.end('{');
    }, silence),
  });
  await f.until(() => expect(f.states.at(-1)).toBe('waiting'));
  await f.watch.reach('8', ignore);
  expect(f.news.at(-1)).toBe('list a @11');
});

test('one list is enough, also where the version is of another storage and no list ever shows it', async () => {
  const f = await follow({ watch: silence });
  await f.watch.reach('999999', ignore);
  expect(f.lists()).toBe(2);
});

test('a watch that waits after a refusal lists at once; while the list is refused, it goes on trying', async () => {
  const f = await follow({
    list: inTurn(shows('10'), refuse(500, 'InternalError'), shows('12')),
    watch: inTurn(refuse(403, 'Forbidden'), silence),
  });
  await f.until(() => expect(f.states.at(-1)).toBe('waiting'));
  const told: (string | undefined)[] = [];
  const state = reaching(f.watch.reach('11', ({ reason }) => told.push(reason)));
  await f.until(() => expect(told).toEqual(['InternalError']));
  expect([f.lists(), state.isOver]).toEqual([2, false]);
  await f.sitOut();
  await f.until(() => expect(state.isOver).toBe(true));
  expect(f.news).toEqual(['list  @10', 'list  @12']);
});

test('stopped while it is asked for a version, it asks for nothing more', async () => {
  const slow = held(shows('12'));
  const f = await follow({ list: inTurn(shows('10'), slow.behave), watch: silence });
  await f.watch.synced;
  const state = reaching(f.watch.reach('11', ignore));
  await f.until(() => expect(f.lists()).toBe(2));
  f.stop.abort();
  await f.watch.stopped;
  slow.answer();
  expect([state.isOver, f.news, f.states.at(-1)]).toEqual([false, ['list  @10'], 'stopped']);
});

test('stopped in the moment in which the list is there, it opens no watch', async () => {
  const f = await follow({ watch: silence });
  void f.watch.synced.then(() => f.stop.abort());
  await f.watch.stopped;
  expect([f.lists(), f.watches()]).toEqual([1, 0]);
});
