import { describe, expect, test } from 'vitest';
import type { Asking, LimiterOptions, Permit } from '../../src/api/limiter.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { aLimiter, endOf } from '../support/limiter-engine.ts';

const MINUTE = 60_000;
const ONE_IN_10_S = { rate: { calls: 1, perMs: 10_000 } };

interface Wanted extends Partial<Pick<Asking, 'urgency' | 'wish' | 'onLongWait'>> {
  readonly credential?: string;
  readonly mayTry?: boolean;
}

/** A limiter, who has been woken, and permits that may not be there yet. */
function rig(more: Partial<LimiterOptions> = {}) {
  const clock = new FakeClock();
  const woken: string[] = [];
  const limiter = aLimiter(clock, { wake: (id) => woken.push(id), ...more });
  const ask = async (id: string, { credential = 'c1', mayTry = false, ...wanted }: Wanted = {}) => {
    const asked = { now: 'waits' as Permit | string };
    const done = limiter.permit({
      id,
      wish: async () => ({ credential, mayTry }),
      urgency: 'scheduled',
      onUnwanted: () => undefined,
      parked: (wait) => wait(),
      onLongWait: async () => true,
      ...wanted,
    });
    void done.then((answer) => {
      asked.now = answer;
    });
    await settle();
    return asked;
  };
  const granted = async (id: string, wanted?: Wanted): Promise<Permit> => {
    const { now } = await ask(id, wanted);
    if (typeof now === 'string') throw new Error(`${id}: ${now}`);
    return now;
  };
  const begun = async (id: string, wanted?: Wanted): Promise<Permit> => {
    const permit = await granted(id, wanted);
    expect(permit.begin()).toBe(true);
    return permit;
  };
  /** A whole call; returns for how long the key is not used. */
  const call = async (id: string, status: number, wanted: Wanted & { waitMs?: number } = {}) => {
    const until = (await begun(id, wanted)).finish(endOf(status, wanted.waitMs)) ?? Number.NaN;
    await settle();
    return until - clock.monotonic();
  };
  const says = async (id: string, wanted?: Wanted) => {
    const { now } = await ask(id, wanted);
    return typeof now === 'string' ? now : (now.finish(), 'granted');
  };
  return { clock, limiter, woken, ask, granted, begun, call, says };
}

describe('the rate', () => {
  test('has a slot free again one window after its call ended, since the server may have counted it that late', async () => {
    const { clock, begun, ask } = rig(ONE_IN_10_S);
    const slow = await begun('a');
    const next = await ask('b');
    await clock.advance(5_000);
    slow.finish(endOf(200));
    await clock.advance(9_999);
    expect(next.now).toBe('waits');
    await clock.advance(1);
    expect(next.now).toBeTypeOf('object');
  });

  test('does not count what was granted and not begun', async () => {
    const { granted, says } = rig(ONE_IN_10_S);
    (await granted('a')).finish();
    expect(await says('b')).toBe('granted');
  });

  test('of the process holds over all keys, and those who wait for it come in order', async () => {
    const { clock, call, ask } = rig({ rateTotal: { calls: 1, perMs: 10_000 } });
    await call('a', 200);
    const late = await ask('b', { credential: 'c2' });
    const edited = await ask('c', { credential: 'c3', urgency: 'user' });
    await clock.advance(10_000);
    expect([late.now, typeof edited.now]).toEqual(['waits', 'object']);
  });

  test('counts for as long as its window is wide, also where nobody asks', async () => {
    const day = 24 * 60 * MINUTE;
    const { clock, call, says } = rig({ rate: { calls: 1, perMs: day } });
    await call('a', 200);
    await clock.advance(day - 1);
    expect(await says('other', { credential: 'c2' })).toBe('granted');
    expect(await says('b')).toBe('waits');
  });
});

