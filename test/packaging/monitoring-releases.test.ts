import { beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../controlplane/programs.ts';
import { alertsIn, MONITORING, plainRules, type RuleGroups } from './alerts.ts';
import { BUILD_MS, rendered } from './helm.ts';
import { only } from './manifests.ts';
import { complaintsOf, type Expected, type Labels, metric, type Series } from './promtool.ts';

beforeAll(async () => {
  for (const name of ['helm', 'promtool'] as const) await findProgram(name);
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

describe('one release with its own alerts in each of two clusters', () => {
  const target = { namespace: 'pipewright', job: 'pipewright/pipewright' };
  const of = (cluster: string): Release => ({ target: { ...target, cluster } });
  async function rulesFor(cluster: string): Promise<RuleGroups> {
    const rules = { enabled: true, cluster, alertLabels: { for: cluster } };
    const values = { metrics: { podMonitor: { enabled: true }, rules } };
    return only(await rendered({ values }), 'PrometheusRule')['spec'] as RuleGroups;
  }

  test('raises those of its own, and tells of one that was never scraped', async () => {
    const rules = await Promise.all(['eu', 'us'].map(rulesFor));
    const both = [...sick(of('eu')), ...well(of('us'))];
    const raised = [firing(await ofSick(), { for: 'eu' })];
    expect(await complaintsOf({ rules, input: both, expected: raised })).toBe('');
    const absent = [firing(['PipewrightAbsent'], { for: 'eu', cluster: 'eu' })];
    expect(await complaintsOf({ rules, input: well(of('us')), expected: absent })).toBe('');
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
