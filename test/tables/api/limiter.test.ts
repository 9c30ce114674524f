import { describe, expect, it, test } from 'vitest';
import { endOf, permitOf, rig } from './limiter.ts';

const MINUTE = 60_000;

describe('the rate', () => {
  it('of the process holds over all keys', async () => {
    const { clock, call, ask } = rig({ rateTotal: { calls: 1, perMs: 10_000 } });
    await call('a', 200);
    const late = await ask('b', { credential: 'c2' });
    await clock.advance(9_999);
    expect(late.now).toBe('waits');
    await clock.advance(1);
    expect(typeof late.now).toBe('object');
  });

  it('counts a call while it runs, and for a whole window after its end', async () => {
    const { clock, begun, ask } = rig({ rate: { calls: 1, perMs: 5_000 } });
    const first = await begun('a');
    const [next, third] = [await ask('b'), await ask('c')];
    await clock.advance(3_000);
    first.finish(endOf(200));
    await clock.advance(4_999);
    expect(next.now).toBe('waits');
    await clock.advance(1);
    expect([typeof next.now, third.now]).toEqual(['object', 'waits']);
  });

  it('counts for as long as its window is wide, also where nobody asks', async () => {
    const day = 24 * 60 * MINUTE;
    const { clock, call, says } = rig({ rate: { calls: 1, perMs: day } });
    await call('a', 200);
    await clock.advance(day - 1);
    expect(await says('other', { credential: 'c2' })).toBe('granted');
    expect(await says('b')).toBe('waits');
  });
});

test('turns go by time of entry, edited a minute earlier; who gives up holds nothing', async () => {
  const { clock, limiter, begun } = rig({ inFlight: 1 });
  const first = await begun('first');
  const withdrawn = new AbortController();
  const served: string[] = [];
  const ask = async (id: string, urgency: 'later' | 'user' | 'scheduled') => {
    const unwanted = id === 'withdrawn' ? withdrawn.signal : undefined;
    const permit = await permitOf(limiter, id, { urgency, unwanted });
    if (typeof permit === 'string') return;
    permit.begin();
    served.push(id);
    permit.finish(endOf(200));
  };
  const asking = [
    ['early', 'scheduled'],
    ['later', 'later'],
    ['late', 'scheduled'],
    ['withdrawn', 'user'],
    ['edited', 'user'],
  ] as const;
  for (const [id, urgency] of asking) {
    void ask(id, urgency);
    await clock.advance(20_000);
  }
  withdrawn.abort();
  first.finish();
  await clock.advance(0);
  expect(served).toEqual(['later', 'early', 'edited', 'late']);
});

describe('a pause', () => {
  it.each<[string, number, number, readonly [number, number]]>([
    ['of a 429 lasts as its header says', 429, MINUTE, [MINUTE, MINUTE]],
    ['of a 429 without one takes the own back-off', 429, 0, [8_000, 12_000]],
    ['of a 503 lasts as its header says', 503, 20_000, [20_000, 20_000]],
  ])('%s, and is of one key', async (_, status, waitMs, [least, most]) => {
    const { call, says, limiter } = rig();
    const ms = await call('a', status, { waitMs });
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most);
    expect(await says('b')).toBe('waits');
    expect(await says('c', { credential: 'c2' })).toBe('granted');
    expect(limiter.snapshot()).toEqual({ paused: 1, refused: 0, waiting: 1 });
  });

  it('doubles with each 429 in a row, and begins anew after another answer', async () => {
    const { call, clock } = rig();
    const paused: number[] = [];
    for (const status of [429, 429, 429, 200, 429]) {
      const times = (await call('a', status)) / 10_000;
      // Each is within a fifth of its length.
      paused.push(2 ** Math.round(Math.log2(times)));
      await clock.advance(MINUTE);
    }
    expect(paused).toEqual([1, 2, 4, Number.NaN, 1]);
  });

  it.each([503, 500])('does not come of a %i without a header', async (status) => {
    const { call, says } = rig();
    await call('a', status);
    expect(await says('b')).toBe('granted');
  });

  it('keeps back what was granted before it, and that keeps its place', async () => {
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

describe('a refused key', () => {
  it('is not used by those who wait, who come, or were granted it before', async () => {
    const { begun, granted, ask, says, clock } = rig({ inFlight: 2 });
    const [first, second] = [await begun('a'), await granted('b')];
    const third = await ask('c');
    const elsewhere = { credential: 'c2' };
    const using = [await granted('e', elsewhere), await granted('f', elsewhere)];
    const other = await ask('g', elsewhere);
    first.finish(endOf(401));
    await clock.advance(0);
    expect(second.begin()).toBe(false);
    expect([third.now, await says('d')]).toEqual(['key-refused', 'key-refused']);
    expect(other.now).toBe('waits');
    using[0]?.finish();
    await clock.advance(0);
    expect(typeof other.now).toBe('object');
  });

  it('is tried out of turn by who may, by one at a time', async () => {
    const { call, says, begun } = rig();
    await call('a', 401);
    await begun('b', { mayTry: true });
    expect(await says('c', { mayTry: true })).toBe('key-refused');
  });

  it.each<[number, readonly string[], string]>([
    [200, ['a', 'b'], 'granted'],
    [503, ['a', 'b'], 'granted'],
    [401, [], 'key-refused'],
    [0, [], 'key-refused'],
  ])('wakes all when a try is answered with %i: %j, then %s', async (status, woken, then) => {
    const on = rig();
    await on.call('a', 401);
    await on.says('b');
    await on.call('c', status, { mayTry: true });
    expect([on.woken, await on.says('d')]).toEqual([woken, then]);
  });

  it('is tried by who has waited longest, after 30 s and then a minute', async () => {
    const { clock, call, says, woken } = rig();
    await call('a', 401);
    await says('b');
    const secondsUntil = async (count: number): Promise<number> => {
      const from = clock.monotonic();
      while (woken.length < count) await clock.advance(1_000);
      return (clock.monotonic() - from) / 1_000;
    };
    expect(Math.abs((await secondsUntil(1)) - 30)).toBeLessThanOrEqual(7);
    await call('a', 401);
    expect(Math.abs((await secondsUntil(2)) - 60)).toBeLessThanOrEqual(13);
    expect(woken).toEqual(['a', 'b']);
  });

  it('is tried by the next where who was woken does not ask', async () => {
    const { clock, call, says, woken } = rig();
    await call('a', 401);
    await says('b');
    await clock.advance(2 * MINUTE);
    expect(woken).toEqual(['a', 'b']);
  });
});
