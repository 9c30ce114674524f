import { describe, expect, it } from 'vitest';
import { ask, begin, call, OK, rig, wish } from '../support/limiter-rig.ts';

describe('a pause after 429', () => {
  it('lasts as long as the header says when that is longer than the own back-off', async () => {
    const on = rig();
    expect(call(on, 'a', 429, { retryAfterMs: 60_000 })).toEqual({ pausedUntil: 60_000 });
    expect(ask(on, 'b')).toBe('wait');
    expect(ask(on, 'other', { credential: 'c2' })).toBe('start');
    await on.clock.advance(59_999);
    expect(on.woken()).toEqual([]);
    await on.clock.advance(1);
    expect(on.woken()).toEqual(['b']);
  });

  it('grows with consecutive refusals, within 8 seconds and 6 minutes, and starts anew after an accepted call', async () => {
    const on = rig();
    const waits: number[] = [];
    for (let n = 0; n < 8; n++) {
      const { pausedUntil = 0 } = call(on, 'a', 429);
      waits.push(pausedUntil - on.clock.monotonic());
      await on.clock.advance(pausedUntil - on.clock.monotonic());
    }
    expect(waits[0]).toBeGreaterThanOrEqual(8_000);
    expect(waits[0]).toBeLessThanOrEqual(12_000);
    expect(waits[3]).toBeGreaterThanOrEqual(64_000);
    expect(waits[7]).toBeGreaterThanOrEqual(240_000);
    expect(waits[7]).toBeLessThanOrEqual(360_000);
    await on.clock.advance(1);
    call(on, 'a', 200);
    expect((call(on, 'a', 429).pausedUntil ?? 0) - on.clock.monotonic()).toBeLessThanOrEqual(
      12_000,
    );
  });

  it('counts calls that were in flight together as one refusal', async () => {
    const on = rig();
    const calls = ['a', 'b', 'c', 'd'].map((key) => begin(on, key));
    await on.clock.advance(100);
    const ends = calls.map(
      (one) => one.finish({ answered: true, httpStatus: 429 }).pausedUntil ?? 0,
    );
    expect(Math.max(...ends)).toBeLessThanOrEqual(12_100);
  });

  it('holds back a call that was granted before it and keeps its place', async () => {
    const on = rig({ inFlight: 2 });
    const refused = begin(on, 'a');
    const granted = on.limiter.tryStart(wish('b'));
    refused.finish({ answered: true, httpStatus: 429, retryAfterMs: 30_000 });
    expect('start' in granted && granted.start.begin()).toBe(false);
    on.limiter.release('b');
    ask(on, 'c');
    ask(on, 'd');
    await on.clock.advance(30_000);
    expect(on.woken()).toEqual(['b', 'c']);
  });

  it('takes back slots that were reserved but not taken, and hands them out again at its end, by rate', async () => {
    const on = rig({ rate: { calls: 3, perMs: 10_000 }, inFlight: 2 });
    const [first, second] = [begin(on, 'a'), begin(on, 'b')];
    for (const key of ['c', 'd', 'e', 'f', 'g', 'h']) ask(on, key);
    first?.finish(OK);
    expect(on.woken()).toEqual(['c']);
    second?.finish({ answered: true, httpStatus: 429, retryAfterMs: 30_000 });
    expect(ask(on, 'c')).toBe('wait');
    await on.clock.advance(30_000);
    expect(on.woken()).toEqual(['c', 'd']);
    for (const key of ['c', 'd']) call(on, key, 200);
    expect(on.woken()).toEqual(['e']);
    call(on, 'e', 200);
    expect(on.woken()).toEqual([]);
  });

  it('follows Retry-After on 503, and a 503 without it pauses nobody', () => {
    const on = rig();
    expect(call(on, 'a', 503)).toEqual({});
    expect(call(on, 'a', 503, { retryAfterMs: 20_000 })).toEqual({ pausedUntil: 20_000 });
  });
});
