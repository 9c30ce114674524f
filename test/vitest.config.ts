import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longest-first.ts';
import { FILES } from './runners.ts';

/**
 * All but `unit` and `planted` run on a real kube-apiserver that the global setup of each project
 * starts once.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [FILES.unit],
          setupFiles: process.env.MUTATION_REPORT ? ['test/mutation/same-draws.ts'] : [],
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'tables',
          include: [FILES.tables],
          setupFiles: process.env.MUTATION_REPORT ? ['test/mutation/same-draws.ts'] : [],
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'cluster',
          include: [FILES.cluster],
          globalSetup: ['test/controlplane/global-setup.ts'],
          testTimeout: 120_000,
          expect: { poll: { timeout: 20_000 } },
          hookTimeout: 120_000,
          // Files mostly wait for other processes, so more of them than there are cores.
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'planted',
          include: [FILES.planted],
          testTimeout: 600_000,
          // Each lives in a process of its own.
          maxConcurrency: 2,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: 'integration',
          include: [FILES.integration],
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
          name: 'packaging',
          include: [FILES.packaging],
          globalSetup: ['test/controlplane/global-setup.ts'],
          testTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
          hookTimeout: 120_000,
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