describe('a pause', () => {
  test.for<[string, number, number | undefined, readonly [number, number]]>([
    ['of a 429 lasts as its header says', 429, MINUTE, [MINUTE, MINUTE]],
    ['of a 429 without one takes the own back-off', 429, undefined, [8_000, 12_000]],
    ['of a 429 is no shorter than that', 429, 1_000, [8_000, 12_000]],
    ['of a 503 lasts as its header says', 503, 20_000, [20_000, 20_000]],
  ])('%s', async ([, status, waitMs, [least, most]]) => {
    const { call, says, limiter } = rig();
    const ms = await call('a', status, { ...(waitMs !== undefined && { waitMs }) });
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most);
    expect(await says('b')).toBe('waits');
    expect(await says('c', { credential: 'c2' })).toBe('granted');
    expect(limiter.snapshot()).toEqual({ paused: 1, refused: 0, waiting: 1 });
  });

  test('does not come of a 503 without a header', async () => {
    const { call, says } = rig();
    await call('a', 503);
    expect(await says('b')).toBe('granted');
  });

  test('grows up to 6 minutes while calls are refused, and starts anew once one is not', async () => {
    const { clock, call } = rig();
    const waits: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      waits.push(await call('a', 429));
      await clock.advance((waits.at(-1) ?? 0) + 1);
    }
    expect(waits[3]).toBeGreaterThanOrEqual(64_000);
    expect(waits[7]).toBeGreaterThanOrEqual(4 * MINUTE);
    expect(waits[7]).toBeLessThanOrEqual(6 * MINUTE);
    await call('a', 200);
    expect(await call('a', 429)).toBeLessThanOrEqual(12_000);
  });

  test('counts calls that were in flight together once, and a shorter one does not cut a longer', async () => {
    const { clock, begun } = rig();
    const calls = await Promise.all(['a', 'b', 'c', 'd'].map((id) => begun(id)));
    await clock.advance(100);
    const ends = calls.map((one, nth) => one.finish(endOf(429, nth === 1 ? MINUTE : 0)));
    expect(ends[0]).toBeLessThanOrEqual(12_100);
    expect(ends.slice(1)).toEqual([60_100, 60_100, 60_100]);
  });

  test('keeps back what was granted before it, and that keeps its place', async () => {
    const { begun, granted, ask, limiter, clock } = rig({ inFlight: 2 });
    const [first, second] = [await begun('a'), await granted('b')];
    const since = clock.now();
    expect(limiter.pausedSince('c1', since)).toBe(false);
    first.finish(endOf(429));
    expect(second.begin()).toBe(false);
    expect(limiter.pausedSince('c1', since)).toBe(true);
    expect(limiter.pausedSince('c1', since + 1)).toBe(false);
    second.finish();
    await clock.advance(1);
    const late = [await ask('c'), await ask('d')];
    const again = await ask('b');
    await clock.advance(12_000);
    expect([again, ...late].map(({ now }) => typeof now)).toEqual(['object', 'object', 'string']);
  });
});

describe('a wait', () => {
  test('that is woken ends, and keeps its place when it asks again, with another key too', async () => {
    const { clock, ask, begun, limiter } = rig({ inFlight: 1 });
    const [one, two] = [await begun('1'), await begun('2', { credential: 'c2' })];
    const woken = await ask('a');
    await clock.advance(1);
    const later = await ask('b', { credential: 'c2' });
    limiter.wake('a');
    limiter.wake('nobody');
    await settle();
    expect(woken.now).toBe('not-wanted');
    await clock.advance(1);
    const again = await ask('a', { credential: 'c2' });
    one.finish(endOf(200));
    await settle();
    expect([again.now, later.now]).toEqual(['waits', 'waits']);
    two.finish(endOf(200));
    await settle();
    expect([typeof again.now, later.now]).toEqual(['object', 'waits']);
  });

  test('that ends when the object has another key by then gives back what it was granted', async () => {
    const { ask, begun, says } = rig({ inFlight: 1 });
    const first = await begun('1');
    let credential = 'c1';
    const moved = await ask('a', { wish: async () => ({ credential, mayTry: false }) });
    credential = 'c2';
    first.finish(endOf(200));
    await settle();
    expect(moved.now).toBe('not-wanted');
    expect(await says('b')).toBe('granted');
  });

  test('is counted from when it began until the first byte', async () => {
    const waited: number[] = [];
    const { clock, call, ask } = rig({ ...ONE_IN_10_S, onWait: (s) => waited.push(s) });
    await call('a', 200);
    const next = await ask('b');
    await clock.advance(10_000);
    (next.now as Permit).begin();
    expect(waited).toEqual([0, 10]);
  });

  test('whose wish fails gives back what it was granted', async () => {
    const { limiter, says } = rig({ inFlight: 1 });
    let asked = 0;
    const wish = async () => {
      if ((asked += 1) > 1) throw new Error('Kubernetes is away');
      return { credential: 'c1', mayTry: false };
    };
    const asking = {
      id: 'a',
      wish,
      urgency: 'user',
      onUnwanted: () => undefined,
      onLongWait: async () => true,
    } as const;
    await expect(limiter.permit({ ...asking, parked: (wait) => wait() })).rejects.toThrow('away');
    expect(await says('b')).toBe('granted');
  });
});

test('one after another is told of a long wait, and who gets its turn first is told nothing', async () => {
  const { clock, ask, begun } = rig({ rate: { calls: 1, perMs: 5 * MINUTE } });
  (await begun('first')).finish(endOf(200));
  const told: string[] = [];
  const stands = Promise.withResolvers<boolean>();
  const telling = (id: string) => async (ahead: number) => {
    told.push(`${id}: ${ahead}`);
    return stands.promise;
  };
  for (const id of 'abc') {
    await ask(id, { onLongWait: telling(id) });
    await clock.advance(1);
  }
  await clock.advance(29_000);
  expect(told).toEqual([]);
  await clock.advance(MINUTE);
  const next = await ask('next', { urgency: 'later', onLongWait: telling('next') });
  await clock.advance(2 * MINUTE);
  expect(told).toEqual(['a: 0']);
  await clock.advance(2 * MINUTE);
  expect(next.now).not.toBe('waits');
  stands.resolve(true);
  await clock.advance(1);
  expect(told).toEqual(['a: 0', 'b: 1', 'c: 2']);
});

