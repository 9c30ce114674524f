import type { Violation } from '../oracles/court.ts';
import { livePack } from './pack.ts';
import type { Plot } from './plot.ts';

/** A life that breaks something, and what. */
export interface Found {
  readonly plot: Plot;
  readonly violations: readonly Violation[];
}

export interface Searched {
  readonly lives: number;
  readonly found: readonly Found[];
  /** Why a life could not be lived at all. */
  readonly failed: string | undefined;
}

interface SearchOptions {
  readonly sources: string;
  readonly plots: Iterator<Plot>;
  readonly seconds: number;
  /** The first breach ends it. */
  readonly isFirstEnough?: true;
}

/** Lives one life after another, on every core. Ctrl-C ends it as if there were no more. */
export async function search(options: SearchOptions): Promise<Searched> {
  const { sources, plots, seconds, isFirstEnough = false } = options;
  const until = performance.now() + seconds * 1_000;
  const found: Found[] = [];
  let lives = 0;
  let failed: string | undefined;
  let isOver = false;
  const interrupted = (): void => {
    isOver = true;
  };
  process.once('SIGINT', interrupted);
  await livePack({
    sources,
    next: () => {
      if (isOver || performance.now() > until) return undefined;
      const next = plots.next();
      return next.done ? undefined : next.value;
    },
    heard: (result) => {
      if ('failed' in result) {
        failed ??= result.failed;
        return false;
      }
      lives += 1;
      const { plot, violations } = result.played;
      if (violations.length > 0) found.push({ plot, violations });
      return !(isFirstEnough && found.length > 0);
    },
  }).finally(() => process.off('SIGINT', interrupted));
  return { lives, found, failed };
}
