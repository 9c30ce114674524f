import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../controlplane/programs.ts';
import { alertsIn, plainRules, type RuleGroups } from './alerts.ts';
import { BUILD_MS, refusal, rendered } from './helm.ts';
import { list, only } from './manifests.ts';
import { succeed } from './run.ts';

beforeAll(async () => {
  for (const name of ['helm', 'monitors'] as const) await findProgram(name);
}, BUILD_MS);

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
    const cluster = 'eu "1"';
    expect(
      await rulesWith({ rules: { ...rules, cluster }, podMonitor: { enabled: true } }),
    ).toEqual(withJob(String.raw`job="pipewright/pipewright", cluster="eu \"1\""`));
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
