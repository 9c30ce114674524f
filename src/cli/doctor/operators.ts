import { announcedIn } from '../../config/announcement.ts';
import { LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { collectionPath, objectPath, type ResourceType } from '../../kube/resource.ts';
import { USUAL_NAMESPACE } from '../cluster/announced.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import { hasApiVariable } from '../cluster/operator-container.ts';
import {
  type ConfigMaps,
  configMapsOf,
  type Deployment,
  type DeploymentObject,
  readDeployment,
} from './deployment.ts';
import { doubted } from './doubt.ts';
import { deploymentNameIn, type Operator, paired } from './pairing.ts';
import { attempt, type Report } from './report.ts';

/**
 * With `nameOverride` it is another; then the holder of the Lease leads to the Deployment, and
 * before there is one, its variables.
 */
const LABEL = 'app.kubernetes.io/name=pipewright';

const DEPLOYMENT: ResourceType = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
};
const CONFIG_MAP: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
};

export interface Look {
  readonly kubectl: Kubectl;
  readonly report: Report;
  /** Undefined: all, or where these may not be listed, the usual one. */
  readonly namespace: string | undefined;
}

/** Every operator that can be seen; undefined where nobody may look, which is put down. */
export async function findOperators(look: Look): Promise<readonly Operator[] | undefined> {
  const [deployments, leases] = await Promise.all([
    list<DeploymentObject>(look, DEPLOYMENT, `?labelSelector=${encodeURIComponent(LABEL)}`),
    list<Lease>(look, LEASE, ''),
  ]);
  if (!deployments && !leases) return undefined;
  const named = await deploymentsOfHolders(look, leases ?? [], deployments ?? []);
  const known = [...(deployments ?? []), ...named];
  const all = deployments && known.length === 0 ? await unlabelled(look) : known;
  const installed = await Promise.all(all.map((one) => read(look, one)));
  return doubted(paired(installed, leases ?? []), look.namespace);
}

async function list<T>(
  { kubectl, report, namespace }: Look,
  type: ResourceType,
  query: string,
): Promise<readonly T[] | undefined> {
  const of = async (where: string | undefined): Promise<readonly T[]> =>
    (await kubectl.get<{ items: readonly T[] }>(collectionPath(type, where) + query)).items;
  const first = await attempt(() => of(namespace));
  if ('value' in first) return first.value;
  const usual = namespace === undefined ? await attempt(() => of(USUAL_NAMESPACE)) : undefined;
  if (usual && 'value' in usual) return usual.value;
  report.cannot(
    'operator',
    `The ${type.plural} ${namespace === undefined ? `of all namespaces, and of namespace ${USUAL_NAMESPACE},` : `of namespace ${namespace}`} could not be listed: ${first.refusal.message}. Where the operator is in another namespace, name it with --operator-namespace.`,
  );
  return undefined;
}

/** Those that hold a Lease with our annotations and have not the label. */
async function deploymentsOfHolders(
  { kubectl }: Look,
  leases: readonly Lease[],
  known: readonly DeploymentObject[],
): Promise<readonly DeploymentObject[]> {
  const isKnown = (namespace: string, name: string): boolean =>
    known.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const places = leases.flatMap((lease) => {
    const name = deploymentNameIn(lease);
    const { namespace, annotations } = lease.metadata;
    const isOurs = name !== undefined && announcedIn(annotations) !== undefined;
    return isOurs && !isKnown(namespace, name) ? [objectPath(DEPLOYMENT, namespace, name)] : [];
  });
  const found = await Promise.all(
    [...new Set(places)].map((path) => attempt(() => kubectl.find<DeploymentObject>(path))),
  );
  return found.flatMap((one) => ('value' in one && one.value ? [one.value] : []));
}

/** All Deployments may be many, so they are asked for only where no operator is seen otherwise. */
async function unlabelled(look: Look): Promise<readonly DeploymentObject[]> {
  const all = await list<DeploymentObject>(look, DEPLOYMENT, '');
  return (all ?? []).filter(({ spec }) => spec?.template?.spec?.containers?.some(hasApiVariable));
}

async function read({ kubectl }: Look, object: DeploymentObject): Promise<Deployment> {
  const names = configMapsOf(object);
  const maps = await attempt(() =>
    Promise.all(
      names.map(async (name): Promise<[string, Readonly<Record<string, string>>]> => {
        const path = objectPath(CONFIG_MAP, object.metadata.namespace, name);
        const map = await kubectl.find<{ readonly data?: Readonly<Record<string, string>> }>(path);
        return [name, map?.data ?? {}];
      }),
    ),
  );
  const configMaps: ConfigMaps | undefined = 'value' in maps ? new Map(maps.value) : undefined;
  return readDeployment(object, configMaps);
}
