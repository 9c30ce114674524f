interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{((?:[^"]|"(?:[^"\\\\]|\\\\.)*")*)\\})? (\\S+)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const NUMBER = /^(?:[+-]Inf|Nan|-?(?:\d+(?:\.\d+)?)(?:e[+-]?\d+)?)$/;

/**
 * Reads the Prometheus text format more strictly than a scraper does; throws at the first line that
 * breaks a rule.
 */
export function parseExposition(page: string): MetricFamily[] {
  if (!page.endsWith('\n')) throw new Error('the page does not end with a line feed');
  const families: (MetricFamily & { samples: Sample[] })[] = [];
  let help: { name: string; text: string } | undefined;
  for (const line of page.split('\n').filter(Boolean)) {
    const [, kind, name = '', rest = ''] =
      new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`).exec(line) ?? [];
    if (kind === 'HELP') {
      help = { name, text: unescape(rest) };
    } else if (kind === 'TYPE') {
      if (help?.name !== name) throw new Error(`TYPE without HELP: ${line}`);
      if (families.some((family) => family.name === name)) throw new Error(`${name} comes twice`);
      if (!['counter', 'gauge', 'histogram'].includes(rest))
        throw new Error(`unknown type: ${line}`);
      // prom-client's own about Node has gauges of that name.
      if ((rest === 'counter') !== name.endsWith('_total') && !name.startsWith('nodejs_'))
        throw new Error(`a counter, and only one, ends in _total: ${line}`);
      families.push({ name, help: help.text, type: rest, samples: [] });
    } else {
      const family = families.at(-1);
      const sample = parseSample(line);
      if (!family || !belongs(sample.name, family))
        throw new Error(`a sample outside its family: ${line}`);
      family.samples.push(sample);
    }
  }
  families.forEach(checkFamily);
  return families;
}

function parseSample(line: string): Sample {
  const [, name, inside = '', number = ''] = SAMPLE.exec(line) ?? [];
  if (name === undefined || !NUMBER.test(number)) throw new Error(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inside.length) {
    const [, label, value] = LABEL.exec(inside) ?? [];
    if (label === undefined || value === undefined || label in labels)
      throw new Error(`bad labels: ${line}`);
    labels[label] = unescape(value);
  }
  return { name, labels, value: Number(number.replace('Inf', 'Infinity')) };
}

function belongs(sample: string, { name, type }: MetricFamily): boolean {
  if (type !== 'histogram') return sample === name;
  return [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample);
}

function checkFamily(family: MetricFamily): void {
  const seen = new Set<string>();
  for (const { name, labels, value } of family.samples) {
    const series = `${name} ${Object.entries(labels)
      .map((pair) => JSON.stringify(pair))
      .toSorted()
      .join()}`;
    if (seen.has(series)) throw new Error(`the series ${series} comes twice`);
    seen.add(series);
    if (family.type === 'counter' && !(value >= 0))
      throw new Error(`the counter ${series} is ${value}`);
  }
  if (family.type === 'histogram') checkHistogram(family);
}

function checkHistogram({ name, samples }: MetricFamily): void {
  const groups = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  for (const [labels, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels: { le = '' } }) => Number(le.replace('Inf', 'Infinity')));
    const rising = (values: readonly number[]): boolean =>
      values.every((value, i) => i === 0 || value >= (values[i - 1] ?? 0));
    const counts = buckets.map(({ value }) => value);
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    const sums = group.filter((sample) => sample.name === `${name}_sum`).length;
    if (!rising(bounds) || bounds.at(-1) !== Infinity)
      throw new Error(`${name}${labels}: bounds ${bounds.join(' ')}`);
    if (!rising(counts) || counts.at(-1) !== count || sums !== 1)
      throw new Error(`${name}${labels}: counts ${counts.join(' ')}`);
  }
}

function unescape(text: string): string {
  return text.replaceAll(/\\([\\"n])/g, (_, character: string) =>
    character === 'n' ? '\n' : character,
  );
}

/** The sum of a metric's samples whose labels fit; 0 where there are none. */
export function metric(
  page: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const samples = parseExposition(page).find((family) => family.name === name)?.samples ?? [];
  const fitting = samples.filter((one) =>
    Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  );
  return fitting.reduce((sum, { value }) => sum + value, 0);
}
