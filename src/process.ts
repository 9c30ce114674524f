import type { Dispatcher } from 'undici';
import { type Clock, pause } from './clock.ts';
import type { Config } from './config/config.ts';
import { createKubeClient } from './kube/client.ts';
import type { Cluster } from './kube/cluster.ts';
import type { Informers } from './kube/follow.ts';
import { createElection } from './kube/lease.ts';
import { createOperator } from './operator.ts';
import type { startServer } from './telemetry/health.ts';
import type { Log } from './telemetry/log.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** What a reconcile may take beside its call, which ends by its own time-out. */
const RECONCILE_GRACE_MS = 5_000;

export interface ProcessOptions {
  readonly config: Config;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly version: string;
  /** Unique per process. */
  readonly identity: string;
  /** Keeps these values out of logs until the function it returns is called. */
  readonly guard: (values: readonly string[]) => () => void;
  readonly startServer: typeof startServer;
  /** Ends the process well: running reconciles are let end, the Lease is released. */
  readonly stop: AbortSignal;
  /** How connections are opened; over the network where absent. */
  readonly open?: { readonly kube: () => Dispatcher; readonly api: () => Dispatcher };
}

/**
 * All of a process but what it gets from outside: flags, clock, signals, servers. Resolves when it
 * has ended well; rejects where it has lost the Lease, and nothing of it goes on then.
 */
export async function runProcess(options: ProcessOptions): Promise<void> {
  const { config, cluster, clock, log, metrics, version, identity, stop, open } = options;
  const { host } = new URL(cluster.server);
  if (cluster.isUnverified)
    log.warn(
      { cluster: host },
      'insecure-skip-tls-verify: whoever answers is taken for the API server and gets our credentials',
    );
  cluster.userAgent = `pipewright/${version}`;
  if (open) cluster.open = open.kube;
  const client = createKubeClient(cluster, clock);
  const stopWatches = new AbortController();
  const stopCalls = new AbortController();
  /** Resolves when those that run after `stop` have had all the time that they get. */
  const endOfGrace = async (): Promise<void> => {
    await aborted(stop);
    await pause(clock, config.apiTimeoutMs + RECONCILE_GRACE_MS, stopWatches.signal);
    if (stopWatches.signal.aborted) return;
    log.warn({}, 'a reconcile did not end within the grace period; aborting its call and stopping');
    stopCalls.abort();
  };
  const graceIsOver = endOfGrace();
  const lease = config.leaderElect
    ? { namespace: leaseNamespace(config, cluster.namespace), name: config.leaderElectName }
    : undefined;
  let informers: Informers | undefined;
  const work = async (signal: AbortSignal): Promise<void> => {
    // Not before this process leads: so the lists contain what a former leader wrote.
    informers = operator.startInformers();
    await Promise.race([informers.synced, aborted(signal)]);
    if (!signal.aborted) log.info({}, 'working');
    await Promise.race([operator.worker.run(signal), graceIsOver]);
  };
  const leadership = lease
    ? createElection(client, clock, log, { ...lease, identity })
    : { run: () => work(stop), isLeader: () => true, mayStartCall: () => true };
  const operator = createOperator({
    ...options,
    client,
    lease,
    mayStartCall: () => leadership.mayStartCall(),
    signal: stopWatches.signal,
    stopCalls: stopCalls.signal,
  });
  const { queue, limiter, kinds } = operator;
  metrics.observe({ queue, kinds, limiter, isLeader: () => leadership.isLeader() });
  const server = await options.startServer({
    listen: config.listen,
    missing: () => informers?.missing(),
    metrics: metrics.render,
    clock,
    log,
  });
  const api = operator.api.baseUrl;
  log.info({ version, api, cluster: host, port: server.port, identity }, 'started');
  try {
    await leadership.run(stop, work);
    await Promise.race([operator.events.flush(), graceIsOver]);
  } finally {
    stopWatches.abort();
    stopCalls.abort();
    await Promise.all([operator.api.close(), client.close(), server.close()]);
  }
  log.info({}, 'stopped');
}

function leaseNamespace(config: Config, own: string | undefined): string {
  const namespace = config.leaderElectNamespace ?? own;
  if (namespace === undefined)
    throw new Error('no namespace for the Lease is known; set --leader-elect-namespace');
  return namespace;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
