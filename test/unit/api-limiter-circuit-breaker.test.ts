import { describe, expect, it } from 'vitest';
import { ask, begin, call, OK, rig, wish } from '../support/limiter-rig.ts';

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

  it.each([200, 400, 403, 404])(
    'is over when a probe is answered with %i, and wakes the others by slots',
    (httpStatus) => {
      const on = rig({ inFlight: 2 });
      call(on, 'a', 401);
      for (const key of ['b', 'c', 'd']) ask(on, key);
      call(on, 'a', httpStatus, { probe: true });
      expect(on.limiter.snapshot()).toMatchObject({ circuitOpen: 0, waiting: 3 });
      expect(on.woken()).toEqual(['b', 'c']);
    },
  );

  it.each([302, 408, 429, 500, 503])(
    'stays as it is when a probe is answered with %i, which says nothing of the key',
    async (httpStatus) => {
      const on = rig();
      call(on, 'a', 401);
      for (const key of ['b', 'c']) ask(on, key);
      call(on, 'a', httpStatus, { probe: true });
      expect(on.limiter.snapshot()).toMatchObject({ circuitOpen: 1, waiting: 0 });
      expect(on.woken()).toEqual([]);
      await on.clock.advance(60_000);
      expect(on.woken()).toEqual(['b']);
      call(on, 'b', 200);
      expect(on.woken()).toEqual(['c']);
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
