import { describe, expect, it, vi } from 'vitest';
import { ask, begin, call, OK, type Rig, rig, wish } from '../support/limiter-rig.ts';

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

describe('memory and figures', () => {
  it('forgets a credential that nobody has used for an hour, and no other', async () => {
    const on = rig();
    for (let n = 0; n < 50; n++) call(on, `k${n}`, 200, { credential: `c${n}` });
    call(on, 'refused', 401, { credential: 'bad' });
    await on.clock.advance(61 * 60_000);
    call(on, 'x', 200, { credential: 'new' });
    expect(on.limiter.snapshot()).toMatchObject({ credentials: 2, circuitOpen: 1 });
  });

  it('keeps a credential for as long as its calls count', async () => {
    const on = rig({ rate: { calls: 1, perMs: 24 * 3_600_000 } });
    const { finish } = begin(on, 'a');
    await on.clock.advance(30_000);
    finish(OK);
    await on.clock.advance(24 * 3_600_000 - 1);
    expect(ask(on, 'b')).toBe('wait');
    await on.clock.advance(1);
    expect(on.woken()).toEqual(['b']);
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
