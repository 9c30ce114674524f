import { SOURCES } from './options.ts';
import { hunt } from './pack.ts';
import type { Played } from './play.ts';
import type { Plot } from './plot.ts';
import type { Result } from './worker.ts';

export const nameOf = ({ seed, depth, isTenants }: Plot): string =>
  `${seed} of ${isTenants ? 'two tenants' : (depth ?? 'seeds')}`;

/** Lives these lives, and gives what each came to. */
export async function livesOf(
  plots: readonly Plot[],
  sources = SOURCES,
): Promise<Map<string, Played>> {
  const left = plots.values();
  const lives = new Map<string, Played>();
  await hunt({
    sources,
    next: () => left.next().value,
    heard: (result: Result) => {
      if ('failed' in result) throw new Error(`seed ${result.plot.seed}: ${result.failed}`);
      lives.set(nameOf(result.played.plot), result.played);
      return true;
    },
  });
  return lives;
}

export const rulesOf = (played: Played | undefined): string[] =>
  played?.violations.map(({ rule }) => rule) ?? [];
