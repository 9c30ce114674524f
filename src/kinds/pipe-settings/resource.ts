import * as z from 'zod/mini';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { type Stored, specParser } from '../schema/parser.ts';
import {
  fields,
  flag,
  immutable,
  integer,
  list,
  optional,
  scalar,
  someOf,
  text,
  timestamp,
} from '../schema/schema.ts';
import {
  credentialsSecretRef,
  identifier,
  mode,
  reassertInterval,
  suspend,
} from '../schema/spec-fields.ts';
import { commonStatus, digest, writeStatus } from '../schema/status-fields.ts';
import { piece, toStructural } from '../schema/structural.ts';
import { LIMITS, SETTINGS, settingsShape } from './settings.ts';

export const pipeSettingsType: ResourceType = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'pipesettings',
  kind: 'PipeSettings',
};

const declaredSettings = settingsShape((name) => {
  const setting = SETTINGS[name];
  if (setting.type === 'boolean') return flag(setting.about);
  const { min, max, unit } = setting;
  return integer(`${setting.about} ${`${min} to ${max} ${unit}`.trimEnd()}.`, min, max);
});

const SETTING_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const name = z.string().check(
  z.refine((value) => SETTING_NAME.test(value), {
    error: 'must be named with 1 to 64 lower-case letters, digits or _, the first a letter',
    abort: true,
  }),
  z.refine((value) => !Object.hasOwn(SETTINGS, value), { error: 'must stand in spec.settings' }),
);
const value = scalar(
  'Its value: text of at most 256 characters, a whole number, true or false.',
  LIMITS.additionalValue,
  'whole',
);

/** The parser alone checks the names: CEL does not see a map whose values have no type. */
const additionalSettings = piece(
  z
    .record(name, value, {
      error: (issue) =>
        issue.code === 'invalid_key' ? issue.issues[0]?.message : 'must be an object',
    })
    .check(
      z.refine((settings) => Object.keys(settings).length <= LIMITS.additionalSettings, {
        error: `must have at most ${LIMITS.additionalSettings} entries`,
      }),
    ),
  {
    description:
      'Settings that the API has gained since this version of Pipewright, sent as they are. At most 20, none of those in settings; a name has 1 to 64 lower-case letters, digits and _, the first a letter.',
    type: 'object',
    maxProperties: LIMITS.additionalSettings,
    // Else a server-side apply of the last one's removal leaves null, which the type refuses.
    'x-kubernetes-map-type': 'atomic',
    additionalProperties: toStructural(value),
  },
);

export const spec = fields(
  'The settings of one existing ingestion pipe.',
  {
    organizationId: identifier('Organization that owns the service.'),
    serviceId: identifier('Service that owns the pipe.'),
    pipeId: identifier('The pipe.'),
    credentialsSecretRef,
    settings: someOf(
      'The settings to manage, at least one, under the names of the API. Only declared settings are sent; all others are left as they are.',
      declaredSettings,
      1,
    ),
    additionalSettings: optional(additionalSettings),
    suspend,
    mode,
    reassertInterval,
  },
  [
    immutable('organizationId', 'organization'),
    immutable('serviceId', 'service'),
    immutable('pipeId', 'pipe'),
  ],
);

/**
 * What a reply holds is not bound to the documented ranges, only to what JavaScript and int64 hold
 * exactly.
 */
const reportedSettings = settingsShape((name) => {
  const { type, about } = SETTINGS[name];
  if (type === 'boolean') return flag(about);
  return integer(about, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
});

const otherSetting = fields('One setting.', {
  field: text('Name of the setting.', LIMITS.otherName),
  value: text('Its value as JSON text, cut at 128 characters.', LIMITS.otherValue),
});

export const status = someOf(
  'What the operator did and what the API reported. Only the operator writes it.',
  {
    ...commonStatus,
    ...writeStatus(LIMITS),
    settings: someOf('The settings as the API last reported them.', reportedSettings),
    otherSettings: list(
      'Other settings in the last response, and those whose value could not be read; the first 20.',
      LIMITS.otherSettings,
      otherSetting,
    ),
    unconfirmedWrite: fields('The last request of which nobody knows whether it took effect.', {
      time: timestamp('When it was sent.'),
      requestHash: digest('Its hash, as in applied.requestHash.'),
    }),
  },
);

export type PipeSettingsSpec = Stored<z.output<typeof spec>>;
export type PipeSettingsStatus = Stored<z.output<typeof status>>;

/**
 * As stored. `spec` is unknown until `parseSpec` has read it; `status` is ours and was checked by
 * the API server.
 */
export interface PipeSettings extends KubeObject {
  readonly status?: PipeSettingsStatus;
}

/** Reads the spec of a stored object; takes whatever the API server's schema takes. */
export const parseSpec = specParser(spec);

/**
 * Files objects under the pipe they stand for, whether or not the rest of their spec is valid. Ids
 * are the same in whatever case they are written.
 */
export function targetOf(object: KubeObject): string | undefined {
  if (object.spec === undefined || object.spec === null) return undefined;
  const { organizationId, serviceId, pipeId } = object.spec as Readonly<Record<string, unknown>>;
  return JSON.stringify([organizationId, serviceId, pipeId]).toLowerCase();
}
