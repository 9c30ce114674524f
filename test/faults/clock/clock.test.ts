import { beforeAll, describe, expect, test } from 'vitest';
import type { RunningOperator } from '../../support/operator.ts';
import type { Stage } from '../stage.ts';
import { HOUR_MS, jumpTo, movableWallClock } from './clock-move.ts';
import { FAILING } from './clock-rows.ts';
import {
  ASSERTING,
  countsOf,
  expectWithinReach,
  mend,
  openClockStage,
  populate,
  RESTING,
  untilAllApplied,
  visitAll,
} from './clock-scene.ts';

/**
 * One for the jump, and those whose own time came meanwhile: the shortest wait is 10 s, and a
 * machine may be slow.
 */
const MOST_CALLS = 4;
/** Past the longest wait of every class. */
const PAST_ALL_MS = 8 * HOUR_MS;

interface Row {
  readonly to: 'forward' | 'back';
  readonly when: 'runs' | 'is down';
}

const ROWS: readonly Row[] = [
  { to: 'forward', when: 'runs' },
  { to: 'back', when: 'runs' },
  { to: 'forward', when: 'is down' },
  { to: 'back', when: 'is down' },
];

async function moved(
  stage: Stage,
  operator: RunningOperator,
  aheadMs: number,
  { when }: Row,
): Promise<RunningOperator> {
  if (when === 'runs') {
    await jumpTo(aheadMs, operator);
    return operator;
  }
  await operator.kill();
  return stage.start({ preload: [movableWallClock(aheadMs)] });
}

/**
 * What a jump makes of calls: none for what is at rest, few for what waits, the one that is due.
 */
async function expectNoStorm(
  stage: Stage,
  act: () => Promise<void>,
  asserts: number,
): Promise<void> {
  const before = countsOf(stage);
  await act();
  const after = countsOf(stage);
  const made = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  expect(RESTING.map(made)).toEqual(RESTING.map(() => 0));
  expect(made(ASSERTING)).toBe(asserts);
  for (const { name } of FAILING) expect([name, made(name) <= MOST_CALLS]).toEqual([name, true]);
}

async function play(stage: Stage, row: Row): Promise<void> {
  let operator = await stage.start({ preload: [movableWallClock()] });
  await populate(stage);
  const jump = async (aheadMs: number): Promise<void> => {
    operator = await moved(stage, operator, aheadMs, row);
    await visitAll(stage);
  };
  const jumpAndBeInReach = async (aheadMs: number): Promise<void> => {
    await jump(aheadMs);
    await expectWithinReach(stage, aheadMs);
  };
  const isForward = row.to === 'forward';
  await expectNoStorm(
    stage,
    () => jumpAndBeInReach(isForward ? HOUR_MS : -HOUR_MS),
    isForward ? 1 : 0,
  );
  // And the clock is put right again: a jump the other way.
  await expectNoStorm(stage, () => jumpAndBeInReach(0), isForward ? 0 : 1);
  await mend(stage);
  await expectNoStorm(stage, () => jump(PAST_ALL_MS).then(() => untilAllApplied(stage)), 1);
}

async function run(row: Row): Promise<void> {
  const stage = await openClockStage();
  try {
    await play(stage, row);
  } finally {
    await stage.end();
  }
}

describe('R16: the clock jumps an hour', () => {
  const runs = new Map<Row, Promise<void>>();
  beforeAll(() => {
    for (const row of ROWS) runs.set(row, run(row));
    void Promise.allSettled(runs.values());
  });

  test.each(ROWS)(
    '$to, and then the other way, while the operator $when: no storm, and no attempt out of reach',
    async (row) => {
      await expect(runs.get(row)).resolves.toBeUndefined();
    },
  );
});
