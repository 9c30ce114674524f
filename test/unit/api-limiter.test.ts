import { describe, expect, it, vi } from 'vitest';
import type {
  CallWish,
  Permit,
  RateLimiter,
  RateLimiterOptions,
} from '../../src/api/limiter/contract.ts';
import { createRateLimiter } from '../../src/api/limiter/rate-limiter.ts';
import { FakeClock } from '../support/fake-clock.ts';

interface Rig {
  readonly clock: FakeClock;
  readonly limiter: RateLimiter;
  /** Keys woken since the last look. */
  woken(): string[];
}

function rig(more: Partial<RateLimiterOptions> = {}): Rig {
  const clock = new FakeClock();
  let keys: string[] = [];
  const limiter = createRateLimiter({
    rate: { calls: 0, perMs: 10_000 },
    inFlight: 4,
    clock,
    wake: (key) => keys.push(key),
    ...more,
  });
  const woken = (): string[] => {
    const seen = keys;
    keys = [];
    return seen;
  };
  return { clock, limiter, woken };
}

function wish(key: string, more: Partial<CallWish> = {}): CallWish {
  return { credential: 'c1', key, target: `target-${key}`, lane: 'user', ...more };
}

/** Asks for a key that must get leave, and begins its call. */
function begin({ limiter }: Rig, key: string, more: Partial<CallWish> = {}): Permit {
  const answer = limiter.tryStart(wish(key, more));
  if (!('start' in answer)) throw new Error(`${key} got no leave: ${JSON.stringify(answer)}`);
  expect(answer.start.begin()).toBe(true);
  return answer.start;
}

