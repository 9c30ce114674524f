import { systemClock } from '../../src/clock.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/cluster.ts';
import { createOperator } from '../../src/operator.ts';
import { createRedactor } from '../../src/telemetry/mask.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { waitFor } from '../controlplane/client.ts';
import { MovableClock } from './movable-clock.ts';
import { recordingLog } from './recording-log.ts';

/**
 * An operator in the process of the test, put together as src/main.ts does it, with hands of its
 * clock to turn.
 */
export interface InnerOperator {
  readonly clock: MovableClock;
  readonly messages: readonly string[];
  /** Whether no pass runs and none waits for a worker: then no call is under way. */
  isIdle(): boolean;
  /**
   * Waits until it is idle: the cluster shows what a pass did a moment before that is counted and
   * logged.
   */
  idle(): Promise<void>;
  /** The page of /metrics, of an idle operator. */
  metrics(): Promise<string>;
  /** Lets running passes end, and with them everything; once, however often it is asked for. */
  stop(): Promise<void>;
}

export interface InnerOptions {
  readonly namespaces?: readonly string[];
  readonly flags?: readonly string[];
  /** Of the operator before, for one that goes on from its time. */
  readonly clock?: MovableClock;
}

/**
 * Starts one and waits until it works. What the API and the objects' times go by is the movable
 * clock; the connections to Kubernetes keep to real time, or each turn of the hands would cut them.
 */
export async function startInner(
  scene: {
    readonly namespace: string;
    readonly kubeconfig: string;
    readonly apiUrl: string;
  },
  options: InnerOptions = {},
): Promise<InnerOperator> {
  const { namespaces = [scene.namespace], flags = [], clock = new MovableClock() } = options;
  const given = [
    '--api-url',
    scene.apiUrl,
    '--kubeconfig',
    scene.kubeconfig,
    '--leader-elect=false',
  ];
  const argv = [...given, '--namespaces', namespaces.join(','), '--api-rate', '0', ...flags];
  const parsed = parseConfig({ argv, env: {}, version: 'test' });
  if (!parsed.ok) throw new Error(parsed.message);
  const { config } = parsed;
  const { log, messages } = recordingLog();
  const metrics = createMetrics();
  const cluster = await loadCluster(config.kubeconfig);
  const client = createKubeClient(cluster, systemClock);
  const stopWatches = new AbortController();
  const stopWork = new AbortController();
  const operator = createOperator({
    config,
    cluster,
    client,
    clock,
    log,
    metrics,
    version: 'test',
    identity: 'inner',
    lease: undefined,
    mayStartCall: () => true,
    guard: createRedactor().add,
    signal: stopWatches.signal,
    stopCalls: stopWatches.signal,
  });
  const { queue, worker, limiter, kinds } = operator;
  metrics.observe({ queue, limiter, kinds, isLeader: () => true });
  await operator.startInformers().synced;
  const working = worker.run(stopWork.signal);
  const isIdle = (): boolean => queue.depth === 0 && worker.busy === 0;
  const idle = async (): Promise<void> => {
    await waitFor(isIdle, { what: 'the operator to be idle' });
  };
  async function end(): Promise<void> {
    stopWork.abort();
    await working;
    await operator.events.flush();
    stopWatches.abort();
    await Promise.all([operator.api.close(), client.close()]);
  }
  let stopped: Promise<void> | undefined;
  return {
    clock,
    messages,
    isIdle,
    idle,
    metrics: () => idle().then(metrics.render),
    stop() {
      stopped ??= end();
      return stopped;
    },
  };
}
