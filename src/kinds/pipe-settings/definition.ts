import { COLUMNS, type Definition, readyColumn, wideColumn } from '../schema/definition.ts';
import { fields, flag, integer, list, someOf, text, timestamp } from '../schema/schema.ts';
import { commonStatus, digest, pendingStatus, writeStatus } from '../schema/status-fields.ts';
import { pipeSettingsType, spec } from './resource.ts';
import { LIMITS, SETTINGS, settingsShape } from './settings.ts';

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

export const definition: Definition = {
  type: pipeSettingsType,
  singular: 'pipesettings',
  shortName: 'pset',
  about: 'PipeSettings manages the settings of one existing ingestion pipe.',
  spec,
  status,
  pendingStatus,
  columns: [
    readyColumn('True where the API has confirmed the declared state.'),
    COLUMNS.reason,
    COLUMNS.stalled,
    COLUMNS.lastApplied,
    COLUMNS.age,
    COLUMNS.organization,
    wideColumn('Service', '.spec.serviceId', 'Id of the service.'),
    wideColumn('Pipe', '.spec.pipeId', 'Id of the pipe.'),
    COLUMNS.requestId,
    COLUMNS.nextAttempt,
    COLUMNS.message,
  ],
  selectableFields: [
    '.spec.organizationId',
    '.spec.serviceId',
    '.spec.pipeId',
    '.spec.credentialsSecretRef.name',
  ],
};
