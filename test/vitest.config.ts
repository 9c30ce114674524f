import { defineConfig } from 'vitest/config';

/**
 * `unit` needs nothing; `integration` runs on a real kube-apiserver that its global setup starts
 * once, and so does `faults`, whose quick part runs with `integration`.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts', 'test/faults/**/*.quick.test.ts'],
          globalSetup: ['test/controlplane/global-setup.ts'],
          testTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
          hookTimeout: 120_000,
          // Files mostly wait for other processes, so more of them than there are cores.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          globalSetup: ['test/controlplane/global-setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
