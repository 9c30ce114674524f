import { describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { expectClean } from './leader-end.ts';
import { openLeaderStage, openPair } from './leader-stage.ts';

describe('R11: a leader', () => {
  test('that is stopped hands over at the next look of the other, and each change is acted on by one of the two', async () => {
    const stage = await openLeaderStage({ logLevel: 'info' });
    try {
      const { a } = await openPair(stage);
      await stage.psets.create('one');
      await stage.psets.until('one', 'Applied');
      expect(await a.operator.stop()).toBe(0);
      await stage.psets.create('two');
      for (const name of ['one', 'two'])
        expectClean(await stage.psets.until(name, 'Applied', 60_000));
      const released = await waitFor(
        () => stage.record.claims.find(({ by, holder }) => by === 'a' && holder === ''),
        {
          what: 'the Lease to be given back',
        },
      );
      expect(
        (stage.record.takeoverBy('b') ?? Number.NaN) - (released?.at ?? 0),
      ).toBeLessThanOrEqual(3_000);
      expect(['one', 'two'].map((name) => stage.puts(name).map(({ by }) => by))).toEqual([
        ['a'],
        ['b'],
      ]);
      expect(stage.record.breaches()).toEqual([]);
    } finally {
      await stage.end();
    }
  });
});
