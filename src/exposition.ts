/** One value of every label of a metric. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>;

export interface Counter<Name extends string> {
  /** Adds `by` (default 1, never negative). Every distinct set of labels is kept for ever: only for labels of few values. */
  inc(labels: Labels<Name>, by?: number): void;
}

export interface Gauge<Name extends string> {
  set(labels: Labels<Name>, value: number): void;
}

export interface Histogram<Name extends string> {
  /** Takes the unit of the metric's name: seconds, not milliseconds. */
  observe(labels: Labels<Name>, value: number): void;
}

/** A metric without a memory of its own: its series are asked for when somebody scrapes. */
export interface Collected<Name extends string> {
  /** Adds a source of series. Two sources must never yield the same labels: a scraper refuses the whole page. */
  from(source: () => Iterable<readonly [Labels<Name>, number]>): void;
}

interface Description<Name extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Name[];
}

export interface Registry {
  counter<Name extends string>(about: Description<Name>): Counter<Name>;
  gauge<Name extends string>(about: Description<Name>): Gauge<Name>;
  /** `buckets` are inclusive upper bounds, rising; `+Inf` is added. */
  histogram<Name extends string>(about: Description<Name> & { readonly buckets: readonly number[] }): Histogram<Name>;
  collected<Name extends string>(about: Description<Name> & { readonly type: 'counter' | 'gauge' }): Collected<Name>;
  /** The page in the Prometheus text format 0.0.4; every metric is there with HELP and TYPE, even without a series. */
  render(): string;
}

/** What `render` returns, for the content-type header. */
export const EXPOSITION_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
