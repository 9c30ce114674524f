import { parseConfig } from '../../../src/config/config.ts';
import { runWorkers } from '../../../src/controller/controller.ts';
import { createOperator } from '../../../src/operator.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { recordingLog } from '../../support/recording-log.ts';
import type { DayClock } from './day-clock.ts';
import type { DayKube } from './day-kube.ts';

export const NAMESPACE = 'ingest';

/** An operator, whole but for the network to Kubernetes and with its default pace, at work. */
export interface DayOperator {
  /** Lets that much of its time pass. */
  pass(ms: number): Promise<void>;
  end(): Promise<void>;
}

export async function runOperator({
  simulator,
  kube,
  clock,
}: {
  readonly simulator: Simulator;
  readonly kube: DayKube;
  readonly clock: DayClock;
}): Promise<DayOperator> {
  const parsed = parseConfig({
    argv: ['--api-url', simulator.url, '--namespaces', NAMESPACE],
    env: {},
    version: 'day',
  });
  if (!parsed.ok) throw new Error(parsed.message);
  const stop = new AbortController();
  const operator = createOperator({
    config: parsed.config,
    client: kube.client,
    clock,
    log: recordingLog().log,
    metrics: createMetrics(),
    version: 'day',
    instance: 'day',
    mayStartCall: () => true,
    guard: () => () => {},
    signal: stop.signal,
  });
  const { queue, limiter, api } = operator;
  await operator.informers.synced;
  const working = runWorkers(operator.controller, stop.signal);
  return {
    pass: (ms) => clock.pass(ms, () => queue.depth > 0 || queue.runningSince().length > 0),
    async end() {
      stop.abort();
      await working;
      limiter.close();
      await api.close();
    },
  };
}
