import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../controlplane/programs.ts';
import { startRegistry } from '../packaging/registry.ts';
import { succeed } from '../packaging/run.ts';

/** A registry of OCI artifacts on loopback, over plain HTTP, that holds one chart. */
export interface ChartRegistry {
  /** Of the chart, as Argo CD takes it. */
  readonly url: string;
  /** Of the chart. */
  readonly version: string;
  stop(): Promise<void>;
}

/** Serves the chart of this folder under its own version. */
export async function startChartRegistry(chart: string): Promise<ChartRegistry> {
  const { address, stop } = await startRegistry();
  try {
    const charts = `oci://${address}/charts`;
    const version = await push(chart, charts);
    return { url: `${charts}/pipewright`, version, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Gives the version. */
async function push(chart: string, charts: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-chart-'));
  try {
    const helm = await findProgram('helm');
    await succeed(helm, ['package', chart, '--destination', folder]);
    const [file = ''] = await readdir(folder);
    const version = /-(\d[^/]*)\.tgz$/.exec(file)?.[1];
    if (version === undefined) throw new Error(`helm package made ${file}, which has no version`);
    await succeed(helm, ['push', join(folder, file), charts, '--plain-http']);
    return version;
  } finally {
    await rm(folder, { recursive: true });
  }
}
