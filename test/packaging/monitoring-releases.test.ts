import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../controlplane/programs.ts';
import { selectorsIn } from '../support/promql.ts';
import { alertsIn, MONITORING, panels, plainRules, type RuleGroups } from './alerts.ts';
import { BUILD_MS, refusal, rendered } from './helm.ts';
import { list, only } from './manifests.ts';
import { complaintsOf, type Expected, type Labels, metric, type Series } from './promtool.ts';
import { succeed } from './run.ts';

beforeAll(async () => {
  for (const name of ['helm', 'promtool', 'monitors'] as const) await findProgram(name);
}, BUILD_MS);

/** A release: the labels of its targets, and the namespace of its objects. */
interface Release {
  readonly target: Labels;
  readonly objects?: string;
}

/** One that fails in every way at once, after 14 minutes of quiet, but for two leaders. */
function sick(release: Release): Series[] {
  return everything(release, {
    ready: { reason: 'Rejected', values: '0x30' },
    changes: '0x14 2x15',
    figures: '1x30',
    failing: '0+9x30',
    leader: '0x30',
    watches: '5x30',
    refused: '0+1x30',
  });
}

function well(release: Release): Series[] {
  return everything(release, {
    ready: { reason: 'Applied', values: '1x30' },
    changes: '0x30',
    figures: '0x30',
    failing: '0x30',
    leader: '1x30',
    watches: '0+3x30',
    refused: '0x30',
  });
}

/** Of a process that should lead, and of one that stands by. */
function everything(
  { target, objects = 'ingest' }: Release,
  is: Readonly<
    Record<'changes' | 'figures' | 'failing' | 'leader' | 'watches' | 'refused', string>
  > & { readonly ready: { readonly reason: string; readonly values: string } },
): Series[] {
  const of =
    (pod: string) =>
    (name: string, labels: Labels, values: string): Series => ({
      series: metric(name, { ...target, pod, instance: `10.0.0.${pod}:8080`, ...labels }),
      values,
    });
  const [first, second] = [of('1'), of('2')];
  const orders = { kind: 'PipeSettings', namespace: objects, name: 'orders' };
  return [
    ...[first, second].map((one) =>
      one('pipewright_resource_ready', { ...orders, reason: is.ready.reason }, is.ready.values),
    ),
    first('pipewright_drift_total', { kind: 'PipeSettings' }, is.changes),
    first('pipewright_cleanup_abandoned_total', {}, is.changes),
    first('pipewright_credential_paused', { state: 'gated' }, is.figures),
    first('pipewright_credential_paused', { state: 'paused' }, is.figures),
    first('pipewright_kubernetes_tls_unverified', {}, is.figures),
    first('pipewright_api_requests_total', { operation: 'x', code: '200' }, '0+1x30'),
    first('pipewright_api_requests_total', { operation: 'x', code: '503' }, is.failing),
    first('pipewright_leader', {}, is.leader),
    second('pipewright_leader', {}, '0x30'),
    first('rest_client_requests_total', { method: 'WATCH', code: '200' }, is.watches),
    second('rest_client_requests_total', { method: 'WATCH', code: '200' }, '0+3x30'),
    first('rest_client_requests_total', { method: 'GET', code: '403' }, is.refused),
  ];
}

/** That these alerts fire by then, once for each release with these labels, and no other. */
function firing(names: readonly string[], labels: Labels): Expected {
  const by = ['alertname', ...Object.keys(labels)].join(', ');
  return {
    expr: `count by (${by}) (ALERTS{alertstate="firing"})`,
    eval_time: '25m',
    exp_samples: names.map((alertname) => ({
      labels: metric('', { alertname, ...labels }),
      value: 1,
    })),
  };
}

/** Those of a release that fails in every way. */
async function ofSick(): Promise<string[]> {
  return alertsIn(await plainRules())
    .map(({ alert }) => alert)
    .filter((alert) => !/TwoLeaders|Absent/.test(alert));
}

describe('a release that is well neither hides the alerts of a sick one nor shares them', () => {
  const here = { namespace: 'pipewright', job: 'pipewright/pipewright' };
  const byService = { job: 'pipewright-metrics' };
  test.each<[string, Labels, Release, Release]>([
    [
      'in another cluster',
      { cluster: 'eu' },
      { target: { ...here, cluster: 'eu' } },
      { target: { ...here, cluster: 'us' } },
    ],
    [
      'in another cluster, where its own has no label',
      {},
      { target: here },
      { target: { ...here, cluster: 'us' } },
    ],
    [
      'of the same name in another namespace',
      { namespace: 'team-a' },
      { target: { ...byService, namespace: 'team-a' }, objects: 'team-a' },
      { target: { ...byService, namespace: 'team-b' }, objects: 'team-b' },
    ],
    [
      'in the same namespace',
      { job: 'ingest/gold' },
      { target: { namespace: 'ingest', job: 'ingest/gold' } },
      { target: { namespace: 'ingest', job: 'ingest/rest' }, objects: 'billing' },
    ],
  ])('%s', async (_, labels, one, other) => {
    const input = [...sick(one), ...well(other)];
    const expected = [firing(await ofSick(), labels)];
    expect(await complaintsOf({ rules: [`${MONITORING}/rules.yaml`], input, expected })).toBe('');
  });
});

