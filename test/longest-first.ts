import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG } from './runners.ts';

/** What vitest goes by, where nothing is known of an earlier run, is the size of a file. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean =>
      LONG.some((file) => moduleId.endsWith(`/${file}`));
    return [...bySize.filter(isLong), ...bySize.filter((file) => !isLong(file))];
  }
}
