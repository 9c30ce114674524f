import { hunt } from './pack.ts';
import type { Plot } from './plot.ts';
import { Tally } from './tally.ts';

export interface SearchOptions {
  readonly sources: string;
  /** The lives to live, one after the other. */
  readonly plots: Iterator<Plot>;
  /** No new life after so long. */
  readonly seconds: number;
  /** Only breaches whose names begin so, and expected ones too. */
  readonly only?: string;
  /** Told where the hunt is every so often. */
  readonly progress?: (line: string) => void;
}

/** A breach that ends a hunt: of the first life that has one, by the order of seeds. */
export interface Found {
  readonly plot: Plot;
  readonly rule: string;
}

export interface Searched {
  readonly tally: Tally;
  readonly found: Found | undefined;
  /** Ctrl-C ended it. */
  readonly interrupted: boolean;
  /** Why a life could not be lived at all. */
  readonly failed: string | undefined;
}

const PROGRESS_MS = 10_000;

/**
 * Lives one life after another until one breaks what nobody expects to break. Ctrl-C ends it as if
 * there were no more.
 */
export async function search({
  sources,
  plots,
  seconds,
  only,
  progress,
}: SearchOptions): Promise<Searched> {
  const tally = new Tally();
  const until = performance.now() + seconds * 1_000;
  const isNews = (rule: string): boolean => only === undefined || rule.startsWith(only);
  let found: Found | undefined;
  let failed: { readonly seed: number; readonly why: string } | undefined;
  let isOver = false;
  const interrupted = (): void => {
    isOver = true;
  };
  process.once('SIGINT', interrupted);
  const timer = setInterval(() => progress?.(tally.line()), PROGRESS_MS);
  await hunt({
    sources,
    next: () => {
      if (isOver || performance.now() > until) return undefined;
      const next = plots.next();
      return next.done ? undefined : next.value;
    },
    heard: (result) => {
      if ('failed' in result) {
        const { seed } = result.plot;
        if (failed === undefined || seed < failed.seed) failed = { seed, why: result.failed };
        return false;
      }
      const { played } = result;
      tally.add(played);
      const rule = played.violations.find((violation) => isNews(violation.rule))?.rule;
      const isFirst = found === undefined || played.plot.seed < found.plot.seed;
      if (rule !== undefined && isFirst) found = { plot: played.plot, rule };
      return found === undefined;
    },
  }).finally(() => {
    clearInterval(timer);
    process.off('SIGINT', interrupted);
  });
  const why = failed && `the life of seed ${failed.seed} could not be lived: ${failed.why}`;
  return { tally, found, failed: why, interrupted: isOver };
}
