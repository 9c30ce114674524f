import type { Reported } from '../../kinds/organization/endpoints/endpoints.ts';
import { storedEntries } from '../../kinds/organization/endpoints/reply.ts';
import { LIMITS } from '../../kinds/organization/limits.ts';
import {
  type Organization,
  type OrganizationSpec,
  parseSpec as parseOrganization,
} from '../../kinds/organization/resource.ts';
import {
  type PipeSettings,
  parseSpec as parsePipeSettings,
} from '../../kinds/pipe-settings/resource.ts';
import { SETTINGS, type SettingName, settingNames } from '../../kinds/pipe-settings/settings.ts';
import type { SpecResult } from '../../kinds/schema/definition.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { besides, declarable } from './endpoints.ts';
import { refuseTooMany } from './organization-manifest.ts';

/** A spec with what the last reply showed, where it says nothing itself. */
export interface Completed {
  readonly spec: Readonly<Record<string, unknown>>;
  /** Sentences about what the reply showed and the spec does not have. */
  readonly leftOut: readonly string[];
  /** Sentences about what else there is to know. */
  readonly remarks: readonly string[];
}

/** How the spec of a kind is read, and completed. */
export interface Completion {
  readonly parseSpec: (object: Pick<KubeObject, 'spec'>) => SpecResult<object>;
  /** `completed` is undefined where the status shows no reply. */
  readonly complete: (
    object: KubeObject,
  ) =>
    | { readonly ok: true; readonly completed: Completed | undefined }
    | Extract<SpecResult<object>, { readonly ok: false }>;
}

function completion<Spec extends object>(
  parseSpec: (object: Pick<KubeObject, 'spec'>) => SpecResult<Spec>,
  completedBy: (object: KubeObject, spec: Spec) => Completed | undefined,
): Completion {
  return {
    parseSpec,
    complete(object) {
      const parsed = parseSpec(object);
      return parsed.ok ? { ok: true, completed: completedBy(object, parsed.spec) } : parsed;
    },
  };
}

export const completePipeSettings = completion(
  parsePipeSettings,
  (object, spec): Completed | undefined => {
    const { status } = object as PipeSettings;
    if (!status?.settings) return undefined;
    const { settings: reported, otherSettings = [] } = status;
    const declared = spec.settings;
    const added = settingNames.filter(
      (name) => declared[name] === undefined && reported[name] !== undefined,
    );
    const [taken, outside] = [true, false].map((isTaken) =>
      added.filter((name) => isDeclarable(name, reported[name]) === isTaken),
    ) as [SettingName[], SettingName[]];
    const settings = settingNames.flatMap((name) => {
      const value = declared[name] ?? (taken.includes(name) ? reported[name] : undefined);
      return value === undefined ? [] : [[name, value] as const];
    });
    return {
      spec: { ...spec, settings: Object.fromEntries(settings) },
      leftOut: [
        ...outside.map(
          (name) =>
            `${name} is left out: the API reported ${String(reported[name])}, which cannot be declared (${rangeOf(name)})`,
        ),
        ...otherSettings.map(
          ({ field }) => `${field} is left out: this version of Pipewright cannot declare it`,
        ),
      ],
      remarks: [
        ...differing(declared, reported),
        ...notReported(settingNames.filter((name) => reported[name] === undefined)),
      ],
    };
  },
);

function isDeclarable(name: SettingName, value: number | boolean | undefined): boolean {
  const setting = SETTINGS[name];
  if (setting.type === 'boolean') return typeof value === 'boolean';
  return typeof value === 'number' && value >= setting.min && value <= setting.max;
}

function rangeOf(name: SettingName): string {
  const setting = SETTINGS[name];
  return setting.type === 'boolean' ? 'true or false' : `${setting.min} to ${setting.max}`;
}

type SomeSettings = NonNullable<NonNullable<PipeSettings['status']>['settings']>;

