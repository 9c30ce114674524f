import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import packageJson from '../package.json' with { type: 'json' };
import { systemClock } from './clock.ts';
import { type Config, parseConfig } from './config/config.ts';
import { loadCluster } from './kube/cluster.ts';
import { runProcess } from './process.ts';
import { startServer } from './telemetry/health.ts';
import { bugFields, errorFields, type Log } from './telemetry/log.ts';
import { createLog } from './telemetry/logger.ts';
import { createRedactor } from './telemetry/mask.ts';
import { createMetrics } from './telemetry/metrics.ts';

const { version } = packageJson;

async function run(
  config: Config,
  log: Log,
  guard: ReturnType<typeof createRedactor>['add'],
): Promise<void> {
  const stop = onTermination(log);
  const cluster = await loadCluster(config.kubeconfig, config.context);
  await runProcess({
    config,
    cluster,
    clock: systemClock,
    log,
    metrics: createMetrics({ ofNode: true }),
    version,
    // Of this process, and readable in a Lease and in events.
    identity: `${hostname().slice(0, 60)}_${randomUUID()}`,
    guard,
    startServer,
    stop,
  });
}

/** Aborted by the first SIGTERM or SIGINT; a second one ends the process at once. */
function onTermination(log: Log): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(130);
      log.info({ signal: name }, 'stopping; waiting for running reconciles to end');
      stop.abort();
    });
  }
  return stop.signal;
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
      log.fatal({ ...bugFields(error), kind }, 'uncaught error, a bug; the process exits');
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
