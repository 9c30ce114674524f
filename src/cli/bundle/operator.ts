import type { KubeObject } from '../../kube/resource.ts';
import { USUAL_NAMESPACE } from '../cluster/announced.ts';
import { isForbidden, type Kubectl } from '../cluster/kubectl.ts';
import { operatorContainer } from '../cluster/operator-container.ts';
import { type Container, type Deployment, sourcesOf } from './containers.ts';
import { keptEvent, listEvents } from './events.ts';
import { keptOf } from './kept.ts';
import { shownEvent } from './machine-words.ts';
import type { Missing } from './missing.ts';
import { type Part, pathOf } from './part.ts';
import { logsOf, metricsOf, type Pod } from './pods.ts';
import { shownVariable } from './settings.ts';
import { keptDeployment, keptLease, keptPod } from './workloads.ts';

const LABEL = 'app.kubernetes.io/name=pipewright';

interface List<T> {
  readonly items: readonly T[];
}

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

interface Source {
  readonly kubectl: Kubectl;
  readonly missing: Missing;
}

export interface Operator {
  readonly namespace: string;
  readonly deployment: Deployment;
  readonly container: Container;
}

/** Every operator that the user may see; several are shards, or a mistake that matters. */
export async function findOperators(
  { kubectl, missing }: Source,
  given: string | undefined,
): Promise<Operator[]> {
  const what = `the operator's Deployment in ${given === undefined ? 'any namespace' : `namespace ${given}`}`;
  const list = await missing.unless(what, () =>
    given === undefined ? labelled(kubectl) : deployments(kubectl, given),
  );
  const found = (list ?? []).flatMap((deployment) => {
    const container = operatorContainer(deployment.spec.template.spec.containers);
    const { namespace } = deployment.metadata;
    return container ? [{ namespace, deployment, container }] : [];
  });
  if (list && found.length === 0)
    missing.add(what, 'there is none; name another namespace with --operator-namespace');
  return found;
}

async function labelled(kubectl: Kubectl): Promise<readonly Deployment[]> {
  const query = `?labelSelector=${encodeURIComponent(LABEL)}`;
  try {
    return await deployments(kubectl, undefined, query);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return deployments(kubectl, USUAL_NAMESPACE, query);
  }
}

async function deployments(
  kubectl: Kubectl,
  namespace: string | undefined,
  query = '',
): Promise<readonly Deployment[]> {
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const path = `/apis/apps/v1${place}/deployments${query}`;
  return (await kubectl.get<List<Deployment>>(path)).items;
}

/** `namespace/name` of the Secrets that its variables are taken from. */
export function secretsOf({ namespace, container }: Operator): string[] {
  return sourcesOf(container).secrets.map((name) => `${namespace}/${name}`);
}

/** All there is of one operator: what was declared, what runs, what it said. */
export async function operatorParts(source: Source, operator: Operator): Promise<Part[]> {
  const { namespace, deployment, container } = operator;
  const { name } = deployment.metadata;
  const folders = ['operator', namespace, name];
  const yaml = (file: string, content: Part['content']): Part => ({
    path: pathOf(folders, file, '.yaml'),
    content,
  });
  const { kubectl, missing } = source;
  const place = `namespaces/${encodeURIComponent(namespace)}`;
  const pods = await podsOf(source, operator);
  const leases = await missing.unless(`the Leases of namespace ${namespace}`, () =>
    kubectl.get<List<Lease>>(`/apis/coordination.k8s.io/v1/${place}/leases`),
  );
  const configMaps = await Promise.all(
    sourcesOf(container).configMaps.map((one) =>
      missing.unless(`the ConfigMap ${namespace}/${one}`, () =>
        kubectl.get<ConfigMap>(`/api/v1/${place}/configmaps/${encodeURIComponent(one)}`),
      ),
    ),
  );
  const events = await eventsOf(source, operator);
  const said = await Promise.all(
    pods.map(async (pod) => [
      ...(await logsOf(source, { pod, container, folders })),
      ...(await metricsOf(source, { pod, container, folders })),
    ]),
  );
  const held = (leases?.items ?? []).filter((lease) => isHeld(lease, name));
  return [
    yaml('deployment', keptDeployment(deployment, container.name)),
    ...(pods.length > 0
      ? [
          yaml(
            'pods',
            pods.map((pod) => keptPod(pod, container.name)),
          ),
        ]
      : []),
    ...(held.length > 0 ? [yaml('leases', held.map(keptLease))] : []),
    ...configMaps
      .filter((one) => one !== undefined)
      .map((one) => yaml(`configmap-${one.metadata.name}`, keptConfigMap(one))),
    ...(events.length > 0 ? [yaml('events', events)] : []),
    ...said.flat(),
  ];
}

async function podsOf(
  { kubectl, missing }: Source,
  { namespace, deployment }: Operator,
): Promise<readonly Pod[]> {
  const { name } = deployment.metadata;
  const labels = Object.entries(deployment.spec.selector.matchLabels ?? {});
  const selector = labels.map(([label, value]) => `${label}=${value}`).join(',');
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?labelSelector=${encodeURIComponent(selector)}`;
  const what = `the Pods of the Deployment ${namespace}/${name}`;
  if (labels.length === 0) {
    missing.add(what, 'its selector has no matchLabels, so they cannot be told from others');
    return [];
  }
  const list = await missing.unless(what, () => kubectl.get<List<Pod>>(path));
  if (list?.items.length === 0) missing.add(what, 'there are none, so no log and no metrics');
  return list?.items ?? [];
}

async function eventsOf(
  { kubectl, missing }: Source,
  { namespace, deployment }: Operator,
): Promise<object[]> {
  const { name } = deployment.metadata;
  const lists = await Promise.all(
    ['Deployment', 'ReplicaSet', 'Pod'].map((kind) =>
      missing.unless(`the events of kind ${kind} in namespace ${namespace}`, () =>
        listEvents(kubectl, namespace, kind),
      ),
    ),
  );
  return lists
    .flatMap((list) => list ?? [])
    .filter(({ involvedObject }) => `${involvedObject.name}-`.startsWith(`${name}-`))
    .map((event) => keptEvent(shownEvent(event)));
}

/** The Lease that a Pod of this Deployment holds, or one that is called like it. */
function isHeld({ metadata, spec }: Lease, deployment: string): boolean {
  return (
    metadata.name.startsWith('pipewright') ||
    (spec?.holderIdentity ?? '').startsWith(`${deployment}-`)
  );
}

function keptConfigMap(configMap: ConfigMap): object {
  const { data = {}, metadata } = configMap;
  const shown = Object.entries(data).map(([name, value]) => [name, shownVariable(name, value)]);
  return {
    ...keptOf({ metadata }, { apiVersion: 'v1', kind: 'ConfigMap' }),
    data: Object.fromEntries(shown) as object,
  };
}
