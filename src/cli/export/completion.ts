import { LIMITS, sameKey } from '../../kinds/organization/endpoints.ts';
import { storedEntries } from '../../kinds/organization/observation.ts';
import * as organization from '../../kinds/organization/resource.ts';
import * as pipeSettings from '../../kinds/pipe-settings/resource.ts';
import { names as settingNames } from '../../kinds/pipe-settings/settings.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { specProblems } from '../spec-problems.ts';
import { printableYaml } from '../yaml.ts';

/** A spec with what the last reply showed where it says nothing itself. */
export interface Completion {
  readonly spec: object;
  /** Comments about what is to be known, or chosen. */
  readonly above: readonly string[];
  /** Comments behind the last field of the spec, as lines of its depth. */
  readonly below: readonly string[];
}

/** The spec is valid. Undefined where the status shows no reply. */
export function completePipeSettings(object: KubeObject): Completion | undefined {
  const { status } = object as pipeSettings.PipeSettings;
  if (!status?.settings) return undefined;
  const spec = object.spec as pipeSettings.PipeSettingsSpec;
  const { settings: reported, otherSettings = [] } = status;
  const settings: Record<string, number | boolean> = {};
  const above = otherSettings
    .filter(({ field }) => !Object.hasOwn(spec.additionalSettings ?? {}, field))
    .map(({ field }) => `${field} is left out: to manage it, declare it in additionalSettings.`);
  for (const name of settingNames) {
    const [mine, theirs] = [spec.settings[name], reported[name]];
    const value = mine ?? theirs;
    if (value === undefined) continue;
    const isFine =
      specProblems(pipeSettings.spec, { ...spec, settings: { [name]: value } }).length === 0;
    if (isFine) settings[name] = value;
    else above.push(`${name} is left out: ${String(value)}, as reported, cannot be declared.`);
    if (theirs !== undefined && mine !== undefined && mine !== theirs)
      above.push(`${name} stays as declared, though the API reported ${String(theirs)}.`);
  }
  return { spec: { ...spec, settings }, above, below: [] };
}

/** The spec is valid. Undefined where the status shows no reply. */
export function completeOrganization(object: KubeObject): Completion | undefined {
  const { status } = object as organization.Organization;
  if (!status?.organization) return undefined;
  const { privateEndpoints, ...rest } = object.spec as organization.OrganizationSpec;
  const { name: reported } = status.organization;
  const isOther = rest.name !== undefined && reported !== undefined && rest.name !== reported;
  const renamed = `name stays as declared, though the API reported ${JSON.stringify(reported)}.`;
  const { listed, above, below } = reportedEndpoints(object as organization.Organization);
  const name = rest.name ?? reported;
  const endpoints = listed ?? privateEndpoints;
  const spec = {
    ...rest,
    ...(name !== undefined && { name }),
    // As the last field, so that those that are not listed stand behind it.
    ...(endpoints && { privateEndpoints: endpoints }),
  };
  return { spec, above: [...(isOther ? [renamed] : []), ...above], below };
}

interface Endpoints extends Pick<Completion, 'above' | 'below'> {
  /** For a spec that lists none. Absent: nothing is known of any, or more than it may list. */
  readonly listed?: readonly organization.DeclaredEndpoint[];
}

const CHOICE = [
  'Choose: with adoptPrivateEndpoints: true this object owns the private endpoints that it lists,',
  'and removes them once they are unlisted; without it, it never removes them.',
];
const OTHERS = [
  'Also at the API, and not of this object. To own one too, list it above and set',
  'adoptPrivateEndpoints: true; else it stays as it is.',
];

/** Whether to own what others have made is for the user to choose. */
function reportedEndpoints({ status, spec }: organization.Organization): Endpoints {
  const total = status?.organization?.privateEndpointsTotal;
  if (total === undefined) return { above: [], below: [] };
  const { privateEndpoints: declared, adoptPrivateEndpoints } =
    spec as organization.OrganizationSpec;
  const taken = new Set(declared?.map(sameKey));
  const known = storedEntries(status).flatMap((entry) => declarable(entry, spec as object));
  const hidden = total - known.length;
  const above =
    hidden > 0 ? [`${hidden} of the ${total} private endpoints cannot be shown or listed.`] : [];
  const others = known.filter((entry) => !taken.has(sameKey(entry)));
  if (others.length === 0) return { above, below: [] };
  if (taken.size === 0 && others.length <= LIMITS.endpoints) {
    const choice = adoptPrivateEndpoints === true ? [] : CHOICE;
    return { listed: others, above: [...above, ...choice], below: [] };
  }
  return { above, below: [...OTHERS, ...printableYaml(others)] };
}

/** None where a spec cannot list it. A description that the status has cut is left out. */
function declarable(
  { id, cloudProvider = '', region = '', description }: ReturnType<typeof storedEntries>[number],
  spec: object,
): readonly organization.DeclaredEndpoint[] {
  const isWhole = description !== undefined && !description.endsWith('…');
  const one = { id, cloudProvider, region, ...(isWhole && { description }) };
  const problems = specProblems(organization.spec, { ...spec, privateEndpoints: [one] });
  return problems.length === 0 ? [one] : [];
}
