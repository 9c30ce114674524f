import { expect, test } from 'vitest';
import { HOUR_MS, jumpTo, movableWallClock } from './clock-move.ts';
import {
  countsOf,
  expectWithinReach,
  openClockStage,
  populate,
  RESTING,
  visitAll,
} from './clock-scene.ts';

test('R16: the clock jumps an hour back and forward: what is at rest stays at rest, and no attempt is out of reach', async () => {
  const stage = await openClockStage();
  try {
    const operator = await stage.start({ preload: [movableWallClock()] });
    await populate(stage);
    for (const aheadMs of [-HOUR_MS, HOUR_MS]) {
      await jumpTo(aheadMs, operator);
      await visitAll(stage);
      await expectWithinReach(stage, aheadMs);
    }
    expect(RESTING.map((name) => countsOf(stage).get(name))).toEqual(RESTING.map(() => 1));
  } finally {
    await stage.end();
  }
});