describe('one release with its own alerts in each of two namespaces', () => {
  /** What the chart makes for a team, and the labels of the targets that Prometheus makes of it. */
  async function team(name: string): Promise<{ rules: RuleGroups; release: Release }> {
    const rules = { enabled: true, alertLabels: { team: name } };
    const made = await rendered({
      namespace: name,
      values: { metrics: { serviceMonitor: { enabled: true }, rules } },
    });
    const { endpoints } = only(made, 'ServiceMonitor')['spec'] as {
      endpoints: { relabelings: { targetLabel: string; replacement: string }[] }[];
    };
    const job = endpoints[0]?.relabelings.find(({ targetLabel }) => targetLabel === 'job');
    return {
      rules: only(made, 'PrometheusRule')['spec'] as RuleGroups,
      release: { target: { namespace: name, job: job?.replacement ?? '' }, objects: name },
    };
  }
  let a: Awaited<ReturnType<typeof team>>;
  let b: Awaited<ReturnType<typeof team>>;
  beforeAll(async () => {
    [a, b] = await Promise.all([team('team-a'), team('team-b')]);
  });

  test('raises those of its own, with its labels', async () => {
    const input = [...sick(a.release), ...well(b.release)];
    const expected = [firing(await ofSick(), { team: 'team-a' })];
    expect(await complaintsOf({ rules: [a.rules, b.rules], input, expected })).toBe('');
  });

  test('tells of one that was never scraped, beside one that is', async () => {
    const input = well(b.release);
    const expected = [firing(['PipewrightAbsent'], { team: 'team-a' })];
    expect(await complaintsOf({ rules: [a.rules, b.rules], input, expected })).toBe('');
  });
});

describe('the alerts of the chart', () => {
  const rulesWith = async (metrics: object): Promise<RuleGroups> =>
    only(await rendered({ values: { metrics } }), 'PrometheusRule')['spec'] as RuleGroups;

  test('are those of deploy/monitoring where another scrapes', async () => {
    expect(await rulesWith({ rules: { enabled: true } })).toEqual(await plainRules());
  });

  test('name the release that a monitor of the chart scrapes, or the one they are told, in every selector', async () => {
    const rules = { enabled: true };
    const plain = JSON.stringify(await plainRules());
    const withJob = (matcher: string): RuleGroups =>
      JSON.parse(plain.replaceAll('job=~\\".*\\"', JSON.stringify(matcher).slice(1, -1)));
    expect(await rulesWith({ rules, podMonitor: { enabled: true } })).toEqual(
      withJob('job="pipewright/pipewright"'),
    );
    const job = String.raw`shard-\d+: "x" #1`;
    expect(await rulesWith({ rules: { ...rules, job }, podMonitor: { enabled: true } })).toEqual(
      withJob(String.raw`job=~"shard-\\d+: \"x\" #1"`),
    );
    const selectors = alertsIn(await plainRules()).flatMap(({ expr }) => expr.match(/\{[^}]*\}/g));
    for (const selector of selectors) expect(selector).toMatch(/^\{job=~"\.\*"[,}]/);
  });

  test('are left out one by one, and a group with none is too', async () => {
    const disabled = ['PipewrightDrift', 'PipewrightCleanupAbandoned', 'PipewrightNotReady'];
    const left = await rulesWith({ rules: { enabled: true, disabled } });
    const all = alertsIn(await plainRules()).map(({ alert }) => alert);
    expect(alertsIn(left).map(({ alert }) => alert)).toEqual(
      all.filter((alert) => !disabled.includes(alert)),
    );
    expect(left.groups.map(({ rules }) => rules.length)).not.toContain(0);
    expect((await rulesWith({ rules: { enabled: true, disabled: all } })).groups).toEqual([]);
    const why = await refusal({
      api: { url: 'https://api.example.com' },
      metrics: { rules: { enabled: true, disabled: ['PipewrightDrifts'] } },
    });
    expect(why).toContain(
      `metrics.rules.disabled has "PipewrightDrifts", which is the name of no alert: these are ${all.toSorted().join(', ')}`,
    );
  });

  test('carry the labels and the runbook that they are told', async () => {
    const alertLabels = { team: 'data', severity: 'page' };
    const runbookUrl = 'https://runbooks.example.com/p';
    const told = alertsIn(await rulesWith({ rules: { enabled: true, alertLabels, runbookUrl } }));
    for (const { alert, labels, annotations } of told) {
      expect(labels).toEqual(alertLabels);
      expect(annotations['runbook_url']).toBe(`${runbookUrl}#${alert.toLowerCase()}`);
    }
    const without = alertsIn(await rulesWith({ rules: { enabled: true, runbookUrl: '' } }));
    for (const { annotations } of without)
      expect(Object.keys(annotations).sort()).toEqual(['description', 'summary']);
  });
});

