import type { Budget } from './timetable.ts';

export interface Part {
  /** What npm runs: a script of package.json, and what it is given. */
  readonly npm: readonly [script: string, ...args: string[]];
  /** Its share of the budget. */
  readonly budget: Budget;
}

/** Minutes for all of it on two cores. */
export const BUDGET: Budget = { warm: 30, fresh: 60 };

/** What must pass before anything lands, the quickest answers first. */
export const PARTS: readonly Part[] = [
  { npm: ['check'], budget: { warm: 0.5, fresh: 1 } },
  { npm: ['test'], budget: { warm: 5, fresh: 12 } },
  { npm: ['test:packaging'], budget: { warm: 2, fresh: 12 } },
  {
    npm: ['hunt', '--from', '1', '--lives', '8900', '--seconds', '300'],
    budget: { warm: 5.5, fresh: 5.5 },
  },
  { npm: ['hunt', '--scope', '7'], budget: { warm: 2, fresh: 2 } },
  // Those files that `npm test` has run are not run again.
  {
    npm: ['test:faults', '--exclude', '**/*.quick.test.ts'],
    budget: { warm: 7, fresh: 7 },
  },
  { npm: ['test:gitops'], budget: { warm: 3, fresh: 9.5 } },
  { npm: ['test:upgrade'], budget: { warm: 4, fresh: 9 } },
  { npm: ['bench', '--quick'], budget: { warm: 1, fresh: 1 } },
];
