import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { findProgram } from '../controlplane/programs.ts';
import { run } from '../controlplane/run.ts';
import { pageBlocks } from '../support/page.ts';

interface Alert extends Readonly<Record<'alert' | 'expr', string>> {
  readonly annotations: Readonly<Record<string, string>>;
}

type Panel = Readonly<Record<'targets', readonly { readonly expr: string }[]>>;

const read = (file: string): string => readFileSync(`deploy/monitoring/${file}`, 'utf8');
const { groups } = parse(read('rules.yaml')) as { groups: readonly { rules: readonly Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const { panels } = JSON.parse(read('dashboard.json')) as { panels: readonly Panel[] };

test('promtool takes the rules, and their tests pass, as the page has it', async () => {
  const PATH = `${dirname(await findProgram('promtool'))}:${process.env['PATH'] ?? ''}`;
  const blocks = pageBlocks('deploy/monitoring/README.md');
  expect(blocks).toHaveLength(1);
  for (const { script } of blocks) {
    const { code, stdout, stderr } = await run('sh', ['-e', '-c', script], { env: { PATH } });
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(stdout).toMatch(/SUCCESS: \d+ rules found[^]+SUCCESS/);
  }
});

test.each(alerts)(
  '$alert has a test in which it fires and one in which it does not, and its section of the page',
  ({ alert, annotations }) => {
    const tests = read('rules.test.yaml');
    expect(tests).toMatch(new RegExp(`alertname: ${alert}\n +exp_alerts:\n`));
    expect(tests).toMatch(new RegExp(`alertname: ${alert}\n +exp_alerts: \\[\\]\n`));
    expect(readFileSync('deploy/guides/operate.md', 'utf8')).toContain(`\n### ${alert}\n`);
    const url = new RegExp(`/deploy/guides/operate\\.md#${alert.toLowerCase()}$`);
    expect(annotations['runbook_url']).toMatch(url);
  },
);

test('the alerts and the panels ask for metrics that the operator has', async () => {
  const page = await createMetrics({ ofNode: true }).render();
  const asked = [...alerts, ...panels.flatMap(({ targets }) => targets)];
  const named = asked.flatMap(({ expr }) => expr.match(/\b(pipewright|process|workqueue)_\w+/g));
  expect(new Set(named).size).toBeGreaterThan(8);
  for (const name of named) expect(page).toContain(`\n# TYPE ${name?.replace(/_bucket$/, '')} `);
});
