import { describe, expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { OPERATIONS } from '../../src/kinds/index.ts';
import { createRegistry } from '../../src/telemetry/exposition.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { observeCalls, observeWaits, startCounters } from '../../src/telemetry/observe.ts';
import { parseExposition } from '../support/exposition.ts';

const sample = (
  page: string,
  name: string,
  labels: Record<string, string> = {},
): number | undefined =>
  parseExposition(page)
    .flatMap(({ samples }) => samples)
    .find((one) => one.name === name && JSON.stringify(one.labels) === JSON.stringify(labels))
    ?.value;

describe('the text format', () => {
  test('carries any label value and help text there and back', () => {
    const registry = createRegistry();
    const nasty = 'back\\slash "quoted"\nnew line, {brace} = ü \\n';
    registry
      .collected({ name: 'g', help: 'a \\ and\na line', labels: ['x', 'y'], type: 'gauge' })
      .from(() => [[{ y: 'second', x: nasty }, -1.5e-7]]);
    expect(parseExposition(registry.render())).toEqual([
      {
        name: 'g',
        help: 'a \\ and\na line',
        type: 'gauge',
        samples: [{ name: 'g', labels: { x: nasty, y: 'second' }, value: -1.5e-7 }],
      },
    ]);
  });

  test.each(['\\', '"', '\n'])('carries %j alone in a label value', (character) => {
    const registry = createRegistry();
    const value = `a${character}b`;
    registry.counter({ name: 'c_total', help: 'h', labels: ['x'] }).inc({ x: value });
    expect(sample(registry.render(), 'c_total', { x: value })).toBe(1);
  });

  test('writes the numbers that JSON has no word for', () => {
    const registry = createRegistry();
    registry.collected({ name: 'g', help: 'h', labels: ['x'], type: 'gauge' }).from(() => [
      [{ x: 'a' }, Infinity],
      [{ x: 'b' }, -Infinity],
      [{ x: 'c' }, Number.NaN],
    ]);
    expect(registry.render()).toContain('g{x="a"} +Inf\ng{x="b"} -Inf\ng{x="c"} NaN\n');
  });

  test('keeps one series per set of labels, in whatever order they are written', () => {
    const registry = createRegistry();
    const counter = registry.counter({ name: 'c_total', help: 'h', labels: ['a', 'b'] });
    counter.inc({ a: '1', b: '2' });
    counter.inc({ b: '2', a: '1' }, 2);
    expect(sample(registry.render(), 'c_total', { a: '1', b: '2' })).toBe(3);
  });

  test('a counter without labels is there before its first increase, and never goes back', () => {
    const registry = createRegistry();
    const counter = registry.counter({ name: 'c_total', help: 'h', labels: [] });
    expect(sample(registry.render(), 'c_total')).toBe(0);
    expect(() => counter.inc({}, -1)).toThrow('cannot go back');
    expect(() => counter.inc({}, Number.NaN)).toThrow('cannot go back');
  });

  test('buckets are cumulative, inclusive at their bound, and end in +Inf, sum and count', () => {
    const registry = createRegistry();
    const histogram = registry.histogram({
      name: 'h_seconds',
      help: 'h',
      labels: ['k'],
      buckets: [0.1, 1, 10],
    });
    for (const value of [0.05, 0.1, 0.5, 1, 99]) histogram.observe({ k: 'a' }, value);
    const page = registry.render();
    const counts = ['0.1', '1', '10', '+Inf'].map((le) =>
      sample(page, 'h_seconds_bucket', { k: 'a', le }),
    );
    expect(counts).toEqual([2, 4, 4, 5]);
    expect(sample(page, 'h_seconds_count', { k: 'a' })).toBe(5);
    expect(sample(page, 'h_seconds_sum', { k: 'a' })).toBeCloseTo(100.65);
  });

  test('refuses a name twice, a name that is none, and buckets that do not rise', () => {
    const registry = createRegistry();
    registry.counter({ name: 'g', help: 'h', labels: [] });
    expect(() => registry.counter({ name: 'g', help: 'h', labels: [] })).toThrow(
      'registered twice',
    );
    expect(() => registry.counter({ name: 'with space', help: 'h', labels: [] })).toThrow(
      'no name for a metric',
    );
    expect(() => registry.histogram({ name: 'h', help: 'h', labels: [], buckets: [1, 1] })).toThrow(
      'do not rise',
    );
  });

  test('collected series are those of the moment: what is gone from the source is gone from the page', () => {
    const registry = createRegistry();
    const objects = new Map([
      ['a', 1],
      ['b', 0],
    ]);
    registry
      .collected({ name: 'ready', help: 'h', labels: ['name'], type: 'gauge' })
      .from(function* () {
        for (const [name, value] of objects) yield [{ name }, value];
      });
    expect(sample(registry.render(), 'ready', { name: 'b' })).toBe(0);
    objects.delete('b');
    objects.set('a', 0);
    expect(parseExposition(registry.render())[0]?.samples).toEqual([
      { name: 'ready', labels: { name: 'a' }, value: 0 },
    ]);
  });
});

describe('the metrics of the process', () => {
  test('carry the labels that dashboards and alerts are written for', () => {
    const metrics = createMetrics();
    observeCalls(metrics)({ operation: 'PutSettings', code: '200', durationMs: 200 });
    observeWaits(metrics)(12);
    metrics.credentialPaused.from(() => [[{ state: 'paused' }, 1]]);
    metrics.reconciles.inc({ kind: 'PipeSettings', result: 'Applied' });
    metrics.resourceReady.from(() => [
      [{ kind: 'PipeSettings', namespace: 'ingest', name: 'orders', reason: 'Applied' }, 1],
    ]);
    metrics.leader.from(() => [[{}, 1]]);
    metrics.queueDepth.from(() => [[{ name: 'pipesettings' }, 3]]);
    const page = metrics.render();
    expect(
      sample(page, 'pipewright_api_requests_total', { operation: 'PutSettings', code: '200' }),
    ).toBe(1);
    expect(
      sample(page, 'pipewright_api_request_duration_seconds_bucket', {
        operation: 'PutSettings',
        le: '0.25',
      }),
    ).toBe(1);
    expect(sample(page, 'pipewright_api_wait_seconds_sum')).toBe(12);
    expect(sample(page, 'pipewright_credential_paused', { state: 'paused' })).toBe(1);
    expect(
      sample(page, 'pipewright_reconcile_total', { kind: 'PipeSettings', result: 'Applied' }),
    ).toBe(1);
    expect(
      sample(page, 'pipewright_resource_ready', {
        kind: 'PipeSettings',
        namespace: 'ingest',
        name: 'orders',
        reason: 'Applied',
      }),
    ).toBe(1);
    expect(sample(page, 'pipewright_leader')).toBe(1);
    expect(sample(page, 'workqueue_depth', { name: 'pipesettings' })).toBe(3);
    expect(
      sample(page, 'rest_client_requests_total', {
        code: '200',
        method: 'GET',
        host: '10.0.0.1:443',
      }),
    ).toBe(1);
  });

  test('start at 0 wherever the labels are known in advance', () => {
    const metrics = createMetrics();
    const kinds = definitions.map(({ type }) => type.kind);
    expect(OPERATIONS).toHaveLength(kinds.length);
    startCounters(metrics, { kinds, operations: OPERATIONS, host: '10.0.0.1:443' });
    const page = metrics.render();
    for (const operation of ['UpdatePipeSettings', 'UpdateOrganization', 'GetActivity'])
      for (const code of ['200', '401', '429', '503', 'none'])
        expect(
          sample(page, 'pipewright_api_requests_total', { operation, code }),
          `${operation} ${code}`,
        ).toBe(0);
    for (const kind of ['PipeSettings', 'Organization', 'Activity']) {
      expect(sample(page, 'pipewright_reconcile_total', { kind, result: 'error' })).toBe(0);
      expect(sample(page, 'pipewright_drift_total', { kind })).toBe(0);
    }
    for (const name of ['workqueue_adds_total', 'workqueue_retries_total'])
      expect(sample(page, name, { name: 'pipewright' })).toBe(0);
    const watch = { code: '403', method: 'WATCH', host: '10.0.0.1:443' };
    expect(sample(page, 'rest_client_requests_total', watch)).toBe(0);
    metrics.kubeRequests.inc(watch);
    expect(sample(metrics.render(), 'rest_client_requests_total', watch)).toBe(1);
  });

  test('tell the truth about the process', () => {
    const page = createMetrics().render();
    const now = Date.now() / 1000;
    expect(sample(page, 'process_start_time_seconds')).toBeLessThanOrEqual(now);
    expect(sample(page, 'process_start_time_seconds')).toBeGreaterThan(now - 3600);
    expect(sample(page, 'process_resident_memory_bytes')).toBeGreaterThan(10e6);
    expect(sample(page, 'process_cpu_seconds_total')).toBeGreaterThan(0);
  });

  test('a page with 10,000 objects keeps nothing of them afterwards and is valid', () => {
    const metrics = createMetrics();
    let asked = 0;
    metrics.resourceReady.from(function* () {
      asked++;
      for (let i = 0; i < 10_000; i++)
        yield [{ kind: 'PipeSettings', namespace: 'ingest', name: `p-${i}`, reason: 'Applied' }, 1];
    });
    expect(asked).toBe(0);
    const family = parseExposition(metrics.render()).find(
      ({ name }) => name === 'pipewright_resource_ready',
    );
    expect(family?.samples).toHaveLength(10_000);
    expect(asked).toBe(1);
  });
});
