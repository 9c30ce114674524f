/**
 * A registry of metrics and its page. prom-client would do the same and keep a map of labels for
 * each series, which costs 20 MB with ten thousand of them. Here the figures about objects are read
 * off the store when somebody scrapes.
 */

/** One value of every label of a metric. */
type Labels<Name extends string> = Readonly<Record<Name, string>>;

interface Counter<Name extends string> {
  /**
   * Adds `by` (default 1, never negative). Every distinct set of labels is kept for ever: only for
   * labels of few values.
   */
  inc(labels: Labels<Name>, by?: number): void;
}

interface Histogram<Name extends string> {
  /** Takes the unit of the metric's name: seconds, not milliseconds. */
  observe(labels: Labels<Name>, value: number): void;
}

/** A metric without a memory of its own: its series are asked for when somebody scrapes. */
interface Collected<Name extends string> {
  /**
   * Adds a source of series. Two sources must never yield the same labels: a scraper refuses the
   * whole page.
   */
  from(source: () => Iterable<readonly [Labels<Name>, number]>): void;
}

interface Description<Name extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Name[];
}

export interface Registry {
  counter<Name extends string>(about: Description<Name>): Counter<Name>;
  /** `buckets` are inclusive upper bounds, rising; `+Inf` is added. */
  histogram<Name extends string>(
    about: Description<Name> & { readonly buckets: readonly number[] },
  ): Histogram<Name>;
  collected<Name extends string>(
    about: Description<Name> & { readonly type: 'counter' | 'gauge' },
  ): Collected<Name>;
  /**
   * The page in the Prometheus text format 0.0.4; every metric is there with HELP and TYPE, even
   * without a series.
   */
  render(): string;
}

/** What `render` returns, for the content-type header. */
export const EXPOSITION_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Calls `line` once per sample; `suffix` is what follows the metric's name. */
  readonly write: (line: (suffix: string, value: number) => void) => void;
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

export function createRegistry(): Registry {
  const families = new Map<string, Family>();
  const add = (family: Family): void => {
    if (!METRIC_NAME.test(family.name)) throw new Error(`"${family.name}" is no name for a metric`);
    if (families.has(family.name)) throw new Error(`the metric ${family.name} is registered twice`);
    families.set(family.name, family);
  };
  return {
    counter: (about) => {
      const series = newSeries(about);
      add({ ...about, type: 'counter', write: writeSeries(series) });
      return {
        inc(labels, by = 1) {
          if (!(by >= 0)) throw new Error(`the counter ${about.name} cannot go back by ${by}`);
          const key = labelText(about.labels, labels);
          series.set(key, (series.get(key) ?? 0) + by);
        },
      };
    },
    histogram: (about) => {
      const histogram = createHistogram(about.labels, about.buckets);
      add({ ...about, type: 'histogram', write: histogram.write });
      return histogram;
    },
    collected: (about) => {
      const sources: (() => Iterable<readonly [Labels<(typeof about.labels)[number]>, number]>)[] =
        [];
      const write: Family['write'] = (line) => {
        for (const source of sources) {
          for (const [labels, value] of source()) line(labelText(about.labels, labels), value);
        }
      };
      add({ ...about, write });
      return { from: (source) => void sources.push(source) };
    },
    render: () => [...families.values()].map(renderFamily).join(''),
  };
}

/** A metric without labels is there from the start, so that its first increase shows as one. */
function newSeries(about: Description<string>): Map<string, number> {
  return new Map(about.labels.length === 0 ? [['', 0]] : []);
}

function writeSeries(series: ReadonlyMap<string, number>): Family['write'] {
  return (line) => series.forEach((value, labels) => line(labels, value));
}

function createHistogram<Name extends string>(
  names: readonly Name[],
  bounds: readonly number[],
): Histogram<Name> & Pick<Family, 'write'> {
  const rising = bounds.every(
    (bound, index) => index === 0 || bound > (bounds[index - 1] ?? Infinity),
  );
  if (!rising) throw new Error(`the buckets ${bounds.join(', ')} do not rise`);
  interface Entry {
    readonly labels: Labels<Name>;
    readonly counts: number[];
    sum: number;
  }
  const entries = new Map<string, Entry>();
  return {
    observe(labels, value) {
      const key = labelText(names, labels);
      let entry = entries.get(key);
      if (!entry) {
        entry = { labels, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
        entries.set(key, entry);
      }
      const at = bounds.findIndex((bound) => value <= bound);
      const slot = at < 0 ? bounds.length : at;
      entry.counts[slot] = (entry.counts[slot] ?? 0) + 1;
      entry.sum += value;
    },
    write: (line) => {
      for (const [key, { labels, counts, sum }] of entries) {
        let total = 0;
        counts.forEach((count, index) => {
          total += count;
          const le = numberText(bounds[index] ?? Infinity);
          line(`_bucket${labelText([...names, 'le'], { ...labels, le })}`, total);
        });
        line(`_sum${key}`, sum);
        line(`_count${key}`, total);
      }
    },
  };
}

function renderFamily({ name, help, type, write }: Family): string {
  const lines = [
    `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
    `# TYPE ${name} ${type}`,
  ];
  write((suffix, value) => lines.push(`${name}${suffix} ${numberText(value)}`));
  lines.push('');
  return lines.join('\n');
}

/**
 * Also the key under which a series is kept: the names come in the order of the metric, so equal
 * labels give equal text.
 */
function labelText<Name extends string>(names: readonly Name[], labels: Labels<Name>): string {
  if (names.length === 0) return '';
  return `{${names.map((name) => `${name}="${escapeValue(labels[name])}"`).join(',')}}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function escapeValue(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll(/[\\"\n]/g, (character) => ESCAPES[character] ?? character);
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  return String(value);
}
