import { expect, test } from 'vitest';
import { Queue } from '../../src/controller/queue.ts';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts';
import { metric, parseExposition } from '../support/exposition.ts';
import { FakeClock } from '../support/fake-clock.ts';

type Observed = Parameters<Metrics['observe']>[0];
type Kind = Observed['kinds'][number];

/** As the contract names them, each with the labels that dashboards and alerts are written for. */
const NAMES = {
  pipewright_api_requests_total: ['code', 'operation'],
  pipewright_api_request_duration_seconds: ['operation'],
  pipewright_api_wait_seconds: [],
  pipewright_credential_paused: ['state'],
  pipewright_reconcile_total: ['kind', 'result'],
  pipewright_reconcile_duration_seconds: ['kind'],
  pipewright_resources: ['kind', 'namespace', 'ready', 'reason'],
  pipewright_drift_total: ['kind'],
  pipewright_cleanup_abandoned_total: [],
  pipewright_leader: [],
  workqueue_depth: ['name'],
};

interface Told {
  readonly namespace: string;
  readonly ready?: readonly [status: string, reason: string];
}

/** What the operator has, as far as its figures go. */
function observed(objects: readonly Told[]): Observed {
  const values = () =>
    objects.map(({ namespace, ready }, nth) => ({
      metadata: { namespace, name: `object-${nth}` },
      ...(ready && {
        status: { conditions: [{ type: 'Ready', status: ready[0], reason: ready[1] }] },
      }),
    }));
  const queue = new Queue(new FakeClock());
  queue.add('PipeSettings/a/object-0', 'user');
  return {
    queue,
    kinds: [{ type: { kind: 'PipeSettings' }, store: { values } } as unknown as Kind],
    limiter: { snapshot: () => ({ paused: 3, refused: 2 }) },
    isLeader: () => true,
  };
}

const applied = (namespace: string): Told => ({ namespace, ready: ['True', 'Applied'] });

function observeEverything(metrics: Metrics): void {
  metrics.onCall({ operation: 'GetActivity', code: '200', durationMs: 200 });
  metrics.onWait(12);
  const ended = { kind: 'Organization', result: 'Applied', durationMs: 2_000 };
  metrics.onReconcile({ ...ended, counts: { drift: 4, abandoned: 2 } });
  metrics.onReconcile(ended);
  metrics.observe(observed([applied('a'), applied('a'), applied('b'), { namespace: 'b' }]));
}

test('there are the metrics of the contract and no other, with their labels', async () => {
  const metrics = createMetrics();
  observeEverything(metrics);
  const families = parseExposition(await metrics.render());
  const labels = families.map(({ name, samples }) => {
    const all = new Set(samples.flatMap((one) => Object.keys(one.labels)));
    return [name, [...all].filter((label) => label !== 'le').toSorted()];
  });
  expect(Object.fromEntries(labels)).toEqual(NAMES);
});

test('they say what came about', async () => {
  const metrics = createMetrics();
  observeEverything(metrics);
  const page = await metrics.render();
  const count = (name: string, labels = {}): number => metric(page, `pipewright_${name}`, labels);
  expect(count('api_requests_total', { operation: 'GetActivity', code: '200' })).toBe(1);
  expect(count('reconcile_total', { kind: 'Organization', result: 'Applied' })).toBe(2);
  expect(count('drift_total', { kind: 'Organization' })).toBe(4);
  expect(count('cleanup_abandoned_total')).toBe(1);
  expect(count('credential_paused', { state: 'paused' })).toBe(3);
  expect(count('credential_paused', { state: 'refused' })).toBe(2);
  expect(count('leader')).toBe(1);
  expect(metric(page, 'workqueue_depth')).toBe(1);
  expect(page).toContain('\npipewright_api_wait_seconds_sum 12\n');
  expect(page).toContain(
    '\npipewright_api_request_duration_seconds_bucket{le="0.25",operation="GetActivity"} 1\n',
  );
  expect(page).toContain('\npipewright_reconcile_duration_seconds_sum{kind="Organization"} 4\n');
});

test('objects are counted, not named: 10,000 have no more series than one', async () => {
  const metrics = createMetrics();
  const seriesOf = async (objects: readonly Told[]): Promise<number> => {
    metrics.observe(observed(objects));
    const page = await metrics.render();
    expect(metric(page, 'pipewright_resources')).toBe(objects.length);
    return page.split('\n').length;
  };
  const one = await seriesOf([applied('a')]);
  expect(await seriesOf(Array.from({ length: 10_000 }, () => applied('a')))).toBe(one);
});

test('an object is counted for what it is now, and one that is gone is not', async () => {
  const metrics = createMetrics();
  const countsOf = async (...objects: readonly Told[]) => {
    metrics.observe(observed(objects));
    const families = parseExposition(await metrics.render());
    const found = families.find(({ name }) => name === 'pipewright_resources');
    return found?.samples.map(({ labels, value }) => [Object.values(labels).join(' '), value]);
  };
  const rejected: Told = { namespace: 'b', ready: ['False', 'Rejected'] };
  expect(await countsOf(applied('a'), applied('a'), rejected, { namespace: 'c' })).toEqual([
    ['PipeSettings a True Applied', 2],
    ['PipeSettings b False Rejected', 1],
    ['PipeSettings c Unknown Pending', 1],
  ]);
  expect(await countsOf(applied('b'))).toEqual([['PipeSettings b True Applied', 1]]);
  expect(await countsOf()).toEqual([]);
});

test('the page of one process says nothing of another, and of Node only where it is asked for', async () => {
  const [one, other, ofNode] = [createMetrics(), createMetrics(), createMetrics({ ofNode: true })];
  observeEverything(one);
  const pages = await Promise.all([one, other, ofNode].map(({ render }) => render()));
  expect(pages.map((page) => metric(page, 'pipewright_reconcile_total'))).toEqual([2, 0, 0]);
  expect(pages.map((page) => metric(page, 'process_resident_memory_bytes') > 10e6)).toEqual([
    false,
    false,
    true,
  ]);
});
