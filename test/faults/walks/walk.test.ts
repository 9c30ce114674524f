import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { organization } from './walk-organization.ts';
import { goWalk } from './walk-play.ts';
import { pipeSettings } from './walk-settings.ts';
import { openWorld, type Walker, type World } from './walk-world.ts';

interface Tour {
  readonly of: string;
  readonly walker: Walker;
  readonly as: 'bundle' | 'inner';
  readonly from: number;
  readonly count: number;
}

const TOURS: readonly Tour[] = [
  { of: 'PipeSettings', walker: pipeSettings, as: 'inner', from: 1, count: 48 },
  { of: 'Organization', walker: organization, as: 'inner', from: 101, count: 28 },
  {
    of: 'PipeSettings and a bundle that is killed',
    walker: pipeSettings,
    as: 'bundle',
    from: 201,
    count: 12,
  },
];

describe.concurrent.each(TOURS)(
  'R7: where a walk of $of ends depends on the last spec alone',
  ({ walker, as, from, count }) => {
    let world: World;
    beforeAll(async () => {
      world = await openWorld(walker, as);
    });
    afterAll(() => world.end());

    const seeds = Array.from({ length: count }, (_, index) => from + index);
    test.concurrent.each(seeds)('seed %i', async (seed) => {
      const { walked, anew, story, wanted = walked.held } = await goWalk(world, walker, seed);
      expect(walked.held, story).toEqual(wanted);
      expect(walked, story).toEqual(anew);
    });
  },
);
