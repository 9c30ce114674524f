import type { Ran } from '../../src/cli/cluster/child.ts';
import type { Kubectl } from '../../src/cli/cluster/kubectl.ts';
import { KubectlError } from '../../src/cli/cluster/kubectl.ts';
import type { Found } from '../../src/cli/cluster/objects.ts';
import type { Working } from '../../src/cli/doctor/coverage.ts';
import { type Deployment, readDeployment } from '../../src/cli/doctor/deployment.ts';
import { createShell, type Shell } from '../../src/cli/shell.ts';
import { announcement } from '../../src/config/announcement.ts';
import { definition } from '../../src/kinds/pipe-settings/definition.ts';
import type { Lease } from '../../src/kube/lease/lease-record.ts';
import type { KubeObject } from '../../src/kube/resource.ts';

export const shell: Shell = createShell({});

/** A PipeSettings as `kubectl get` gives it. */
export function pset(
  name: string,
  more: {
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly secret?: object;
    readonly reason?: string;
    readonly message?: string;
    readonly side?: 'Stalled' | 'Reconciling';
  } = {},
): Found {
  const { namespace = 'ingest', labels = {}, secret = { name: 'management-api' } } = more;
  const { reason, message = 'why', side } = more;
  const condition = (type: string, status: string) => ({
    type,
    status,
    reason,
    message,
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  const conditions = [condition('Ready', 'False'), ...(side ? [condition(side, 'True')] : [])];
  const metadata = { name, namespace, labels, uid: name, resourceVersion: '1', generation: 1 };
  const object = {
    metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { credentialsSecretRef: secret },
    ...(reason !== undefined && { status: { observedGeneration: 1, conditions } }),
  };
  return { definition, object };
}

/** A Deployment in namespace `pipewright`, with these variables in its ConfigMap. */
export function deployment(
  data: Readonly<Record<string, string>> = {},
  more: {
    readonly name?: string;
    readonly helm?: boolean;
    readonly args?: readonly string[];
    readonly env?: readonly object[];
    readonly isUnread?: boolean;
  } = {},
): Deployment {
  const { name = 'pipewright', args = [], env } = more;
  const variables = Object.keys(data).map((variable) => ({
    name: variable,
    valueFrom: { configMapKeyRef: { name: 'pipewright-flags', key: variable } },
  }));
  const object = {
    metadata: {
      ...named('pipewright', name),
      ...(more.helm && {
        labels: { 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: {
          'meta.helm.sh/release-name': 'ours',
          'meta.helm.sh/release-namespace': 'pipewright',
        },
      }),
    },
    spec: {
      replicas: 1,
      template: {
        spec: {
          serviceAccountName: 'operator',
          containers: [{ name: 'pipewright', args, env: (env ?? variables) as [] }],
        },
      },
    },
  };
  const configMaps = new Map([['pipewright-flags', data]]);
  return readDeployment(object, more.isUnread ? undefined : configMaps);
}

export function lease(
  name: string,
  more: {
    readonly holder?: string;
    readonly namespaces?: readonly string[];
    readonly renewed?: string;
    readonly isOfOthers?: boolean;
  } = {},
): Lease {
  const { holder = 'host_1', namespaces = [], renewed = '2026-01-01T00:00:00.000000Z' } = more;
  const apiUrl = new URL('https://api.example.com');
  return {
    metadata: {
      ...named('pipewright', name),
      ...(!more.isOfOthers && {
        annotations: announcement({ apiUrl, namespaces, planOnly: false }, '1.0.0'),
      }),
    },
    spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: renewed },
  };
}

function named(namespace: string, name: string): KubeObject['metadata'] {
  return {
    namespace,
    name,
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
}

export function working(
  works: Partial<Working['works']> = {},
  installed: Deployment = deployment(),
): Working {
  return {
    namespace: 'pipewright',
    deployment: installed,
    leaseAt: { namespace: 'pipewright', name: 'pipewright' },
    works: { namespaces: [], selector: '', secretSelector: '', ...works },
  };
}

/** A kubectl that answers each call by this function; a text that begins with `Error` is its refusal. */
export function fakeKubectl(answer: (args: readonly string[], input: string) => string): Kubectl {
  const succeed = async (args: readonly string[], input = ''): Promise<string> => {
    const said = answer(args, input);
    if (!said.startsWith('Error')) return said;
    const reason = said.includes('NotFound') ? 'NotFound' : 'Forbidden';
    throw new KubectlError({ reason, message: said });
  };
  const get = async <T>(path: string): Promise<T> =>
    JSON.parse(await succeed(['get', '--raw', path])) as T;
  return {
    succeed,
    get,
    run: async (args, input): Promise<Ran> => ({
      code: 0,
      stdout: await succeed(args, input),
      stderr: '',
    }),
    find: async <T>(path: string) => {
      try {
        return await get<T>(path);
      } catch (error) {
        if (error instanceof KubectlError && error.failure.reason === 'NotFound') return undefined;
        throw error;
      }
    },
    post: async <T>(path: string, body: object) =>
      JSON.parse(await succeed(['create', '--raw', path], JSON.stringify(body))) as T,
    follow: () => Promise.resolve(),
    currentNamespace: () => Promise.resolve('default'),
  };
}
