import { basename } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take longer than their size tells: where nothing is known of an earlier run,
 * vitest begins with the largest file, and these would be what all others wait for.
 */
const LONG = [
  'operator-rest',
  'operator-outage',
  'policies-status',
  'guide-backup',
  'tenants',
  'cut-answers',
  'poison',
  'storm',
  'plugin-doctor',
  'guide-install',
  'guide-upgrade',
  'guide-tenancy',
  'guide-readme',
].map((name) => `${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.includes(basename(moduleId));
    return [...bySize.filter(isLong), ...bySize.filter((file) => !isLong(file))];
  }
}
