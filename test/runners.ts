/** The tests that run while a fault suite of their own would take minutes. */
const QUICK = 'test/faults/**/*.quick.test.ts';

export interface Runner {
  /** The script of package.json that runs them. */
  readonly script: string;
  readonly files: readonly string[];
}

/**
 * Which command runs which test files, by what they need: nothing; etcd, kube-apiserver and
 * kubectl; besides these, programs that take minutes to build. Every test file belongs to exactly
 * one, and `.ci/run` calls them all. The names are those of the projects of vitest.
 */
export const RUNNERS = {
  unit: { script: 'test', files: ['test/unit/**/*.test.ts'] },
  integration: { script: 'test', files: ['test/integration/**/*.test.ts', QUICK] },
  packaging: { script: 'test:packaging', files: ['test/packaging/**/*.test.ts'] },
  faults: { script: 'test:faults', files: ['test/faults/**/!(*.quick).test.ts'] },
  upgrade: { script: 'test:upgrade', files: ['test/upgrade/**/*.test.ts'] },
} as const satisfies Readonly<Record<string, Runner>>;

/** `npm run test:faults` by itself shows all that it has to say of a property. */
export const ALL_FAULTS = [...RUNNERS.faults.files, QUICK];