/** A whole reconcile with one call that ends with this status. */
function call(
  on: Rig,
  key: string,
  httpStatus: number,
  more: Partial<CallWish> & { retryAfterMs?: number } = {},
): { readonly pausedUntil?: number } {
  const { retryAfterMs, ...wishes } = more;
  const paused = begin(on, key, wishes).finish({
    answered: true,
    httpStatus,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  on.limiter.release(key);
  return paused;
}

/** A whole reconcile that only asks. */
function ask({ limiter }: Rig, key: string, more: Partial<CallWish> = {}): string {
  const answer = limiter.tryStart(wish(key, more));
  limiter.release(key);
  if ('start' in answer) return 'start';
  return 'wait' in answer ? 'wait' : 'circuit-open';
}

const OK = { answered: true, httpStatus: 200 } as const;

describe('rate', () => {
  it('lets N calls go, and wakes exactly one waiter per slot', async () => {
    const on = rig({ rate: { calls: 2, perMs: 10_000 } });
    call(on, 'a', 200);
    await on.clock.advance(1_000);
    call(on, 'b', 200);
    expect([ask(on, 'c'), ask(on, 'd'), ask(on, 'e')]).toEqual(['wait', 'wait', 'wait']);
    await on.clock.advance(8_999);
    expect(on.woken()).toEqual([]);
    expect(ask(on, 'c')).toBe('wait');
    await on.clock.advance(1);
    expect(on.woken()).toEqual(['c']);
    await on.clock.advance(1_000);
    expect(on.woken()).toEqual(['d']);
  });

  it('frees a slot only after its call has ended, since the server may have counted it that late', async () => {
    const on = rig({ rate: { calls: 1, perMs: 10_000 } });
    const slow = begin(on, 'a');
    ask(on, 'b');
    await on.clock.advance(5_000);
    slow.finish(OK);
    await on.clock.advance(9_999);
    expect(on.woken()).toEqual([]);
    await on.clock.advance(1);
    expect(on.woken()).toEqual(['b']);
  });

  it('does not count a call that was never begun', () => {
    const on = rig({ rate: { calls: 1, perMs: 10_000 } });
    const answer = on.limiter.tryStart(wish('a'));
    if ('start' in answer) answer.start.finish({ answered: false });
    expect(ask(on, 'b')).toBe('start');
  });

  it('keeps one timer per credential however many wait', () => {
    const on = rig({ rate: { calls: 1, perMs: 10_000 } });
    call(on, 'a', 200);
    for (let n = 0; n < 1_000; n++) ask(on, `w${n}`);
    expect(on.clock.pending).toBe(1);
    expect(on.woken()).toEqual([]);
    on.limiter.close();
    expect(on.clock.pending).toBe(0);
  });

  it('lets nobody who comes later take a slot that became free for those who wait', async () => {
    const on = rig({ inFlight: 1 });
    const first = begin(on, 'a');
    ask(on, 'b');
    first.finish(OK);
    expect(ask(on, 'late')).toBe('wait');
    begin(on, 'b').finish(OK);
    expect(on.woken()).toEqual(['b', 'late']);
  });
});

describe('calls in flight', () => {
  it('bounds them per credential and leaves others alone', () => {
    const on = rig({ inFlight: 2 });
    begin(on, 'a');
    begin(on, 'b');
    expect(ask(on, 'c')).toBe('wait');
    expect(ask(on, 'd', { credential: 'c2' })).toBe('start');
  });

  it('counts a permit that is not begun yet', () => {
    const on = rig({ inFlight: 1 });
    on.limiter.tryStart(wish('a'));
    expect(ask(on, 'b')).toBe('wait');
    on.limiter.release('a');
    expect(on.woken()).toEqual(['b']);
  });

  it('lets one call in flight per target over all credentials, and wakes who waited for it', () => {
    const on = rig();
    const first = begin(on, 'a', { target: 't' });
    expect(ask(on, 'b', { target: 't', credential: 'c2' })).toBe('wait');
    expect(ask(on, 'c', { target: 't' })).toBe('wait');
    expect(ask(on, 'd')).toBe('start');
    first.finish(OK);
    expect(on.woken()).toEqual(['b']);
    on.limiter.forget('b');
    expect(on.woken()).toEqual(['c']);
  });

  it('refuses a second call of a key whose first is running', () => {
    const on = rig();
    begin(on, 'a');
    expect(() => on.limiter.tryStart(wish('a'))).toThrow('a asks for a second call');
  });
});

describe('a reserved slot', () => {
  function oneReserved(): Rig {
    const on = rig({ inFlight: 1 });
    const first = begin(on, 'a');
    ask(on, 'b');
    ask(on, 'c');
    first.finish(OK);
    expect(on.woken()).toEqual(['b']);
    return on;
  }

  it('goes to the next when its key ends a reconcile without asking', () => {
    const on = oneReserved();
    on.limiter.release('b');
    expect(on.woken()).toEqual(['c']);
  });

  it('goes to the next when its object is gone', () => {
    const on = oneReserved();
    on.limiter.forget('b');
    expect(on.woken()).toEqual(['c']);
  });

  it('goes to the next when its key asks with another credential', () => {
    const on = oneReserved();
    expect(ask(on, 'b', { credential: 'c2' })).toBe('start');
    expect(on.woken()).toEqual(['c']);
  });

  it('is not lost when the wake-up comes during the reconcile that asked', () => {
    const on = rig({ inFlight: 1 });
    const first = begin(on, 'a');
    on.limiter.tryStart(wish('b'));
    first.finish(OK);
    on.limiter.release('b');
    expect(on.woken()).toEqual(['b']);
    expect(ask(on, 'c')).toBe('wait');
    expect(ask(on, 'b')).toBe('start');
  });

  it('loses its place in the queue with a reconcile that does not ask', () => {
    const on = rig({ inFlight: 1 });
    const first = begin(on, 'a');
    ask(on, 'b');
    ask(on, 'c');
    on.limiter.release('b');
    first.finish(OK);
    expect(on.woken()).toEqual(['c']);
  });
});

describe('lanes', () => {
  it('serves user changes first and scheduled work once in five', () => {
    const on = rig({ inFlight: 1 });
    const blocker = begin(on, 'blocker');
    for (let n = 0; n < 4; n++) ask(on, `s${n}`, { lane: 'scheduled' });
    for (let n = 0; n < 8; n++) ask(on, `u${n}`);
    blocker.finish(OK);
    const order: string[] = [];
    for (let [next] = on.woken(); next; [next] = on.woken()) {
      order.push(next);
      begin(on, next, { lane: next.startsWith('s') ? 'scheduled' : 'user' }).finish(OK);
    }
    expect(order).toEqual(['u0', 'u1', 'u2', 'u3', 's0', 'u4', 'u5', 'u6', 'u7', 's1', 's2', 's3']);
  });

  it('moves a scheduled waiter to the user lane when its user asks, with its old rank', () => {
    const on = rig({ inFlight: 1 });
    const blocker = begin(on, 'blocker');
    ask(on, 's0', { lane: 'scheduled' });
    ask(on, 's1', { lane: 'scheduled' });
    ask(on, 'u0');
    ask(on, 's1');
    ask(on, 's1', { lane: 'scheduled' });
    blocker.finish(OK);
    expect(on.woken()).toEqual(['s1']);
  });
});

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

describe('the circuit breaker after 401', () => {
  it('opens for the whole credential and for no other', () => {
    const on = rig();
    call(on, 'a', 401);
    expect(on.limiter.tryStart(wish('b'))).toEqual({ circuitOpen: true });
    expect(ask(on, 'a')).toBe('circuit-open');
    expect(ask(on, 'c', { credential: 'c2' })).toBe('start');
  });

  it('wakes everyone who waits once as it opens, so that they can show it', () => {
    const on = rig({ inFlight: 1 });
    const failing = begin(on, 'a');
    ask(on, 'b');
    ask(on, 'c');
    failing.finish({ answered: true, httpStatus: 401 });
    expect(on.woken()).toEqual(['b', 'c']);
    expect([ask(on, 'b'), ask(on, 'c')]).toEqual(['circuit-open', 'circuit-open']);
    expect(on.woken()).toEqual([]);
  });

  it('holds back a call that was granted before it opened', () => {
    const on = rig();
    const failing = begin(on, 'a');
    const granted = on.limiter.tryStart(wish('b'));
    failing.finish({ answered: true, httpStatus: 401 });
    expect('start' in granted && granted.start.begin()).toBe(false);
    on.limiter.release('b');
    expect(on.woken()).toEqual(['b']);
    expect(ask(on, 'b')).toBe('circuit-open');
  });

  it('lets one probe at a time through', () => {
    const on = rig();
    call(on, 'a', 401);
    const probe = begin(on, 'a', { probe: true });
    expect(ask(on, 'b', { probe: true })).toBe('circuit-open');
    probe.finish({ answered: true, httpStatus: 401 });
    expect(ask(on, 'b', { probe: true })).toBe('start');
  });

  it.each([200, 404, 429, 500])(
    'opens when a probe is answered with %i, and wakes the others by slots',
    (httpStatus) => {
      const on = rig({ inFlight: 2 });
      call(on, 'a', 401);
      for (const key of ['b', 'c', 'd']) ask(on, key);
      const { pausedUntil } = call(on, 'a', httpStatus, { probe: true });
      expect(on.limiter.snapshot()).toMatchObject({ circuitOpen: 0, waiting: 3 });
      expect(on.woken()).toEqual(pausedUntil === undefined ? ['b', 'c'] : []);
    },
  );

  it('stays open when a probe gets no answer', () => {
    const on = rig();
    call(on, 'a', 401);
    begin(on, 'a', { probe: true }).finish({ answered: false });
    on.limiter.release('a');
    expect(ask(on, 'b')).toBe('circuit-open');
    expect(ask(on, 'b', { probe: true })).toBe('start');
  });

  it('is not closed by an answer to a call from before it opened', () => {
    const on = rig();
    const [first, second] = [begin(on, 'a'), begin(on, 'b')];
    first?.finish({ answered: true, httpStatus: 401 });
    second?.finish(OK);
    expect(ask(on, 'c')).toBe('circuit-open');
  });

  it('leaves a waiting prober its place when one more call from before it opened is answered with 401', async () => {
    const on = rig({ rate: { calls: 2, perMs: 10_000 } });
    const [first, second] = [begin(on, 'a'), begin(on, 'b')];
    first?.finish({ answered: true, httpStatus: 401 });
    expect(ask(on, 'c', { probe: true })).toBe('wait');
    second?.finish({ answered: true, httpStatus: 401 });
    expect(on.woken()).toEqual([]);
    await on.clock.advance(10_000);
    expect(on.woken()).toEqual(['c']);
    expect(ask(on, 'c')).toBe('start');
  });

  it('makes a probe wait for the pause and the rate like any call', async () => {
    const on = rig({ rate: { calls: 1, perMs: 10_000 } });
    call(on, 'a', 401);
    expect(ask(on, 'a', { probe: true })).toBe('wait');
    expect(ask(on, 'b', { probe: true })).toBe('circuit-open');
    await on.clock.advance(9_999);
    expect(on.woken()).toEqual([]);
    await on.clock.advance(1);
    expect(on.woken()).toEqual(['a']);
  });

  it('hands the probing to the next remembered key when nobody probes for longer than its wait', async () => {
    const on = rig();
    call(on, 'a', 401);
    for (const key of ['b', 'c']) ask(on, key);
    on.limiter.forget('a');
    await on.clock.advance(60_000);
    expect(on.woken()).toEqual(['b']);
    expect(ask(on, 'c', { probe: false })).toBe('circuit-open');
    call(on, 'b', 200);
    expect(on.woken()).toEqual(['c']);
  });

  it('hands it to the next at once when the key whose turn it is does not want to call', async () => {
    const on = rig();
    call(on, 'a', 401);
    for (const key of ['b', 'c']) ask(on, key);
    on.limiter.forget('a');
    await on.clock.advance(60_000);
    on.limiter.release('b');
    await on.clock.advance(0);
    expect(on.woken()).toEqual(['b', 'c']);
    expect(ask(on, 'c')).toBe('start');
  });

  it('lets a key whose own time came during a probe go next, before all that wait for their turn', async () => {
    const on = rig();
    call(on, 'a', 401);
    ask(on, 'b');
    const probe = begin(on, 'a', { probe: true });
    expect(ask(on, 'c', { probe: true })).toBe('circuit-open');
    probe.finish({ answered: true, httpStatus: 401 });
    await on.clock.advance(0);
    expect(on.woken()).toEqual(['c']);
    expect(ask(on, 'c')).toBe('start');
  });

  it('probes less and less often, down to one in 18 to 54 minutes', async () => {
    const on = rig();
    call(on, 'a', 401);
    ask(on, 'b');
    for (let n = 0; n < 10; n++) call(on, 'a', 401, { probe: true });
    on.limiter.forget('a');
    await on.clock.advance(18 * 60_000);
    expect(on.woken()).toEqual([]);
    await on.clock.advance(36 * 60_000);
    expect(on.woken()).toEqual(['b']);
  });

  it('frees a prober that ends its reconcile without asking', () => {
    const on = rig({ rate: { calls: 1, perMs: 10_000 } });
    call(on, 'a', 401);
    ask(on, 'a', { probe: true });
    on.limiter.release('a');
    expect(ask(on, 'b', { probe: true })).toBe('wait');
  });
});

describe('memory and figures', () => {
  it('forgets a credential that nobody has used for an hour, and no other', async () => {
    const on = rig();
    for (let n = 0; n < 50; n++) call(on, `k${n}`, 200, { credential: `c${n}` });
    call(on, 'refused', 401, { credential: 'bad' });
    await on.clock.advance(61 * 60_000);
    call(on, 'x', 200, { credential: 'new' });
    expect(on.limiter.snapshot()).toMatchObject({ credentials: 2, circuitOpen: 1 });
  });

  it('counts what is paused, held back, waiting and in flight', () => {
    const on = rig({ inFlight: 1 });
    call(on, 'a', 401, { credential: 'c2' });
    call(on, 'b', 429, { credential: 'c3' });
    begin(on, 'c');
    ask(on, 'd');
    expect(on.limiter.snapshot()).toEqual({
      credentials: 3,
      paused: 1,
      circuitOpen: 1,
      waiting: 1,
      inFlight: 1,
    });
  });

  it('tells how long a call waited', async () => {
    const waits: number[] = [];
    const on = rig({ inFlight: 1, onWait: (seconds) => waits.push(seconds) });
    const first = begin(on, 'a');
    ask(on, 'b');
    await on.clock.advance(2_500);
    first.finish(OK);
    begin(on, 'b');
    expect(waits).toEqual([0, 2.5]);
  });
});

describe('a process that stood still', () => {
  it('goes on with whom it owes a slot, whoever asks before its timer runs', async () => {
    const on = rig({ rate: { calls: 1, perMs: 10_000 } });
    call(on, 'refused', 401);
    expect(ask(on, 'refused', { probe: true })).toBe('wait');
    vi.spyOn(on.clock, 'monotonic').mockReturnValue(60_000);
    expect(ask(on, 'other')).toBe('circuit-open');
    expect(on.woken()).toContain('refused');
  });
});

describe('a refused key that somebody writes anew', () => {
  it('is probed by whoever asks first, and by nobody else', async () => {
    const on = rig();
    for (let n = 0; n < 8; n++) call(on, 'refused', 401, { probe: n > 0 });
    expect(ask(on, 'edited')).toBe('circuit-open');
    on.limiter.forget('edited');
    on.limiter.renew('c1');
    const probe = begin(on, 'refused');
    expect(ask(on, 'other')).toBe('circuit-open');
    probe.finish(OK);
    expect(on.woken()).toEqual(['other']);
    on.limiter.renew('never seen');
    expect(on.limiter.snapshot()).toMatchObject({ credentials: 1, circuitOpen: 0 });
  });

  it('waits as before where that probe is refused too', async () => {
    const on = rig();
    call(on, 'refused', 401);
    on.limiter.renew('c1');
    call(on, 'refused', 401);
    expect(ask(on, 'edited')).toBe('circuit-open');
    await on.clock.advance(60_000);
    expect(on.woken()).toEqual([]);
  });
});

describe('a process that leads again', () => {
  it('wakes who was to probe before its own time when the key works', async () => {
    const on = rig();
    for (const key of ['own', 'other']) call(on, key, 401, { probe: key === 'other' });
    ask(on, 'own');
    on.limiter.startOver();
    await on.clock.advance(0);
    expect(on.woken()).toEqual(['own']);
    on.limiter.release('own');
    expect(on.woken(), 'it is not woken again and again').toEqual([]);
    call(on, 'other', 200, { probe: true });
    expect(on.woken()).toEqual(['own']);
  });

  it('gives nobody a slot for having asked before, and wakes whoever waited for one', () => {
    const on = rig({ inFlight: 2 });
    call(on, 'refused', 401, { credential: 'c2' });
    const [first, second] = [begin(on, 'a'), begin(on, 'b', { target: 'shared' })];
    for (const key of ['c', 'd']) ask(on, key);
    ask(on, 'e', { credential: 'c3', target: 'shared' });
    first.finish(OK);
    expect(on.woken()).toEqual(['c']);
    on.limiter.startOver();
    expect(new Set(on.woken())).toEqual(new Set(['c', 'd', 'e']));
    expect(['c', 'd', 'e'].filter((key) => on.limiter.hasSlot(key))).toEqual([]);
    expect(on.limiter.snapshot()).toMatchObject({ waiting: 0, inFlight: 1, circuitOpen: 1 });
    expect([ask(on, 'd'), ask(on, 'c')]).toEqual(['start', 'start']);
    second.finish(OK);
    expect(on.woken()).toEqual([]);
  });

  it('lets one probe at once with a key that was refused, since it may have worked for another process', async () => {
    const on = rig();
    for (let n = 0; n < 8; n++) call(on, 'refused', 401, { probe: n > 0 });
    on.limiter.startOver();
    const probe = begin(on, 'edited');
    expect(ask(on, 'other')).toBe('circuit-open');
    probe.finish(OK);
    expect(on.woken()).toEqual(['refused', 'other']);
  });

  it('waits as before where that probe is refused too', async () => {
    const on = rig();
    call(on, 'refused', 401);
    ask(on, 'waiting');
    on.limiter.startOver();
    await on.clock.advance(0);
    expect(on.woken()).toEqual(['waiting']);
    call(on, 'waiting', 401);
    ask(on, 'edited');
    await on.clock.advance(60_000);
    expect(on.woken()).toEqual([]);
  });
});
