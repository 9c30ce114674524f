import { join } from 'node:path';
import { hunt } from '../simulation/hunt/pack.ts';

/**
 * Lives these lives one after the other in a copy of the project: what each breaks, by its seed.
 */
export async function liveIn(
  folder: string,
  seeds: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const left = seeds.values();
  const broken = new Map<number, readonly string[]>();
  await hunt({
    sources: join(folder, 'src'),
    workers: 1,
    next: () => {
      const { done, value } = left.next();
      return done ? undefined : { seed: value };
    },
    heard: (result) => {
      if ('failed' in result) throw new Error(`seed ${result.plot.seed}: ${result.failed}`);
      const { plot, violations } = result.played;
      broken.set(plot.seed, [...new Set(violations.map(({ rule }) => rule))]);
      return true;
    },
  });
  return broken;
}
