import { environmentName } from '../../config/flags.ts';
import type { Shell } from '../shell.ts';
import type { Release } from './deployment.ts';
import type { Operator } from './pairing.ts';

/** The chart, from a checkout of this version. */
const CHART = 'deploy/helm/pipewright';

/** Of each command for Helm. */
export const HELM_COMMAND = `The command is for a checkout of this version, where the chart is (${CHART}), and for Helm 4: with Helm 3, which has no --force-conflicts, leave that flag out.`;

/** What to say, and a command where there is one. */
export interface Told {
  readonly says: string;
  readonly command?: string;
}

/** How an operator is told other namespaces, which depends on how it was installed. */
export function setNamespacesCommand(
  { deployment, leaseAt }: Operator,
  namespaces: readonly string[],
  shell: Shell,
): Told {
  const value = namespaces.join(',');
  if (!deployment)
    return { says: `Start it with --namespaces=${value}; it is not known what runs it.` };
  const { namespace, name, helm } = deployment;
  if (helm)
    return {
      says: HELM_COMMAND,
      command: upgrade(helm, ['--set', `namespaces={${value}}`], shell),
    };
  const source = deployment.source('namespaces');
  if (source.in === 'arguments')
    return {
      says: `Its Deployment has --namespaces among the arguments of the container: write --namespaces=${value} there.`,
    };
  const settings = {
    [environmentName('namespaces')]: value,
    // The name of the Lease follows from this flag, and its Role names the Lease. With the name
    // that it has, nobody needs another right, and the old process and the new one share one Lease.
    ...(leaseAt && { [environmentName('leader-elect-name')]: leaseAt.name }),
  };
  const restart = shell.kubectl('-n', namespace, 'rollout', 'restart', `deployment/${name}`);
  if (source.in === 'config-map')
    return {
      says: `Write the same into what ConfigMap ${source.name} is made of, if it is applied from files.`,
      command: `${shell.kubectl('-n', namespace, 'patch', 'configmap', source.name, '--type=merge', '-p', JSON.stringify({ data: settings }))} && ${restart}`,
    };
  const pairs = Object.entries(settings).map(([variable, text]) => `${variable}=${text}`);
  return {
    says: 'Write the same into what the Deployment is made of, if it is applied from files.',
    command: shell.kubectl('-n', namespace, 'set', 'env', `deployment/${name}`, ...pairs),
  };
}

/** An upgrade of the release to the chart of this version, with the values that it has. */
export function upgrade(
  { release, namespace }: Release,
  more: readonly string[],
  shell: Shell,
): string {
  // Not --reuse-values, which leaves out what a new chart has added to its values.
  // With force, because whoever has changed something by another program owns that part.
  const values = ['--reset-then-reuse-values', '--force-conflicts', ...more];
  return shell.helm('upgrade', release, CHART, '--namespace', namespace, ...values);
}

/** Where there is no operator at all. The release may be there, with values of its own. */
export function installCommand({ release, namespace }: Release, shell: Shell): string {
  // CRDs that were applied by kubectl belong to no release until one takes them.
  const adopting = ['--reset-then-reuse-values', '--take-ownership', '--force-conflicts'];
  const where = ['--namespace', namespace, '--create-namespace'];
  const url = ['--set', { before: 'api.url=', variable: 'PIPEWRIGHT_API_URL' }];
  return shell.helm('upgrade', '--install', release, CHART, ...where, ...adopting, ...url);
}
