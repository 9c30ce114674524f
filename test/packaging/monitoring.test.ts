import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { FAILURES } from '../../src/waits.ts';
import { waitFor } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { parseExposition } from '../support/exposition.ts';
import { pageBlocks, pageQueries } from '../support/page.ts';
import { selectorsIn } from '../support/promql.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, SERVICE } from '../support/scene-objects.ts';
import { alertsIn, MONITORING, panels, plainRules, RUNBOOK } from './alerts.ts';
import { BUILD_MS } from './helm.ts';
import { complaintsOf, type Expected, type Labels, metric, type Series } from './promtool.ts';
import { run } from './run.ts';

test(
  'promtool has nothing against the rules, and their tests pass, as the page has it',
  async () => {
    const PATH = `${dirname(await findProgram('promtool'))}:${process.env['PATH'] ?? ''}`;
    const blocks = pageBlocks('deploy/monitoring/README.md');
    expect(blocks).toHaveLength(1);
    for (const { script } of blocks) {
      const { code, stdout, stderr } = await run('sh', ['-e', '-c', script], { env: { PATH } });
      expect(code, `${stdout}${stderr}`).toBe(0);
      expect(stdout).toMatch(/SUCCESS: \d+ rules found[^]+SUCCESS/);
    }
  },
  BUILD_MS,
);

test('every alert has a test in which it fires, and one in which it does not', async () => {
  const tests = await readFile(`${MONITORING}/rules.test.yaml`, 'utf8');
  for (const { alert } of alertsIn(await plainRules()))
    expect(tests, alert).toMatch(new RegExp(`alertname: ${alert}\n +exp_alerts:\n`));
});

test('the alert for those who need the user has every reason that no retry mends', async () => {
  const rule = alertsIn(await plainRules()).find(({ alert }) => alert === 'PipewrightStalled');
  const named = /reason=~"([^"]+)"/.exec(rule?.expr ?? '')?.[1]?.split('|') ?? [];
  const stalled = Object.entries(FAILURES).filter(([, { side }]) => side === 'Stalled');
  // A record may be late: for an Activity the same reason is one that mends itself, so it has a
  // line of its own.
  expect([...named, 'NotFound'].sort()).toEqual(stalled.map(([reason]) => reason).sort());
  expect(rule?.expr).toContain('reason="NotFound", kind!="Activity"}');
});

/** What the panels ask where this release is chosen. */
async function panelQueries({ cluster, job }: Labels): Promise<string[]> {
  return (await panels()).flatMap(({ targets = [] }) =>
    targets.map(({ expr }) =>
      expr
        .replaceAll('$cluster', cluster ?? '.*')
        .replaceAll('$job', job ?? '.*')
        .replaceAll('$namespace', '.*')
        .replaceAll('$__rate_interval', '5m'),
    ),
  );
}

describe('the runbook and the dashboard show', () => {
  test.each<[string, Labels]>([
    ['pipewright_drift_total', { kind: 'PipeSettings' }],
    ['pipewright_cleanup_abandoned_total', {}],
  ])('what %s counted before the first scrape, but not of long ago', async (name, labels) => {
    const asked = [...pageQueries(RUNBOOK).map(({ expr }) => expr), ...(await panelQueries({}))];
    const exprs = asked.filter((expr) => expr.includes(name));
    const of = (instance: string, counted: string, started: string): Series[] => [
      { series: metric(name, { job: 'p', instance, ...labels }), values: `_x20 ${counted}` },
      {
        series: metric('process_start_time_seconds', { job: 'p', instance }),
        values: `_x20 ${started}x30`,
      },
    ];
    const input = [...of('young', '2x10 3x20', '1170'), ...of('old', '7x30', '-90000')];
    expect(exprs).toHaveLength(2);
    expect(await complaintsOf({ input, expected: exprs.map((expr) => sumOf(expr, 3)) })).toBe('');
  });

  test('the part of the time in which a key had to wait, however many had to', async () => {
    const labels = { job: 'p', instance: 'a', state: 'paused' };
    const name = metric('pipewright_credential_paused', labels);
    const exprs = pageQueries(RUNBOOK)
      .map(({ expr }) => expr)
      .filter((expr) => expr.includes('pipewright_credential_paused{state="paused"}'));
    expect(exprs).toHaveLength(1);
    const input = [{ series: name, values: '4x50' }];
    expect(await complaintsOf({ input, expected: exprs.map((expr) => sumOf(expr, 1)) })).toBe('');
  });

  function sumOf(expr: string, value: number): Expected {
    return { expr: `sum(${expr})`, eval_time: '40m', exp_samples: [{ labels: '{}', value }] };
  }
});

test('no two panels of the dashboard share a place or an id', async () => {
  const all = await panels();
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  const cells = all.flatMap(({ title, gridPos: { x, y, w, h } }) => {
    expect(x + w, title).toBeLessThanOrEqual(24);
    return Array.from(
      { length: w * h },
      (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`,
    );
  });
  expect(new Set(cells).size).toBe(cells.length);
});

test('every panel of the dashboard shows the release and the cluster that are chosen, and no other', async () => {
  const chosen = { cluster: 'eu', job: 'team-a/pipewright' };
  const exprs = await panelQueries(chosen);
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

describe('at /metrics of an operator', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene.end());
  const families = async () => parseExposition(await scene.operator().page('metrics'));

  test('that has just started every counter has its series, so that no first event is missed', async () => {
    const counters = (await families()).filter(({ type }) => type === 'counter');
    expect(counters.filter(({ samples }) => samples.length === 0).map(({ name }) => name)).toEqual(
      [],
    );
    const zero = counters.flatMap(({ samples }) =>
      samples.filter(({ value }) => value === 0).map((one) => one.name),
    );
    expect(zero.filter((name) => name === 'pipewright_drift_total')).toHaveLength(
      definitions.length,
    );
  });

  test('that has worked is every metric that an alert, a panel or the runbook names, with the labels it asks for', async () => {
    await changedByAnother();
    const exprs = [
      ...alertsIn(await plainRules()),
      ...(await panels()).flatMap(({ targets = [] }) => targets),
      ...pageQueries(RUNBOOK),
    ];
    const wanted = exprs.flatMap(({ expr }) => selectorsIn(expr));
    expect(wanted.length).toBeGreaterThan(30);
    const missing = await waitFor(
      async () => {
        const samples = (await families()).flatMap((family) => family.samples);
        return wanted.filter(
          ({ metric: named, labels }) =>
            !samples.some(
              ({ name, labels: has }) => name === named && labels.every((label) => label in has),
            ),
        );
      },
      { what: 'every metric to have a sample', until: (left) => left.length === 0 },
    );
    expect(missing).toEqual([]);
  });

  /** An object is applied, then somebody else changes it, and the next reply shows that. */
  async function changedByAnother(): Promise<void> {
    await scene.psets.create('orders');
    await scene.psets.until('orders', 'Applied');
    scene.simulator.setSettings(`${ORGANIZATION}/${SERVICE}/orders`, {
      object_storage_concurrency: 30,
    });
    await scene.psets.request('orders');
    await scene.psets.untilIt('orders', 'drift', ({ status }) => 'drift' in status);
  }
});
