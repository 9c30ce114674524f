/** One metric of an expression, and the labels by which it is selected. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Labels that the scraper adds. */
const OF_THE_SCRAPER = ['cluster', 'job', 'pod', 'instance'];

const WORDS = new Set(
  'absent and avg_over_time by bool count group group_left group_right histogram_quantile ignoring increase last_over_time max max_over_time min min_over_time offset on or rate sum time topk unless without'.split(
    ' ',
  ),
);

/**
 * The metrics of a PromQL expression; what is neither a metric nor a word that is known here counts
 * as a metric.
 */
export function selectorsIn(expr: string): Selector[] {
  const bare = expr
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|on|without|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
    .replaceAll(/\boffset\s+\w+/g, ' ');
  return [...bare.matchAll(/([a-zA-Z_:][\w:]*)\s*(?:\{([^}]*)\})?/g)]
    .map(([, metric = '', matchers = '']) => ({ metric, labels: labelsOf(matchers) }))
    .filter(({ metric }) => !WORDS.has(metric));
}

function labelsOf(matchers: string): string[] {
  const labels = [...matchers.matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)/g)].map(
    ([, label = '']) => label,
  );
  return labels.filter((label) => !OF_THE_SCRAPER.includes(label));
}