function differing(declared: SomeSettings, reported: SomeSettings): string[] {
  return settingNames
    .filter(
      (name) =>
        declared[name] !== undefined &&
        reported[name] !== undefined &&
        declared[name] !== reported[name],
    )
    .map(
      (name) =>
        `${name} stays as it is declared (${String(declared[name])}), though the API reported ${String(reported[name])}`,
    );
}

function notReported(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`the reply did not have ${names.join(', ')}`];
}

export const completeOrganization = completion(
  parseOrganization,
  (object, spec): Completed | undefined => {
    const { status } = object as Organization;
    if (!status?.organization) return undefined;
    const name = completedName(spec, status.organization.name);
    const endpoints = completedEndpoints(spec, object as Organization);
    return {
      spec: { ...spec, ...name.add, ...endpoints.add },
      leftOut: [...name.leftOut, ...endpoints.leftOut],
      remarks: [...name.remarks, ...endpoints.remarks],
    };
  },
);

interface Part {
  readonly add: Partial<OrganizationSpec>;
  readonly leftOut: readonly string[];
  readonly remarks: readonly string[];
}

const NOTHING: Part = { add: {}, leftOut: [], remarks: [] };

function completedName({ name: declared }: OrganizationSpec, name: string | undefined): Part {
  if (declared !== undefined && name !== undefined && declared !== name)
    return {
      ...NOTHING,
      remarks: [
        `the name stays as it is declared (${JSON.stringify(declared)}), though the API reported ${JSON.stringify(name)}`,
      ],
    };
  if (name === undefined) return { ...NOTHING, remarks: notReported(['name']) };
  if (declared !== undefined) return NOTHING;
  if (isCut(name, LIMITS.name))
    return { ...NOTHING, leftOut: ['the name is left out: the status has only its beginning'] };
  return { ...NOTHING, add: { name } };
}

function completedEndpoints(spec: OrganizationSpec, { status }: Organization): Part {
  const total = status?.organization?.privateEndpointsTotal;
  const list = storedEntries(status).map(withWholeDescription);
  if (total === undefined) return { ...NOTHING, remarks: notReported(['privateEndpoints']) };
  const { privateEndpoints: declared = [], adoptPrivateEndpoints } = spec;
  const { further, otherwise } = besides(list, declared);
  const { listed, leftOut, remarks } = declarable(further, () => false);
  // Of a longer list the status has only the beginning.
  refuseTooMany(list.length < total ? total : declared.length + listed.length);
  const all = [...declared, ...listed];
  const cut = status?.organization?.privateEndpoints?.filter(hasCutDescription) ?? [];
  return {
    add:
      all.length === 0 && leftOut.length > 0
        ? {}
        : { privateEndpoints: all, adoptPrivateEndpoints: true },
    leftOut: [
      ...leftOut,
      ...otherwise.map(
        ({ id }) =>
          `the private endpoint ${JSON.stringify(id)} of the reply is left out: the spec declares the same id with another provider or region`,
      ),
    ],
    remarks: [
      ...remarks,
      ...cut.map(
        ({ id = '' }) =>
          `the private endpoint ${JSON.stringify(id)} is listed without its description: the status has only its beginning`,
      ),
      ...(adoptPrivateEndpoints === true
        ? []
        : [
            'adoptPrivateEndpoints is true now: listed private endpoints that others have made belong to this object once this is applied, and are removed when they are unlisted',
          ]),
    ],
  };
}

/** Whether a text of the status may have been cut to its bound. */
function isCut(text: string, most: number): boolean {
  return text.endsWith('…') && [...text].length >= most;
}

function hasCutDescription({
  description,
}: {
  readonly description?: string | undefined;
}): boolean {
  return description !== undefined && isCut(description, LIMITS.reportedDescription);
}

function withWholeDescription(entry: Reported): Reported {
  if (!hasCutDescription(entry)) return entry;
  const { description: _, ...rest } = entry;
  return rest;
}
