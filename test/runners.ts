export interface Runner {
  /** What npm runs: a script of package.json, and what it is given. */
  readonly npm: readonly [script: string, ...args: string[]];
  readonly files: readonly string[];
}

/**
 * Which command runs which test files, by what they need: nothing; etcd, kube-apiserver and
 * kubectl; besides these, programs that take minutes to build; or minutes. Every test file belongs
 * to exactly one, and `.ci/run` calls them all. The names are those of the projects of vitest.
 */
export const RUNNERS = {
  unit: { npm: ['test'], files: ['test/unit/**/*.test.ts'] },
  integration: { npm: ['test'], files: ['test/integration/**/*.test.ts'] },
  // What tests are written with holds no rule of the operator by itself.
  tools: { npm: ['test', '--project', 'tools'], files: ['test/tools/**/*.test.ts'] },
  planted: { npm: ['test', '--project', 'planted'], files: ['test/simulation/**/*.test.ts'] },
  packaging: { npm: ['test:packaging'], files: ['test/packaging/**/*.test.ts'] },
  faults: { npm: ['test:faults'], files: ['test/faults/**/*.test.ts'] },
  upgrade: { npm: ['test:upgrade'], files: ['test/upgrade/**/*.test.ts'] },
} as const satisfies Readonly<Record<string, Runner>>;

/** Take longer than their size tells: begun late, they are what all others wait for. */
export const LONG: readonly string[] = [
  'test/integration/operator-rest.test.ts',
  'test/integration/operator-outage.test.ts',
  'test/integration/policies-status.test.ts',
  'test/integration/guide-backup.test.ts',
  'test/faults/tenants/tenants.test.ts',
  'test/faults/crash/cut-answers.test.ts',
  'test/faults/load/poison.test.ts',
  'test/faults/storm/storm.test.ts',
  'test/packaging/guide-install.test.ts',
  'test/packaging/guide-tenancy.test.ts',
  'test/packaging/guide-readme.test.ts',
];
