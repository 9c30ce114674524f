import type { KubeObject } from '../../kube/resource.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import type { Container, PodSpec } from './containers.ts';
import type { Missing } from './missing.ts';
import { type Part, pathOf } from './part.ts';

/** A Pod, as far as it is used. */
export interface Pod extends KubeObject {
  readonly spec: PodSpec;
  readonly status?: {
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly restartCount?: number;
    }[];
  };
}

interface Source {
  readonly kubectl: Kubectl;
  readonly missing: Missing;
}

interface Place {
  readonly pod: Pod;
  readonly container: Container;
  readonly folders: readonly string[];
}

/** The end of the log: so much is enough for a day, and fits into a mail. */
const LOG_BOUNDS = ['--tail=20000', '--since=24h', '--limit-bytes=20000000'];
const LOG_TIMEOUT = '--request-timeout=60s';
/** A network policy may keep the API server from the Pods, without a word. */
const METRICS_TIMEOUT = '--request-timeout=10s';
const USUAL_PORT = 8080;

/** What the operator has said, and what its last process said before it ended. */
export async function logsOf(source: Source, { pod, container, folders }: Place): Promise<Part[]> {
  const { name, namespace } = pod.metadata;
  const status = pod.status?.containerStatuses?.find((each) => each.name === container.name);
  const logs = ['logs', name, `--namespace=${namespace}`, `--container=${container.name}`];
  const args = [...logs, ...LOG_BOUNDS, LOG_TIMEOUT];
  const path = (ending: string): string => pathOf(folders, name, ending);
  const thePod = `the Pod ${namespace}/${name}`;
  return [
    ...(await said(source, { what: `the log of ${thePod}`, args, path: path('.log') })),
    ...((status?.restartCount ?? 0) === 0
      ? []
      : await said(source, {
          what: `the log before the restart of ${thePod}`,
          args: [...args, '--previous'],
          path: path('.previous.log'),
        })),
  ];
}

/** Its figures, as Prometheus gets them; the API server fetches them from the Pod. */
export async function metricsOf(
  source: Source,
  { pod, container, folders }: Place,
): Promise<Part[]> {
  const { name, namespace } = pod.metadata;
  const { ports = [] } = container;
  const what = `the metrics of the Pod ${namespace}/${name}`;
  if (ports.some((one) => one.name === 'metrics')) {
    source.missing.add(
      what,
      'they are behind --metrics-listen, which lets in nobody without a token',
    );
    return [];
  }
  const port = ports.find((one) => one.name === 'http')?.containerPort ?? USUAL_PORT;
  const place = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  const args = ['get', '--raw', `${place}:${port}/proxy/metrics`, METRICS_TIMEOUT];
  return said(source, { what, args, path: pathOf(folders, name, '.metrics.txt') });
}

/** What kubectl prints. Why it fails is seldom about the cluster: there the advice is another. */
async function said(
  { kubectl, missing }: Source,
  { what, args, path }: { readonly what: string; readonly args: string[]; readonly path: string },
): Promise<Part[]> {
  const { code, stdout, stderr } = await kubectl.run(args);
  if (code === 0) return [{ path, content: stdout }];
  missing.add(what, stderr.trim().replace(/^(error: |Error from server(?: \(\w+\))?: )/i, ''));
  return [];
}
