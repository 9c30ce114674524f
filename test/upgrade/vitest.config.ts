import { defineConfig } from 'vitest/config';

/**
 * What depends on the Kubernetes below: the CRDs, the policies, the ways to it, and the lives of
 * objects and process.
 */
const FLOOR = [
  'crd-*',
  'kube-*',
  'pipe-settings-life',
  'organization-life*',
  'activity',
  'operator-process',
  'policies-*',
];

const newest = ['test/controlplane/global-setup.ts'];
const oldest = ['test/controlplane/global-setup-floor.ts'];

/** Each roll has a cluster's CRDs to itself, to put older ones in their place. */
const rolls = [
  { name: 'upgrade', globalSetup: newest },
  { name: 'upgrade-floor', globalSetup: oldest },
].map((project) => ({
  test: {
    ...project,
    include: ['test/upgrade/**/*.test.ts'],
    maxWorkers: 2,
    sequence: { groupOrder: 0 },
  },
}));

export default defineConfig({
  test: {
    projects: [
      ...rolls,
      {
        test: {
          name: 'floor',
          include: FLOOR.map((name) => `test/integration/${name}.test.ts`),
          globalSetup: oldest,
          testTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
          hookTimeout: 120_000,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
