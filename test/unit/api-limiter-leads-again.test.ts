import { describe, expect, it } from 'vitest';
import { ask, begin, call, OK, rig } from '../support/limiter-rig.ts';

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
