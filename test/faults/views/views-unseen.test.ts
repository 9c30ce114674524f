import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStage, type Stage } from '../stage.ts';
import { createView } from './views.ts';
import { crowd } from './views-crowd.ts';
import { wished } from './views-subjects.ts';
import { runUnseen, type Seen, UNSEEN, UNSEEN_SHARD, type Unseen } from './views-unseen.ts';

describe.each([
  { shard: '', flags: ['--api-timeout', '2s'], cases: UNSEEN },
  {
    shard: ' with --selector',
    flags: ['--selector', 'shard=a', '--api-timeout', '2s'],
    cases: UNSEEN_SHARD,
  },
])('R5: one event is not seen$shard', ({ flags, cases }) => {
  let stage: Stage;
  let seen: (one: Unseen) => Promise<Seen>;
  beforeAll(async () => {
    const view = createView();
    stage = await openStage({ kube: view.handlers, flags });
    await stage.start();
    seen = crowd(cases, { atOnce: 20, run: (one) => runUnseen(stage, view, one) });
  });
  afterAll(() => stage.end());

  test.each(cases)('$sort, $pace: $acts, without event $after', async (one) => {
    const { hidden, outcome, calls } = await seen(one);
    expect(hidden).toBe(1);
    const wish = Number(one.acts.findLast((act) => /^(make|change)/.test(act))?.split(' ')[1]);
    expect(outcome.remote).toMatchObject(wished(one.sort, wish));
    expect(calls.length).toBeGreaterThan(0);
  });
});
