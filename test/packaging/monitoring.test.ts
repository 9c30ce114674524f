import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { FAILURES } from '../../src/waits.ts';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { parseExposition } from '../support/exposition.ts';
import { selectorsIn } from '../support/promql.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, SERVICE } from '../support/scene-objects.ts';
import { BUILD_MS } from './helm.ts';
import { parseManifests } from './manifests.ts';
import { run } from './run.ts';

const FOLDER = 'deploy/monitoring';

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: {
      readonly x: number;
      readonly y: number;
      readonly w: number;
      readonly h: number;
    };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

/**
 * promtool reads them as Prometheus does; this reads them as the chart does, which makes a
 * PrometheusRule of them.
 */
async function rules(): Promise<Rule[]> {
  const spec = (await readFile(`${FOLDER}/rules.yaml`, 'utf8')).replaceAll(/^/gm, '  ');
  const text = `apiVersion: v1\nkind: Rules\nmetadata: { name: rules }\nspec:\n${spec}`;
  const [object] = await parseManifests(text, controlPlane.kubectlProgram);
  const { groups } = (object as unknown as { spec: { groups: { rules: Rule[] }[] } }).spec;
  return groups.flatMap((group) => group.rules);
}

async function dashboard(): Promise<Dashboard> {
  return JSON.parse(await readFile(`${FOLDER}/dashboard.json`, 'utf8')) as Dashboard;
}

test.each([
  ['check', 'rules', '--lint=all', '--lint-fatal', `${FOLDER}/rules.yaml`],
  ['test', 'rules', `${FOLDER}/rules.test.yaml`],
])(
  'promtool %s %s',
  async (...args) => {
    const { code, stdout, stderr } = await run(await findProgram('promtool'), args);
    expect(code, `${stdout}${stderr}`).toBe(0);
  },
  BUILD_MS,
);

test('every alert has a test in which it fires, and one in which it does not', async () => {
  const tests = await readFile(`${FOLDER}/rules.test.yaml`, 'utf8');
  for (const { alert } of await rules())
    expect(tests, alert).toMatch(new RegExp(`alertname: ${alert}\n +exp_alerts:\n`));
});

test('the alert for those who need the user has every reason that no retry mends', async () => {
  const rule = (await rules()).find(({ alert }) => alert === 'PipewrightStalled');
  const named = /reason=~"([^"]+)"/.exec(rule?.expr ?? '')?.[1]?.split('|') ?? [];
  const stalled = Object.entries(FAILURES).filter(([, { side }]) => side === 'Stalled');
  // A record may be late: for an Activity the same reason is one that mends itself, so it has a
  // line of its own.
  expect([...named, 'NotFound'].sort()).toEqual(stalled.map(([reason]) => reason).sort());
  expect(rule?.expr).toContain('{reason="NotFound", kind!="Activity"}');
});

test('no two panels of the dashboard share a place or an id', async () => {
  const { panels } = await dashboard();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
    expect(x + w, title).toBeLessThanOrEqual(24);
    return Array.from(
      { length: w * h },
      (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`,
    );
  });
  expect(new Set(cells).size).toBe(cells.length);
});

describe('at /metrics of an operator that has worked', () => {
  async function worked(): Promise<Scene> {
    const scene = await openScene({ start: false });
    await scene.start();
    await scene.psets.create('orders');
    await scene.psets.until('orders', 'Applied');
    // Somebody else changes it, and the next reply shows that.
    scene.simulator.setSettings(`${ORGANIZATION}/${SERVICE}/orders`, {
      object_storage_concurrency: 30,
    });
    await scene.psets.request('orders');
    await scene.psets.untilIt('orders', 'drift', ({ status }) => 'drift' in status);
    return scene;
  }

  test('is every metric that an alert or a panel names, with the labels it asks for', async () => {
    const scene = await worked();
    const exprs = [
      ...(await rules()),
      ...(await dashboard()).panels.flatMap(({ targets = [] }) => targets),
    ];
    const wanted = exprs.flatMap(({ expr }) => selectorsIn(expr));
    expect(wanted.length).toBeGreaterThan(30);
    const missing = await waitFor(
      async () => {
        const families = parseExposition(await scene.operator().page('metrics'));
        const samples = families.flatMap((family) => family.samples);
        return wanted.filter(
          ({ metric, labels }) =>
            !samples.some(
              ({ name, labels: has }) => name === metric && labels.every((label) => label in has),
            ),
        );
      },
      { what: 'every metric to have a sample', until: (left) => left.length === 0 },
    );
    expect(missing).toEqual([]);
    await scene.end();
  });
});

test('at /metrics of an operator that has just started every counter has its series, so that no first event is missed', async () => {
  const scene = await openScene();
  const counters = parseExposition(await scene.operator().page('metrics')).filter(
    ({ type }) => type === 'counter',
  );
  expect(counters.filter(({ samples }) => samples.length === 0).map(({ name }) => name)).toEqual(
    [],
  );
  const zero = counters.flatMap(({ samples }) =>
    samples.filter(({ value }) => value === 0).map((one) => one.name),
  );
  expect(zero.filter((name) => name === 'pipewright_drift_total')).toHaveLength(definitions.length);
  await scene.end();
});
