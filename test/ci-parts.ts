import { RUNNERS, type Runner } from './runners.ts';
import type { Budget } from './timetable.ts';

export interface Part {
  readonly npm: Runner['npm'];
  /** Its share of the budget. */
  readonly budget: Budget;
}

/** Two rows of parts that run at once, each one after the other. */
export interface Stage {
  readonly parts: readonly Part[];
  /** Behind `parts` in priority: what waits for nothing but a processor, however late. */
  readonly behind?: readonly Part[];
}

/** Minutes for all of it on two cores. */
export const BUDGET: Budget = { warm: 30, fresh: 60 };

/** What must pass before anything lands, the quickest answers first. */
export const STAGES: readonly Stage[] = [
  { parts: [{ npm: ['check'], budget: { warm: 0.5, fresh: 1 } }] },
  { parts: [{ npm: RUNNERS.unit.npm, budget: { warm: 5, fresh: 12 } }] },
  { parts: [{ npm: RUNNERS.packaging.npm, budget: { warm: 4, fresh: 18 } }] },
  { parts: [{ npm: RUNNERS.planted.npm, budget: { warm: 1, fresh: 1.5 } }] },
  {
    // These mostly wait.
    parts: [
      { npm: ['test:argocd'], budget: { warm: 1.5, fresh: 2 } },
      { npm: ['demo', '--once'], budget: { warm: 0.5, fresh: 0.5 } },
    ],
    // What a life sees broken is among the planted faults, which have just been lived.
    behind: [{ npm: ['mutate', '--unit'], budget: { warm: 5.5, fresh: 6 } }],
  },
  {
    parts: [{ npm: RUNNERS.faults.npm, budget: { warm: 9, fresh: 9 } }],
    behind: [
      {
        npm: ['hunt', '--from', '1', '--lives', '8900', '--seconds', '180'],
        budget: { warm: 3.5, fresh: 3.5 },
      },
    ],
  },
  {
    parts: [{ npm: RUNNERS.upgrade.npm, budget: { warm: 5, fresh: 9.5 } }],
    behind: [
      { npm: RUNNERS.tools.npm, budget: { warm: 2.5, fresh: 4 } },
      { npm: ['hunt', '--scope', '7'], budget: { warm: 2.5, fresh: 5.5 } },
    ],
  },
];

export const PARTS = STAGES.flatMap(({ parts, behind = [] }) => [...parts, ...behind]);

/** What this command may take, alone as in `.ci/run`. Throws RangeError where that has no part with it. */
export function budgetOf({ npm }: Runner): Budget {
  const part = PARTS.find((one) => one.npm === npm);
  if (!part) throw new RangeError(`.ci/run has no part that is npm run ${npm.join(' ')}`);
  return part.budget;
}
