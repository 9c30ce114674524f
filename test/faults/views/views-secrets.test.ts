import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStage, type Stage } from '../stage.ts';
import { createView } from './views.ts';
import { crowd } from './views-crowd.ts';
import { runSecretCase, SECRET_CASES } from './views-secrets.ts';

const view = createView();
let stage: Stage;
const resultOf = crowd(SECRET_CASES, { atOnce: 20, run: (one) => runSecretCase(stage, view, one) });

describe('R5: one event of a Secret is not seen', () => {
  beforeAll(async () => {
    stage = await openStage({ kube: view.handlers });
    await stage.start();
  });
  afterAll(() => stage.end());

  test.each(SECRET_CASES)('$acts, $pace, without event $after', async (one) => {
    const { hidden, right, used } = await resultOf(one);
    expect(hidden).toBe(1);
    expect(used, 'the last call came with the last key').toBe(right);
  });
});
