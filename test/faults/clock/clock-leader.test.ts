import { describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { expectClean } from '../leader/leader-end.ts';
import { openLeaderStage, openPair, timesSaid } from '../leader/leader-stage.ts';
import { HOUR_MS, jumpTo, movableWallClock } from './clock-move.ts';

/**
 * More than fit into the 15 s of a Lease: one that was judged by the wall clock would have changed
 * hands.
 */
const RENEWALS = 9;

describe.concurrent('R16: the leader keeps its Lease', () => {
  test.each([
    { whose: "the leader's", to: 'forward', leader: HOUR_MS, standby: 0 },
    { whose: "the leader's", to: 'back', leader: -HOUR_MS, standby: 0 },
    { whose: "the standby's", to: 'forward', leader: 0, standby: HOUR_MS },
    { whose: "the standby's", to: 'back', leader: 0, standby: -HOUR_MS },
  ])(
    'when $whose clock jumps an hour $to, and hands it over in peace',
    async ({ leader, standby }) => {
      const stage = await openLeaderStage({ logLevel: 'info' });
      try {
        const { a, b } = await openPair(stage, { preload: [movableWallClock()] });
        await stage.psets.create('one');
        await stage.psets.until('one', 'Applied', 60_000);
        await Promise.all([jumpTo(leader, a.operator), jumpTo(standby, b.operator)]);
        const renewed = stage.record.claims.length;
        await waitFor(() => stage.record.claims.length >= renewed + RENEWALS, {
          what: 'renewals',
          timeoutMs: 90_000,
        });
        expect(stage.record.claims.map(({ by }) => by)).not.toContain('b');
        expect(timesSaid(a, 'lost the leadership')).toBe(0);
        await stage.psets.create('one', { settings: { engine_max_threads: 16 } });
        await stage.psets.until('one', 'Applied', 60_000);
        expect(await a.operator.stop()).toBe(0);
        await stage.psets.create('two');
        for (const name of ['one', 'two'])
          expectClean(await stage.psets.until(name, 'Applied', 60_000));
        expect(['one', 'two'].map((name) => stage.puts(name).map(({ by }) => by))).toEqual([
          ['a', 'a'],
          ['b'],
        ]);
        expect(stage.record.breaches()).toEqual([]);
      } finally {
        await stage.end();
      }
    },
  );
});
