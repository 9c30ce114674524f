import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../controlplane/programs.ts';
import { startRegistry } from '../packaging/registry.ts';
import { succeed } from '../packaging/run.ts';

/** A chart in a registry on loopback, which speaks plain HTTP. */
export interface PublishedChart {
  /** Of its repository, as Argo CD takes it. */
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** Pushes the chart of this folder under its own version. */
export async function publishChart(chart: string): Promise<PublishedChart> {
  const helm = await findProgram('helm');
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-chart-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(folder, { recursive: true }));
  const registry = await startRegistry();
  try {
    await succeed(helm, ['package', chart, '--destination', folder]);
    const [file = ''] = await readdir(folder);
    const version = /^pipewright-(\d.*)\.tgz$/.exec(file)?.[1];
    if (version === undefined) throw new Error(`helm package made ${file}, which has no version`);
    const charts = `oci://${registry.address}/charts`;
    await succeed(helm, ['push', join(folder, file), charts, '--plain-http'], {
      env: { HELM_REGISTRY_CONFIG: join(folder, 'helm.json') },
    });
    return { url: `${charts}/pipewright`, version, stop: registry.stop };
  } catch (error) {
    await registry.stop();
    throw error;
  }
}
