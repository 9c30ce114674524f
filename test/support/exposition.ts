interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly samples: ReturnType<typeof sampleOf>[];
}

/** The metrics of a page, as prom-client writes them. */
export function parseExposition(page: string): MetricFamily[] {
  const families: MetricFamily[] = [];
  for (const line of page.split('\n').filter(Boolean)) {
    const [, name, type] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined) families.push({ name, type, samples: [] });
    if (!line.startsWith('#')) families.at(-1)?.samples.push(sampleOf(line));
  }
  return families;
}

function sampleOf(line: string) {
  const [, inside = '', value] = /^\w+(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (value === undefined) throw new Error(`no sample: ${line}`);
  const pairs = inside.matchAll(/(\w+)="([^"]*)"/g);
  const labels = Object.fromEntries([...pairs].map(([, label = '', text = '']) => [label, text]));
  return { labels, value: Number(value) };
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
