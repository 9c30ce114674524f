import packageJson from '../package.json' with { type: 'json' };
import { systemClock } from './clock.ts';
import { type Config, parseConfig } from './config.ts';
import { createRestCollector } from './heap.ts';
import { OPERATIONS } from './kinds/index.ts';
import { createKubeClient } from './kube/client.ts';
import { loadCluster } from './kube/config.ts';
import { createLeadership, processIdentity } from './leadership.ts';
import { bugFields, errorFields, type Log } from './log.ts';
import { createLog } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { collectFigures, startCounters } from './observe.ts';
import { createOperator } from './operator.ts';
import { createRedactor } from './redaction.ts';
import { runWorkers } from './runtime/controller.ts';
import { startServer } from './server.ts';

const { version } = packageJson;
const clock = systemClock;
/** What a pass may take beside its call. */
const PASS_GRACE_MS = 5_000;
/** A worker busy for longer than several calls could take is not coming back. */
const STUCK_PASSES = 5;

async function run(config: Config, log: Log, guard: ReturnType<typeof createRedactor>['add']): Promise<void> {
  const stop = onTermination(log);
  const metrics = createMetrics();
  const collector = createRestCollector({ clock });
  const cluster = await loadCluster({ kubeconfig: config.kubeconfig, context: config.context });
  const host = cluster.server.host;
  const client = createKubeClient(cluster, {
    clock,
    userAgent: `pipewright/${version}`,
    onRequest: ({ verb, code }) => metrics.kubeRequests.inc({ code, method: verb, host }),
  });
  const identity = processIdentity();
  const stopWatches = new AbortController();
  const leadership = createLeadership({
    lease: config.leaderElect
      ? { client, namespace: leaseNamespace(config, cluster.namespace), name: config.leaderElectName }
      : undefined,
    identity,
    clock,
    log,
    work: async (signal) => {
      await Promise.race([operator.informers.synced, aborted(signal)]);
      if (!signal.aborted) log.info({ concurrency: config.concurrency }, 'working');
      await runWorkers(operator.controller, signal);
    },
  });
  const operator = createOperator({
    config,
    client,
    clock,
    log,
    metrics,
    version,
    instance: identity,
    mayStartCall: leadership.mayStartCall,
    guard,
    onPass: collector.active,
    signal: stopWatches.signal,
  });
  void operator.informers.synced.then(collector.active);
  const { queue, pacer, kinds } = operator;
  startCounters(metrics, { kinds: kinds.map(({ type }) => type.kind), operations: OPERATIONS, host });
  collectFigures(metrics, { queue, pacer, kinds, clock, isLeader: leadership.isLeader });
  const longestPassMs = STUCK_PASSES * (config.apiTimeoutMs + PASS_GRACE_MS);
  const server = await startServer({
    listen: config.listen,
    live: {
      workers: () =>
        queue.runningSince().some((since) => clock.monotonic() - since > longestPassMs)
          ? `a pass has run for more than ${longestPassMs / 1000} s`
          : undefined,
    },
    ready: { informers: operator.informers.missing },
    metrics: metrics.render,
    onError: (error) => log.error(errorFields(error), 'the status server had an error'),
  });
  const api = { api: operator.api.baseUrl, ...(config.apiProxy && { proxy: config.apiProxy.origin }) };
  log.info({ version, ...api, cluster: host, port: server.port, identity }, 'started');
  const ended = await Promise.race([leadership.run(stop), graceAfter(stop, config.apiTimeoutMs + PASS_GRACE_MS)]);
  if (ended === 'overdue') log.warn({}, 'a pass has not ended in time; the process ends without it');
  await operator.events.flush();
  stopWatches.abort();
  pacer.close();
  await Promise.all([operator.api.close(), client.close(), server.close()]);
  log.info({}, 'stopped');
}

/** Aborted by the first SIGTERM or SIGINT; a second one ends the process at once. */
function onTermination(log: Log): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130);
      log.info({ signal: name }, 'stopping: running passes are let end');
      stop.abort();
    });
  }
  return stop.signal;
}

function leaseNamespace(config: Config, own: string | undefined): string {
  const namespace = config.leaderElectNamespace ?? own;
  if (namespace === undefined) throw new Error('no namespace for the Lease is known; set --leader-elect-namespace');
  return namespace;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Resolves this long after the signal: what has not ended by then will not. */
function graceAfter(signal: AbortSignal, ms: number): Promise<'overdue'> {
  return aborted(signal).then(() => new Promise((resolve) => void clock.at(ms, () => resolve('overdue'))));
}

async function main(): Promise<number> {
  const parsed = parseConfig({ argv: process.argv.slice(2), env: process.env, version });
  if (!parsed.ok) {
    (parsed.exitCode === 0 ? process.stdout : process.stderr).write(parsed.message);
    return parsed.exitCode;
  }
  const redactor = createRedactor();
  const log = createLog({ level: parsed.config.logLevel, redactor });
  // Node's own report would print every property of the error, past the log and its redaction.
  for (const kind of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(kind, (error: unknown) => {
      log.fatal({ ...bugFields(error), kind }, 'an error that nobody caught, a bug; the process ends, start it again');
      process.exit(1);
    });
  }
  try {
    await run(parsed.config, log, redactor.add);
    return 0;
  } catch (error) {
    log.fatal(errorFields(error), 'cannot run');
    return 1;
  }
}

process.exit(await main());