test('who cannot be told of a long wait keeps its place for when it asks again', async () => {
  const { clock, ask, begun } = rig({ rate: { calls: 1, perMs: 5 * MINUTE } });
  (await begun('first')).finish(endOf(200));
  const untold = await ask('a', { onLongWait: async () => false });
  await clock.advance(1);
  const behind = await ask('b');
  await clock.advance(MINUTE);
  expect(untold.now).toBe('not-wanted');
  const again = await ask('a');
  await clock.advance(5 * MINUTE);
  expect([typeof again.now, behind.now]).toEqual(['object', 'waits']);
});

describe('a refused key', () => {
  test('is not used by those who wait, nor by those who come, nor by who was granted it before', async () => {
    const { begun, granted, ask, says } = rig({ inFlight: 2 });
    const [first, second] = [await begun('a'), await granted('b')];
    const third = await ask('c');
    const tryAt = first.finish(endOf(401)) ?? 0;
    await settle();
    expect(second.begin()).toBe(false);
    expect([third.now, await says('d')]).toEqual(['key-refused', 'key-refused']);
    expect(await says('e', { credential: 'c2' })).toBe('granted');
    expect(tryAt).toBeGreaterThanOrEqual(24_000);
    expect(tryAt).toBeLessThanOrEqual(36_000);
  });

  test.for<[number, readonly string[]]>([
    [200, ['a', 'b']],
    [404, ['a', 'b']],
    [503, ['a', 'b']],
    [401, []],
    [0, []],
  ])('wakes all when a try is answered with %i: %j', async ([status, woken]) => {
    const on = rig();
    for (const id of ['a', 'b']) await (id === 'a' ? on.call(id, 401) : on.says(id));
    await on.call('c', status, { mayTry: true });
    expect(on.woken).toEqual(woken);
    expect(on.limiter.refusedKeys.isHeld('a')).toBe(woken.length === 0);
  });

  test('is tried out of turn by who may, while nobody else does, and after no answer by who is next', async () => {
    const { clock, call, says, begun, woken } = rig();
    await call('a', 401);
    const trial = await begun('b', { mayTry: true });
    expect(await says('c', { mayTry: true })).toBe('key-refused');
    trial.finish(endOf(0));
    expect(await says('c')).toBe('key-refused');
    await clock.advance(0);
    expect(woken).toEqual(['a']);
    expect(await says('a')).toBe('granted');
  });

  test('is tried by one after the other, in order; who is gone or does not ask is passed over', async () => {
    const { clock, call, says, woken, limiter } = rig();
    await call('a', 401);
    for (const id of ['b', 'gone', 'c']) await says(id);
    limiter.forget('gone');
    while (woken.length === 0) await clock.advance(1_000);
    expect(woken).toEqual(['a']);
    expect(await says('b')).toBe('key-refused');
    await clock.advance(5_000);
    expect(woken).toEqual(['a', 'b']);
    await call('b', 401);
    expect(await says('a')).toBe('key-refused');
    await clock.advance(77_000);
    // Who was refused last has waited the shortest.
    expect(woken.slice(0, 3)).toEqual(['a', 'b', 'c']);
  });

  test('leaves who tries it its place when a call from before is refused as well', async () => {
    const { clock, begun, ask, call } = rig({ ...ONE_IN_10_S, rate: { calls: 2, perMs: 10_000 } });
    const [first, second] = [await begun('a'), await begun('b')];
    first.finish(endOf(401));
    const trial = await ask('c', { mayTry: true });
    second.finish(endOf(401));
    await settle();
    expect(trial.now).toBe('waits');
    await clock.advance(10_000);
    expect((trial.now as Permit).begin()).toBe(true);
    (trial.now as Permit).finish(endOf(200));
    await clock.advance(10_000);
    expect(await call('d', 200)).toBeNaN();
  });

  test('is forgotten once nobody waits for it', async () => {
    const { clock, call, limiter } = rig();
    await call('a', 401);
    limiter.forget('a');
    await clock.advance(MINUTE);
    expect(limiter.snapshot()).toMatchObject({ refused: 0 });
    expect(clock.pending).toBe(0);
  });
});

test('keys that nobody has used for an hour are forgotten, and no others', async () => {
  const { clock, call, begun, limiter } = rig();
  const pauses = { waitMs: 1_000 };
  for (const credential of ['c1', 'c2', 'c3']) await call('a', 503, { credential, ...pauses });
  await clock.advance(MINUTE);
  await begun('slow', { credential: 'c2' });
  await clock.advance(30 * MINUTE);
  await call('young', 200, { credential: 'c3' });
  await clock.advance(31 * MINUTE);
  await call('new', 200, { credential: 'new' });
  const isKnown = (credential: string) => limiter.pausedSince(credential, 0);
  expect(['c1', 'c2', 'c3'].map(isKnown)).toEqual([false, true, true]);
});
