/** Two rows of parts that run at once, each one after the other; a part is what npm runs. */
export interface Stage {
  readonly parts: readonly (readonly string[])[];
  /** Behind `parts` in priority: what waits for nothing but a processor, however late. */
  readonly behind?: readonly (readonly string[])[];
}

/** What must pass before anything lands, the quickest answers first. */
export const STAGES: readonly Stage[] = [
  { parts: [['check']] },
  { parts: [['test']] },
  {
    // These mostly wait: for programs, for quiet minutes, and for the audience of the demo.
    parts: [['test:packaging'], ['test:argocd'], ['demo', '--once']],
    behind: [['test', '--project', 'planted'], ['mutate']],
  },
  {
    parts: [
      ['hunt', '--sweep'],
      ['hunt', '--from', '1501', '--lives', '6000', '--seconds', '150'],
    ],
  },
];
