import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { controlPlane } from '../../controlplane/client.ts';
import { findProgram } from '../../controlplane/programs.ts';
import { type Ran, run, succeed } from '../../controlplane/run.ts';
import { type Manifest, parseManifests } from './manifests.ts';

export const CHART = 'deploy/helm/pipewright';
/** Sets of values that the documents speak of, by name. */
const EXAMPLES_IN = 'deploy/helm/values';
export const EXAMPLES = readdirSync(EXAMPLES_IN).map((file) => file.replace('.yaml', ''));

/** The versions of Helm that the chart is for. */
export const HELMS = ['helm', 'helm3'] as const;
export type Helm = (typeof HELMS)[number];

/** A Helm 3 that was not built by its own script takes an old Kubernetes for granted. */
export const ON = ['--kube-version', '1.36.0'];

export interface Rendering {
  readonly values?: object;
  /** One of `EXAMPLES`. */
  readonly example?: string;
  readonly program?: Helm;
  /** Absent: `pipewright`, as is the release. */
  readonly namespace?: string;
}

/** Runs helm without a cluster, with nothing of the person at this machine. */
export async function helm(
  args: readonly string[],
  { values, program = 'helm' }: { readonly values?: object; readonly program?: Helm } = {},
): Promise<Ran> {
  const own = join(controlPlane.folder, program);
  const env = {
    HELM_CACHE_HOME: join(own, 'cache'),
    HELM_CONFIG_HOME: join(own, 'config'),
    HELM_DATA_HOME: join(own, 'data'),
  };
  const given = values ? [...args, '--values', '-'] : args;
  const stdin = values ? JSON.stringify(values) : '';
  return run(await findProgram(program), given, { stdin, env });
}

export function template({ values = {}, example, program, namespace }: Rendering): Promise<Ran> {
  const file = example === undefined ? [] : ['--values', join(EXAMPLES_IN, `${example}.yaml`)];
  const into = ['--namespace', namespace ?? 'pipewright', ...ON];
  const args = ['template', 'pipewright', CHART, ...file, ...into];
  return helm(args, { values, ...(program && { program }) });
}

/** The objects of the chart; the address of the API is given where the values have none. */
export async function rendered({ values = {}, ...rest }: Rendering = {}): Promise<Manifest[]> {
  const { api } = values as { readonly api?: object };
  const complete = { ...values, api: { url: 'https://api.example.com', ...api } };
  const { code, stdout, stderr } = await template({ ...rest, values: complete });
  if (code !== 0) throw new Error(`helm template ended with ${code}: ${stderr}`);
  return parseManifests(stdout);
}

/** What kustomize makes of a folder. */
export async function kustomized(folder: string): Promise<Manifest[]> {
  return parseManifests(await succeed(await findProgram('kustomize'), ['build', folder]));
}

export const CLUSTER_WIDE = 'deploy/kustomize/overlays/cluster-wide';