describe('what the chart makes for Prometheus and Grafana', () => {
  const namespace = 'monitoring';
  const monitor = {
    enabled: true,
    namespace,
    interval: '1m',
    scrapeTimeout: '10s',
    relabelings: [{ targetLabel: 'cluster', replacement: 'eu' }],
    metricRelabelings: [{ action: 'drop', sourceLabels: ['__name__'], regex: 'nodejs_.*' }],
  };
  const dashboards = {
    enabled: true,
    namespace,
    label: 'dashboards',
    labelValue: 'yes',
    annotations: { grafana_folder: 'Data' },
  };
  const metrics = {
    podMonitor: monitor,
    serviceMonitor: monitor,
    rules: { enabled: true, namespace },
    dashboards,
  };

  test('stands in their namespace, as their operators read it, and finds the Pods in that of the release', async () => {
    const all = await rendered({ values: { metrics } });
    const made = all.filter(({ metadata }) => metadata.namespace === namespace);
    expect(list(made)).toEqual([
      'ConfigMap monitoring/pipewright-pipewright-dashboard',
      'PodMonitor monitoring/pipewright-pipewright',
      'PrometheusRule monitoring/pipewright-pipewright',
      'ServiceMonitor monitoring/pipewright-pipewright',
    ]);
    const endpoint = {
      interval: '1m',
      scrapeTimeout: '10s',
      honorLabels: true,
      relabelings: [
        { targetLabel: 'job', replacement: 'pipewright/pipewright' },
        ...monitor.relabelings,
      ],
      metricRelabelings: monitor.metricRelabelings,
    };
    const namespaceSelector = { matchNames: ['pipewright'] };
    expect(only(made, 'PodMonitor')['spec']).toMatchObject({
      namespaceSelector,
      podMetricsEndpoints: [endpoint],
    });
    expect(only(made, 'ServiceMonitor')['spec']).toMatchObject({
      namespaceSelector,
      endpoints: [endpoint],
    });
    expect(only(made, 'ConfigMap').metadata).toMatchObject({
      labels: { dashboards: 'yes' },
      annotations: { grafana_folder: 'Data' },
    });
    expect(only(made, 'ConfigMap').metadata.labels).not.toHaveProperty('grafana_dashboard');
    const stdin = made
      .filter(({ kind }) => kind !== 'ConfigMap')
      .map((one) => JSON.stringify(one))
      .join('\n');
    expect(await succeed(await findProgram('monitors'), [], { stdin })).toBe('3\n');
  });

  test('is refused where a scrape may take longer than the time to the next', async () => {
    const serviceMonitor = { enabled: true, interval: '30s', scrapeTimeout: '1m' };
    expect(
      await refusal({ api: { url: 'https://api.example.com' }, metrics: { serviceMonitor } }),
    ).toContain(
      'metrics.serviceMonitor.scrapeTimeout is 1m, longer than metrics.serviceMonitor.interval, which is 30s',
    );
  });
});

test('every panel of the dashboard shows the release and the cluster that are chosen, and no other', async () => {
  const chosen = { cluster: 'eu', job: 'team-a/pipewright' };
  const exprs = (await panels()).flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll('$cluster', chosen.cluster)
        .replaceAll('$job', chosen.job)
        .replaceAll('$namespace', '.*')
        .replaceAll('$__rate_interval', '5m'),
    ),
  );
  const metrics = new Set(exprs.flatMap(selectorsIn).map(({ metric: name }) => name));
  const own = { reason: 'Rejected', state: 'gated', le: '1' };
  const seriesOf = (release: Labels): Series[] =>
    [...metrics].flatMap((name) =>
      ['gated', 'paused'].map((state) => ({
        series: metric(name, { ...release, ...own, state }),
        values: '0x30',
      })),
    );
  const shows = (value: number): Expected[] =>
    exprs.map((expr) => ({
      expr: `clamp_max(count(${expr}), 1)`,
      eval_time: '25m',
      exp_samples: value === 0 ? [] : [{ labels: '{}', value }],
    }));
  const others = [
    { ...chosen, cluster: 'us' },
    { ...chosen, job: 'team-b/pipewright' },
  ].flatMap(seriesOf);
  expect(await complaintsOf({ input: others, expected: shows(0) })).toBe('');
  expect(await complaintsOf({ input: seriesOf(chosen), expected: shows(1) })).toBe('');
});
