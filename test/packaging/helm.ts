import { join } from 'node:path';
import { controlPlane } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { type Manifest, parseManifests } from './manifests.ts';
import { type Ran, run } from './run.ts';

export const CHART = 'deploy/helm/pipewright';
/** Where the sets of values that the documents speak of are. */
export const EXAMPLES = 'deploy/helm/values';

/** The versions of Helm that the chart is for. */
export const HELMS = ['helm', 'helm3'] as const;
export type Helm = (typeof HELMS)[number];

/** Time for the first test that needs a program which is not in the cache yet. */
export const BUILD_MS = 600_000;

export interface Rendering {
  readonly values?: object;
  /** A name in `EXAMPLES`, without `.yaml`. */
  readonly example?: string;
  readonly release?: string;
  readonly namespace?: string;
  readonly flags?: readonly string[];
  readonly program?: Helm;
}

/**
 * Runs helm, as the administrator of the control plane that all tests share unless told otherwise.
 */
export async function helm(
  args: readonly string[],
  {
    values,
    kubeconfig = controlPlane.adminKubeconfig,
    program = 'helm',
  }: { values?: object; kubeconfig?: string; program?: Helm } = {},
): Promise<Ran> {
  const own = join(controlPlane.folder, program);
  const env = {
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: join(own, 'cache'),
    HELM_CONFIG_HOME: join(own, 'config'),
    HELM_DATA_HOME: join(own, 'data'),
  };
  const given = values ? [...args, '--values', '-'] : args;
  return run(await findProgram(program), given, {
    stdin: values ? JSON.stringify(values) : '',
    env,
  });
}

/**
 * `helm template`, for a release `pipewright` in the namespace `pipewright` unless told otherwise.
 */
export async function template({ values, example, ...options }: Rendering = {}): Promise<Ran> {
  const { release = 'pipewright', namespace = 'pipewright', flags = [], program } = options;
  const file = example === undefined ? [] : ['--values', join(EXAMPLES, `${example}.yaml`)];
  const args = ['template', release, CHART, '--namespace', namespace, ...file, ...flags];
  return helm(args, { ...(values && { values }), ...(program && { program }) });
}

/** The objects of the chart; the address of the API is given where the values have none. */
export async function rendered({ values = {}, ...rendering }: Rendering = {}): Promise<Manifest[]> {
  const { api } = values as { readonly api?: object };
  const complete =
    rendering.example === undefined
      ? { ...values, api: { url: 'https://api.example.com', ...api } }
      : values;
  const { code, stdout, stderr } = await template({ ...rendering, values: complete });
  if (code !== 0) throw new Error(`helm template ended with ${code}: ${stderr}`);
  return parseManifests(stdout, controlPlane.kubectlProgram);
}

/** Why the chart refuses these values; throws where it takes them. */
export async function refusal(values: object): Promise<string> {
  const { code, stderr } = await template({ values });
  if (code === 0) throw new Error(`helm took ${JSON.stringify(values)}`);
  return stderr;
}
