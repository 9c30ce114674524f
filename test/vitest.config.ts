import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import type { Reporter } from 'vitest/node';

interface Project {
  readonly name: string;
  readonly files: string;
  /** Of one test; most of it is patience with a busy machine. */
  readonly minutes: number;
  /** Files at once. Those of a control plane mostly wait for other processes. */
  readonly atOnce: number;
  /** Run on one kube-apiserver that they share. */
  readonly isOnControlPlane?: true;
}

const tables = { minutes: 1, atOnce: 2 };
const onControlPlane = { minutes: 2, atOnce: 5, isOnControlPlane: true } as const;

const PROJECTS: readonly Project[] = [
  { name: 'tables', files: 'test/tables/**/*.test.ts', ...tables },
  { name: 'cluster', files: 'test/cluster/**/*.test.ts', ...onControlPlane },
  { name: 'packaging', files: 'test/packaging/**/*.test.ts', ...onControlPlane, atOnce: 4 },
  { name: 'planted', files: 'test/simulation/**/*.test.ts', minutes: 10, atOnce: 1 },
];

function projectOf(project: Project, order: number): TestProjectInlineConfiguration {
  const { name, files, minutes, atOnce, isOnControlPlane } = project;
  const drawsAlike = process.env.MUTATION_REPORT !== undefined;
  return {
    test: {
      name,
      include: [files],
      globalSetup: isOnControlPlane ? ['test/controlplane/global-setup.ts'] : [],
      setupFiles: drawsAlike ? ['test/mutation/same-draws.ts'] : [],
      testTimeout: minutes * 60_000,
      hookTimeout: 300_000,
      maxWorkers: atOnce,
      // Projects run one after another.
      sequence: { groupOrder: order },
    },
  };
}

/** vitest is content with a name that fits no test. */
const somethingRan: Reporter = {
  onTestRunEnd(modules) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    if (tests.length === 0 || tests.some((test) => test.result().state !== 'skipped')) return;
    console.error('FAIL  no test has been run: none has this name');
    process.exitCode = 1;
  },
};

const USUAL = process.env['GITHUB_ACTIONS'] ? ['default', 'github-actions'] : ['default'];

export default defineConfig({
  test: { projects: PROJECTS.map(projectOf), reporters: [...USUAL, somethingRan] },
});
