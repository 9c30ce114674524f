import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as config from '../../../src/config/config.ts';
import type * as cluster from '../../../src/kube/cluster.ts';
import type * as process from '../../../src/process.ts';
import type * as logger from '../../../src/telemetry/logger.ts';
import type * as mask from '../../../src/telemetry/mask.ts';
import type * as metrics from '../../../src/telemetry/metrics.ts';

/** The parts of the product that a simulated process is started with. */
export interface Product {
  readonly parseConfig: typeof config.parseConfig;
  readonly Cluster: typeof cluster.Cluster;
  readonly createLog: typeof logger.createLog;
  readonly createMetrics: typeof metrics.createMetrics;
  readonly runProcess: typeof process.runProcess;
  readonly createRedactor: typeof mask.createRedactor;
}

/**
 * Loads the product from a folder with its sources: the project's own, or a copy with a fault
 * planted in it.
 */
export async function loadProduct(sources: string): Promise<Product> {
  const load = <Module>(file: string): Promise<Module> =>
    import(pathToFileURL(join(sources, file)).href) as Promise<Module>;
  const { parseConfig } = await load<typeof config>('config/config.ts');
  const { Cluster } = await load<typeof cluster>('kube/cluster.ts');
  const { createLog } = await load<typeof logger>('telemetry/logger.ts');
  const { createMetrics } = await load<typeof metrics>('telemetry/metrics.ts');
  const { runProcess } = await load<typeof process>('process.ts');
  const { createRedactor } = await load<typeof mask>('telemetry/mask.ts');
  return { parseConfig, Cluster, createLog, createMetrics, runProcess, createRedactor };
}
