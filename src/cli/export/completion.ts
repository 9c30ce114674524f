import { stringify } from 'yaml';
import { withEscapes } from '../../api/reply/text.ts';
import { type Reported, sameKey } from '../../kinds/organization/endpoints/endpoints.ts';
import { storedEntries } from '../../kinds/organization/endpoints/reply.ts';
import { LIMITS } from '../../kinds/organization/limits.ts';
import {
  type DeclaredEndpoint,
  type Organization,
  type OrganizationSpec,
  parseSpec as parseOrganization,
} from '../../kinds/organization/resource.ts';
import { type PipeSettings, parseSpec } from '../../kinds/pipe-settings/resource.ts';
import { SETTINGS, type SettingName, settingNames } from '../../kinds/pipe-settings/settings.ts';
import type { KubeObject } from '../../kube/resource.ts';

/** A spec with what the last reply showed where it says nothing itself. */
export interface Completion {
  readonly spec: object;
  /** Comments about what is to be known, or chosen. */
  readonly above: readonly string[];
  /** Comments behind the last field of the spec, as lines of its depth. */
  readonly below: readonly string[];
}

/** Undefined where the status shows no reply. */
export function completePipeSettings(object: KubeObject): Completion | undefined {
  const { status } = object as PipeSettings;
  const parsed = parseSpec(object);
  if (!status?.settings || !parsed.ok) return undefined;
  const { settings: reported, otherSettings = [] } = status;
  const declared = parsed.spec.settings;
  const settings = settingNames.flatMap((name) => {
    const value =
      declared[name] ?? (isDeclarable(name, reported[name]) ? reported[name] : undefined);
    return value === undefined ? [] : [[name, value] as const];
  });
  const above = settingNames.flatMap((name) => {
    const [mine, theirs] = [declared[name], reported[name]];
    if (theirs === undefined || mine === theirs) return [];
    if (mine !== undefined)
      return [`${name} stays as declared, though the API reported ${String(theirs)}.`];
    return isDeclarable(name, theirs)
      ? []
      : [`${name} is left out: the API reported ${String(theirs)}, which cannot be declared.`];
  });
  const unknown = otherSettings.map(
    ({ field }) => `${field} is left out: this version of Pipewright cannot declare it.`,
  );
  const spec = { ...parsed.spec, settings: Object.fromEntries(settings) };
  return { spec, above: [...above, ...unknown], below: [] };
}

function isDeclarable(name: SettingName, value: number | boolean | undefined): boolean {
  const setting = SETTINGS[name];
  if (setting.type === 'boolean') return typeof value === 'boolean';
  return typeof value === 'number' && value >= setting.min && value <= setting.max;
}

/** Undefined where the status shows no reply. */
export function completeOrganization(object: KubeObject): Completion | undefined {
  const { status } = object as Organization;
  const parsed = parseOrganization(object);
  if (!status?.organization || !parsed.ok) return undefined;
  const { privateEndpoints: declared, ...rest } = parsed.spec;
  const name = completedName(rest.name, status.organization.name);
  const { listed, others, above } = reportedEndpoints(object as Organization, parsed.spec);
  const endpoints = declared ?? listed;
  const spec = {
    ...rest,
    ...(name.value !== undefined && { name: name.value }),
    // As the last field, so that those that are not listed stand behind it.
    ...(endpoints && { privateEndpoints: endpoints }),
  };
  return { spec, above: [...name.above, ...above], below: others };
}

function completedName(declared: string | undefined, reported: string | undefined) {
  if (reported === undefined || declared === reported) return { value: declared, above: [] };
  if (declared !== undefined) {
    const says = JSON.stringify(reported);
    return { value: declared, above: [`name stays as declared, though the API reported ${says}.`] };
  }
  // A cut name is not the organization's.
  return isCut(reported, LIMITS.name)
    ? { value: undefined, above: ['name is left out: the status has only its beginning.'] }
    : { value: reported, above: [] };
}

interface Endpoints {
  /** Undefined: nothing is known of them, or more than a spec may list. */
  readonly listed: readonly DeclaredEndpoint[] | undefined;
  /** Comment lines with those that the spec does not have. */
  readonly others: readonly string[];
  readonly above: readonly string[];
}

/** Whether to own what others have made is for the user to choose. */
function reportedEndpoints({ status }: Organization, spec: OrganizationSpec): Endpoints {
  const total = status?.organization?.privateEndpointsTotal;
  if (total === undefined) return { listed: undefined, others: [], above: [] };
  const reported = storedEntries(status);
  const declared = spec.privateEndpoints ?? [];
  const taken = new Set(declared.map(sameKey));
  const known = reported.flatMap((entry) => declarable(entry, spec));
  const unlisted = known.filter((entry) => !taken.has(sameKey(entry)));
  const unreadable = total - known.length;
  const left =
    unreadable > 0
      ? [`${unreadable} of the ${total} private endpoints cannot be shown; see the console.`]
      : [];
  if (unlisted.length === 0)
    return { listed: total === 0 ? [] : undefined, others: [], above: left };
  if (spec.privateEndpoints || unlisted.length > LIMITS.endpoints)
    return {
      listed: undefined,
      others: [
        'Also at the API, and not of this object. To own one too, list it above and',
        'set adoptPrivateEndpoints: true; else it stays as it is.',
        ...withEscapes(
          stringify(unlisted, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }),
        )
          .trimEnd()
          .split('\n'),
      ],
      above: left,
    };
  const choice =
    spec.adoptPrivateEndpoints === true
      ? []
      : [
          'Choose: with adoptPrivateEndpoints: true this object owns the private endpoints that it',
          'lists, and removes them once they are unlisted; without it, it never removes them.',
        ];
  return { listed: unlisted, others: [], above: [...left, ...choice] };
}

/** None where a spec cannot list it. */
function declarable(entry: Reported, spec: OrganizationSpec): readonly DeclaredEndpoint[] {
  const { id, cloudProvider = '', region = '', description } = entry;
  const isWhole = description !== undefined && !isCut(description, LIMITS.reportedDescription);
  const one = { id, cloudProvider, region, ...(isWhole && { description }) };
  return parseOrganization({ spec: { ...spec, privateEndpoints: [one] } }).ok ? [one] : [];
}

/** Whether a text of the status may have been cut to its bound. */
function isCut(text: string, most: number): boolean {
  return text.endsWith('…') && [...text].length >= most;
}
