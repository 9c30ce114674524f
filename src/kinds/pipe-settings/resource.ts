import * as z from 'zod/mini';
import type { KubeObject } from '../../kube/resource.ts';
import { typeOf } from '../schema/definition.ts';
import { type Stored, specParser } from '../schema/parser.ts';
import * as piece from '../schema/schema.ts';
import * as shared from '../schema/spec-fields.ts';
import { digest, statusOf, writeStatus } from '../schema/status-fields.ts';
import { piece as made, toStructural } from '../schema/structural.ts';
import * as settings from './settings.ts';

export const pipeSettingsType = typeOf('PipeSettings', 'pipesettings');

type Whole = ReturnType<typeof piece.integer>;
type Shape = {
  [Name in settings.Name]: Name extends settings.NumberName ? Whole : ReturnType<typeof piece.flag>;
};

/** One schema for each setting. */
function settingsShape(number: (name: settings.NumberName) => Whole): Shape {
  const shape = settings.names.map(
    (name) =>
      [name, settings.isNumber(name) ? number(name) : piece.flag(settings.ABOUT[name])] as const,
  );
  return Object.fromEntries(shape) as unknown as Shape;
}

const declaredSettings = settingsShape((name) => {
  const { min, max, unit } = settings.RANGES[name];
  const range = `${min} to ${max} ${unit}`.trimEnd();
  return piece.integer(`${settings.ABOUT[name]} ${range}.`, min, max);
});

const MOST_ADDITIONAL = 20;
const MOST_DECLARED = settings.names.length + MOST_ADDITIONAL;
const SETTING_NAME = /^[a-z][a-z0-9_]{0,63}$/;
const name = z.string().check(
  z.refine((value) => SETTING_NAME.test(value), {
    error: 'must be named with 1 to 64 lower-case letters, digits or _, the first a letter',
    abort: true,
  }),
  z.refine((value) => !settings.isSetting(value), { error: 'must be declared in spec.settings' }),
);
const value = piece.scalar(
  'Its value: text of at most 256 characters, a whole number, true or false.',
  256,
  'whole',
);

/** The parser alone checks the names: CEL does not see a map whose values have no type. */
const additionalSettings = made(
  z
    .record(name, value, {
      error: (issue) =>
        issue.code === 'invalid_key' ? issue.issues[0]?.message : 'must be an object',
    })
    .check(
      z.refine((given) => Object.keys(given).length <= MOST_ADDITIONAL, {
        error: `must have at most ${MOST_ADDITIONAL} entries`,
      }),
    ),
  {
    description:
      'Settings of the API that spec.settings does not know, sent as they are. At most 20. A name must not be one that spec.settings knows; it has 1 to 64 lower-case letters, digits and _, and begins with a letter.',
    type: 'object',
    maxProperties: MOST_ADDITIONAL,
    // Else a server-side apply of the last one's removal leaves null, which the type refuses.
    'x-kubernetes-map-type': 'atomic',
    additionalProperties: toStructural(value),
  },
);

export const spec = piece.fields(
  'The settings of one existing ingestion pipe.',
  {
    organizationId: shared.identifier('Organization that owns the service.'),
    serviceId: shared.identifier('Service that owns the pipe.'),
    pipeId: shared.identifier('The pipe.'),
    credentialsSecretRef: shared.credentialsSecretRef,
    settings: piece.someOf(
      'The settings to manage, at least one, under the names of the API, which defines what their values do. Only declared settings are sent; all others are left as they are.',
      declaredSettings,
      1,
    ),
    additionalSettings: piece.optional(additionalSettings),
    ...shared.whenSent,
  },
  [
    piece.immutable('organizationId', 'organization'),
    piece.immutable('serviceId', 'service'),
    piece.immutable('pipeId', 'pipe'),
  ],
);

/** A reply is bound only to what JavaScript and int64 hold exactly, not to documented ranges. */
const reportedSettings = settingsShape((name) =>
  piece.integer(settings.ABOUT[name], Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
);

const otherSetting = piece.fields('One setting.', {
  field: piece.text('Name of the setting.', 128),
  value: piece.text('Its value as JSON text, cut at 128 characters.', 128),
});

export const status = statusOf({
  ...writeStatus({
    // The additional ones have the longest names.
    keys: MOST_DECLARED,
    differences: MOST_DECLARED,
    planRequests: 1,
    planChanges: MOST_DECLARED,
    historyChanges: 12,
    field: 64,
    // A history has many.
    historyValue: 16,
    body: 4096,
  }),
  settings: piece.someOf('The settings as the API last reported them.', reportedSettings),
  otherSettings: piece.list(
    'Settings in the last response that status.settings cannot show: unknown names, and values of an unexpected type. The first 20.',
    20,
    otherSetting,
  ),
  unconfirmedWrite: piece.fields('Last write with an unknown outcome: it may have taken effect.', {
    time: piece.timestamp('When it was sent.'),
    requestHash: digest('Its hash, as in applied.requestHash.'),
  }),
});

export type PipeSettingsSpec = Stored<z.output<typeof spec>>;
export type PipeSettingsStatus = Stored<z.output<typeof status>>;

/** As stored: `spec` is unknown until `parseSpec` has read it; `status` is ours. */
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
  const { organizationId, serviceId, pipeId } = (object.spec ?? {}) as Partial<PipeSettingsSpec>;
  return JSON.stringify([organizationId, serviceId, pipeId]).toLowerCase();
}
