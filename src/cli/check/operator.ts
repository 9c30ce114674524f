import { definitions } from '../../kinds/definitions.ts';
import { apiVersionOf } from '../../kube/resource.ts';
import type { Kubectl } from '../kubectl.ts';
import { fullName } from '../objects.ts';
import { ago } from '../words.ts';
import { type Finding, fine, problem } from './findings.ts';

interface Crd {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/** Every kind is there, in the version that this plugin speaks. */
export async function checkCrds(kubectl: Kubectl): Promise<readonly Finding[]> {
  const names = definitions.map(fullName);
  const crds = await kubectl.get<Crd>(['crd', ...names, '--ignore-not-found']);
  const findings = definitions.flatMap((definition): readonly Finding[] => {
    const name = fullName(definition);
    const crd = crds.find(({ metadata }) => metadata.name === name);
    if (!crd)
      return [
        problem(`The CRD ${name} is not installed; apply the CRDs of this version's release`),
      ];
    const { version } = definition.type;
    const served = crd.spec.versions.filter((one) => one.served).map((one) => one.name);
    if (served.includes(version)) return [];
    return [
      problem(
        `The CRD ${name} serves ${served.join(', ')}, but not ${apiVersionOf(definition.type)}; apply the CRDs of this version's release`,
      ),
    ];
  });
  return findings.length > 0 ? findings : [fine(`${names.length} CRDs are installed`)];
}

interface Lease {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly renewTime?: string; readonly holderIdentity?: string };
}

/** A leader renews its Lease every few seconds. */
const FRESH_MS = 30_000;

/** Some operator leads. Its Lease has the name of the release, or of the flag. */
export async function checkLease(
  kubectl: Kubectl,
  namespace: string,
  now: number,
): Promise<readonly Finding[]> {
  const all = await kubectl.get<Lease>(['leases.coordination.k8s.io', '-n', namespace]);
  const leases = all
    .filter(({ metadata }) => metadata.name.includes('pipewright'))
    .toSorted((a, b) => renewedAt(b) - renewedAt(a));
  const [newest] = leases;
  if (!newest)
    return [
      problem(
        `No operator has run in namespace ${namespace}: it has no Lease with pipewright in its name; install the operator, name its namespace with --operator-namespace, or look for a Lease of another name: kubectl -n ${namespace} get leases`,
      ),
    ];
  // One that nobody renews is left of flags that an operator had once.
  const fresh = leases.filter((lease) => now - renewedAt(lease) <= FRESH_MS);
  if (fresh.length > 0)
    return fresh.map(({ metadata, spec }) =>
      fine(`${spec?.holderIdentity} leads, by Lease ${metadata.name}`),
    );
  const { metadata, spec = {} } = newest;
  const last =
    spec.renewTime === undefined ? 'never renewed' : `renewed ${ago(spec.renewTime, now)}`;
  return [
    problem(
      `No operator leads: Lease ${metadata.name} in namespace ${namespace} was ${last}; see why its Pod is not running: kubectl -n ${namespace} get pods`,
    ),
  ];
}

/** Epoch ms; one that is released counts as never renewed. */
function renewedAt({ spec = {} }: Lease): number {
  return spec.holderIdentity ? Date.parse(spec.renewTime ?? '') || 0 : 0;
}

interface Workload {
  readonly spec?: {
    readonly serviceAccountName?: string;
    readonly template?: { readonly spec?: { readonly serviceAccountName?: string } };
  };
}

/** Its ServiceAccount, by its Deployment or Pods; undefined where there is none. */
export async function serviceAccountIn(
  kubectl: Kubectl,
  namespace: string,
): Promise<string | undefined> {
  const label = ['-l', 'app.kubernetes.io/name=pipewright'];
  const all = await kubectl.get<Workload>(['deployments.apps,pods', '-n', namespace, ...label]);
  return all
    .map(({ spec }) => spec?.template?.spec?.serviceAccountName ?? spec?.serviceAccountName)
    .find((name) => name !== undefined);
}
