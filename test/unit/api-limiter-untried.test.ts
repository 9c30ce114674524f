import { describe, expect, it } from 'vitest';
import type { CallWish } from '../../src/api/limiter/contract.ts';
import { ask, begin, call, OK, type Rig, rig } from '../support/limiter-rig.ts';

const RATE = { calls: 2, perMs: 10_000 };

/** Of a credential that nobody knows to work, whose only key has the same name. */
function untried(name: string, tenant = name): Partial<CallWish> {
  return { credential: name, tenant, isProven: false };
}

/** Lets whoever is woken make its call, until the time is over; returns who did. */
async function serve(on: Rig, seconds: number, of: (key: string) => Partial<CallWish>) {
  const served: string[] = [];
  for (let second = 0; second <= seconds; second++) {
    for (let keys = on.woken(); keys.length > 0; keys = on.woken()) {
      for (const key of keys) call(on, key, 401, of(key));
      served.push(...keys);
    }
    await on.clock.advance(1_000);
  }
  return served;
}

describe('keys that have never worked', () => {
  it('share one rate, and nothing else', async () => {
    const on = rig({ rate: RATE });
    for (const bogus of ['b0', 'b1']) call(on, bogus, 401, untried(bogus));
    expect(ask(on, 'new', untried('new'))).toBe('wait');
    expect(ask(on, 'old', { credential: 'works' })).toBe('start');
    await on.clock.advance(10_000);
    expect(on.woken()).toEqual(['new']);
    expect(ask(on, 'new', untried('new'))).toBe('start');
  });

  it.each([400, 403, 404, 429, 500, 204])('are not proven by an answer with %i', (httpStatus) => {
    const on = rig({ rate: RATE });
    call(on, 'a', httpStatus, untried('a'));
    call(on, 'b', 200, untried('b'));
    expect(ask(on, 'c', untried('c'))).toBe('wait');
    expect(ask(on, 'd', { ...untried('a'), tenant: 'd' })).toBe('wait');
  });

  it('have a rate of their own once a call was answered with 200', () => {
    const on = rig({ rate: RATE });
    call(on, 'a', 200, untried('a'));
    call(on, 'bogus', 401, untried('bogus'));
    expect(ask(on, 'new', untried('new'))).toBe('wait');
    call(on, 'b', 401, untried('a'));
    expect(ask(on, 'c', untried('a'))).toBe('circuit-open');
  });

  it('are believed by whoever has a record, also for others without one', () => {
    const on = rig({ rate: RATE });
    for (const bogus of ['b0', 'b1']) call(on, bogus, 401, untried(bogus));
    expect(ask(on, 'a', untried('key'))).toBe('wait');
    expect(ask(on, 'b', { ...untried('key'), isProven: true })).toBe('start');
    expect(on.woken()).toEqual(['a']);
  });

  it('take turns by tenant, whoever has come first and however many keys it has', async () => {
    const on = rig({ rate: RATE });
    const of = (key: string) => untried(key, key.slice(0, 1));
    for (const key of ['m0', 'm1']) call(on, key, 401, of(key));
    for (let n = 2; n < 40; n++) ask(on, `m${n}`, of(`m${n}`));
    for (const key of ['x0', 'y0', 'y1']) ask(on, key, of(key));
    const served = await serve(on, 30, of);
    expect(served).toEqual(['m2', 'x0', 'y0', 'm3', 'y1', 'm4']);
  });

  it('give a slot back that is not used, to the next tenant', () => {
    const on = rig({ rate: { calls: 1, perMs: 10_000 } });
    const permit = on.limiter.tryStart({
      ...untried('a'),
      key: 'a',
      target: 'a',
      lane: 'user',
    } as CallWish);
    ask(on, 'b', untried('b'));
    ask(on, 'c', untried('c'));
    expect(on.woken()).toEqual([]);
    if ('start' in permit) permit.start.finish();
    expect(on.woken()).toEqual(['b']);
    on.limiter.forget('b');
    expect(on.woken()).toEqual(['c']);
  });

  it('wait in one line with one timer, and leave nothing behind', () => {
    const on = rig({ rate: RATE });
    for (let n = 0; n < 500; n++) {
      const key = `k${n}`;
      if (n < 2) call(on, key, 401, untried(key));
      else ask(on, key, untried(key));
    }
    expect(on.clock.pending).toBeLessThanOrEqual(1);
    on.limiter.close();
    expect(on.clock.pending).toBe(0);
  });

  it('are not remembered at all where they never had a turn, however fast they are made up', async () => {
    const on = rig({ rate: { calls: 1, perMs: 3_600_000 } });
    call(on, 'first', 401, untried('first'));
    for (let n = 0; n < 5_000; n++) ask(on, 'flips', { ...untried(`version-${n}`), tenant: 'one' });
    expect(on.limiter.snapshot().credentials).toBeLessThan(3);
    await on.clock.advance(3_600_000);
    expect(on.woken()).toContain('flips');
  });

  it('are remembered for a minute when nobody asks with them any more', async () => {
    const on = rig({ rate: { calls: 0, perMs: 1_000 } });
    // One object whose Secret changes all the time.
    for (let n = 0; n < 500; n++) {
      call(on, 'flips', 401, { ...untried(`version-${n}`), tenant: 'one' });
      await on.clock.advance(1_000);
    }
    expect(on.limiter.snapshot().credentials).toBeLessThan(150);
  });
});

describe('the rate of the whole process', () => {
  it('counts every call, whatever its key', async () => {
    const on = rig({ rateTotal: RATE });
    call(on, 'a', 200, { credential: 'a' });
    call(on, 'b', 401, untried('b'));
    expect(ask(on, 'c', { credential: 'c' })).toBe('wait');
    await on.clock.advance(9_999);
    expect(on.woken()).toEqual([]);
    await on.clock.advance(1);
    expect(on.woken()).toEqual(['c']);
  });

  it('is shared by tenants in turn, users ahead, and half of it by the untried keys', async () => {
    const on = rig({ rateTotal: { calls: 1, perMs: 1_000 } });
    const of = (key: string): Partial<CallWish> => ({
      credential: key,
      tenant: key.slice(0, 1),
      isProven: !key.startsWith('u'),
      lane: key.startsWith('s') ? 'scheduled' : 'user',
    });
    const blocker = begin(on, 'blocker');
    for (const key of ['a1', 'a2', 'a3', 's1', 'b1', 'u1', 'u2']) ask(on, key, of(key));
    blocker.finish(OK);
    expect(await serve(on, 10, of)).toEqual(['u1', 'a1', 'u2', 'b1', 'a2', 'a3', 's1']);
  });
});
