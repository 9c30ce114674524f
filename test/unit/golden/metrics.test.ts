import { expect, test } from 'vitest';
import { createRateLimiter } from '../../../src/api/limiter/rate-limiter.ts';
import { Queue } from '../../../src/controller/queue.ts';
import { definitions } from '../../../src/kinds/definitions.ts';
import { createKinds, OPERATIONS } from '../../../src/kinds/index.ts';
import { EXPOSITION_CONTENT_TYPE } from '../../../src/telemetry/exposition.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import * as observe from '../../../src/telemetry/observe.ts';
import { type MetricFamily, parseExposition } from '../../support/exposition.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { aKindContext } from '../../support/kind-context.ts';
import { anAnswer, anAppliedPipeSettings } from '../../support/objects.ts';
import golden from './metrics.json' with { type: 'json' };

/** Dashboards and alerts ask for these by name. Help texts may change. */

const NEVER = { calls: 0, perMs: 1 };

/** The page after each metric has had something to show. */
async function fullPage(): Promise<MetricFamily[]> {
  const metrics = createMetrics();
  const clock = new FakeClock();
  const queue = new Queue({ clock, observer: observe.observeQueue(metrics) });
  const limiter = createRateLimiter({
    rate: NEVER,
    rateTotal: NEVER,
    inFlight: 4,
    clock,
    wake: () => undefined,
  });
  const kinds = createKinds(aKindContext(clock, { answer: async () => anAnswer(200) }));
  kinds[0]?.sink().replace([anAppliedPipeSettings()], '1', false);
  const names = kinds.map(({ type }) => type.kind);
  observe.startCounters(metrics, { kinds: names, operations: OPERATIONS, host: '10.0.0.1:443' });
  observe.collectFigures(metrics, {
    queue,
    limiter,
    kinds,
    clock,
    isLeader: () => true,
    isUnverified: () => false,
  });
  metrics.apiRequestDuration.observe({ operation: 'GetActivity' }, 1);
  metrics.apiWait.observe({}, 1);
  queue.add('key', 'user');
  await queue.take(new AbortController().signal);
  queue.done('key');
  observe.observeReconciles(metrics)({ kind: 'PipeSettings', result: 'put', durationMs: 10 });
  limiter.close();
  return parseExposition(metrics.render());
}

test('each metric has its name, type, labels and buckets, in this order', async () => {
  const shapes = (await fullPage()).map(({ name, type, samples }) => {
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)));
    const bounds = new Set(samples.flatMap((sample) => sample.labels['le'] ?? []));
    labels.delete('le');
    return { name, type, labels: [...labels], ...(bounds.size > 0 && { buckets: [...bounds] }) };
  });
  expect(shapes).toEqual(golden.metrics);
});

test('each series that is there from the start has these values of labels', async () => {
  const page = await fullPage();
  const { kinds, operations, codes } = golden;
  // What a kind adds moves nothing that anybody asks for by now.
  const added = [...definitions.map(({ type }) => type.kind), ...OPERATIONS].filter(
    (name) => ![...kinds, ...operations].includes(name),
  );
  const valuesOf = (name: string): string[] =>
    page
      .filter((family) => family.name === name)
      .flatMap(({ samples }) => samples.map(({ labels }) => Object.values(labels).join(' ')))
      .filter((values) => !added.includes(values.split(' ')[0] ?? ''));
  const held = {
    pipewright_api_requests_total: operations.flatMap((operation) =>
      codes.map((code) => `${operation} ${code}`),
    ),
    pipewright_reconcile_total: [...kinds.map((kind) => `${kind} error`), 'PipeSettings put'],
    pipewright_drift_total: kinds,
    ...golden.series,
  };
  const served = Object.keys(held).map((name) => [name, valuesOf(name)]);
  expect(Object.fromEntries(served)).toEqual(held);
});

test('the page says of what type it is', () => {
  expect(EXPOSITION_CONTENT_TYPE).toBe('text/plain; version=0.0.4; charset=utf-8');
});
