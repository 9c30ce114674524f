import type * as z from 'zod';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { type Definition, type Stored, specParser } from '../definition.ts';
import { fields, flag, immutable, integer, list, someFields, text } from '../schema.ts';
import { credentialsSecretRef, identifier, mode, reassertInterval, suspend } from '../spec-fields.ts';
import {
  applied,
  commonStatus,
  differences,
  drift,
  history,
  notReported,
  pendingStatus,
  plan,
} from '../status-fields.ts';
import { SETTINGS, type SettingName, settingNames } from './settings.ts';

export const pipeSettingsType: ResourceType = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'pipesettings',
  kind: 'PipeSettings',
};

/** How many entries a status may have and how long their texts may be, in code points; `report` cuts to these. */
export const LIMITS = {
  otherSettings: 20,
  otherName: 128,
  otherValue: 128,
  drift: 12,
  historyChanges: 24,
  /** Names of fields; the longest setting has 41. */
  field: 48,
  /** Values in differences, drift and plan, where they are text. */
  value: 64,
  /** The same in history, which has many. */
  historyValue: 16,
  body: 2048,
} as const;

const perSetting = { most: settingNames.length, field: LIMITS.field, value: LIMITS.value };

type Shape = {
  [Name in SettingName]: z.ZodOptional<(typeof SETTINGS)[Name]['type'] extends 'integer' ? z.ZodInt : z.ZodBoolean>;
};

const declaredSettings = shapeOf((name) => {
  const setting = SETTINGS[name];
  if (setting.type === 'boolean') return flag(setting.about);
  const { min, max, unit } = setting;
  return integer({ about: `${setting.about} ${`${min} to ${max} ${unit}`.trimEnd()}.`, min, max });
});

/** What a reply holds is not bound to the documented ranges, only to what JavaScript and int64 hold exactly. */
const reportedSettings = shapeOf((name) => {
  const { type, about } = SETTINGS[name];
  if (type === 'boolean') return flag(about);
  return integer({ about, min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
});

const spec = fields(
  'The settings of one existing ingestion pipe.',
  {
    organizationId: identifier('Organization that owns the service.'),
    serviceId: identifier('Service that owns the pipe.'),
    pipeId: identifier('The pipe.'),
    credentialsSecretRef,
    settings: someFields(
      'The settings to hold, at least one, under the names the API has for them. Only these are sent; the others are left as they are.',
      declaredSettings,
    ),
    suspend,
    mode,
    reassertInterval,
  },
  [immutable('organizationId', 'organization'), immutable('serviceId', 'service'), immutable('pipeId', 'pipe')],
);

const status = fields('What the operator did and what the API reported. Written by the operator alone.', {
  ...commonStatus,
  applied: applied(perSetting).optional(),
  settings: fields('The settings as the API last reported them.', reportedSettings).optional(),
  otherSettings: list(
    'Settings in the last reply that are not known here, or whose value could not be read; the first 20.',
    LIMITS.otherSettings,
    fields('One setting.', {
      field: text({ about: 'Name of the setting.', max: LIMITS.otherName }),
      value: text({ about: 'Its value as JSON text, cut at 128 characters.', max: LIMITS.otherValue }),
    }),
  ).optional(),
  differences: differences(perSetting).optional(),
  notReported: notReported(perSetting).optional(),
  drift: drift({ ...perSetting, most: LIMITS.drift }).optional(),
  plan: plan({ ...perSetting, requests: 1, body: LIMITS.body }).optional(),
  history: history({ ...perSetting, most: LIMITS.historyChanges, value: LIMITS.historyValue }).optional(),
});

export type PipeSettingsSpec = Stored<z.output<typeof spec>>;
export type PipeSettingsStatus = Stored<z.output<typeof status>>;

/** As stored. `spec` is unknown until `parseSpec` has read it; `status` is ours and was checked by the API server. */
export interface PipeSettings extends KubeObject {
  readonly status?: PipeSettingsStatus;
}

/** Reads the spec of a stored object; takes whatever the API server's schema takes. */
export const parseSpec = specParser(spec);

export const definition: Definition = {
  type: pipeSettingsType,
  singular: 'pipesettings',
  shortName: 'pset',
  about: 'PipeSettings holds the settings of one existing ingestion pipe at the declared values.',
  spec,
  status,
  pendingStatus,
  columns: [
    {
      name: 'Ready',
      path: '.status.conditions[?(@.type=="Ready")].status',
      about: 'Whether the declared state is confirmed.',
    },
    { name: 'Reason', path: '.status.conditions[?(@.type=="Ready")].reason', about: 'Why, in one word.' },
    { name: 'Pipe', path: '.spec.pipeId', about: 'The pipe.' },
    { name: 'Last Applied', path: '.status.applied.time', type: 'date', about: 'Time since the last confirmed write.' },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date', about: 'Time since creation.' },
    { name: 'Request ID', path: '.status.lastRequest.requestId', wide: true, about: 'requestId of the last reply.' },
    { name: 'Next Attempt', path: '.status.nextAttemptTime', wide: true, about: 'When the operator acts by itself.' },
    {
      name: 'Message',
      path: '.status.conditions[?(@.type=="Ready")].message',
      wide: true,
      about: 'What happened and what to do.',
    },
  ],
  selectableFields: ['.spec.organizationId', '.spec.serviceId', '.spec.pipeId', '.spec.credentialsSecretRef.name'],
};

function shapeOf(make: (name: SettingName) => z.ZodInt | z.ZodBoolean): Shape {
  return Object.fromEntries(settingNames.map((name) => [name, make(name).optional()])) as unknown as Shape;
}
