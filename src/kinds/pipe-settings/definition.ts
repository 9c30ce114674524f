import { ageColumn, COLUMNS, type Definition, readyColumn } from '../schema/definition.ts';
import { fields, flag, integer, list, optional, text } from '../schema/schema.ts';
import {
  applied,
  commonStatus,
  differences,
  drift,
  history,
  notReported,
  pendingStatus,
  plan,
  proof,
} from '../schema/status-fields.ts';
import { pipeSettingsType, spec } from './resource.ts';
import { LIMITS, SETTINGS, settingNames, settingsShape } from './settings.ts';

const perSetting = { most: settingNames.length, field: LIMITS.field, value: LIMITS.value };

/**
 * What a reply holds is not bound to the documented ranges, only to what JavaScript and int64 hold
 * exactly.
 */
const reportedSettings = settingsShape((name) => {
  const { type, about } = SETTINGS[name];
  if (type === 'boolean') return flag(about);
  return integer({ about, min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
});

export const status = fields(
  'What the operator did and what the API reported. Only the operator writes it.',
  {
    ...commonStatus,
    proof,
    applied: optional(applied(perSetting)),
    settings: optional(fields('The settings as the API last reported them.', reportedSettings)),
    otherSettings: optional(
      list(
        'Settings in the last response that the operator does not know, or whose value could not be read; the first 20.',
        LIMITS.otherSettings,
        fields('One setting.', {
          field: text({ about: 'Name of the setting.', max: LIMITS.otherName }),
          value: text({
            about: 'Its value as JSON text, cut at 128 characters.',
            max: LIMITS.otherValue,
          }),
        }),
      ),
    ),
    differences: optional(differences(perSetting)),
    notReported: optional(notReported(perSetting)),
    drift: optional(drift({ ...perSetting, most: LIMITS.drift })),
    plan: optional(plan({ ...perSetting, requests: 1, body: LIMITS.body })),
    history: optional(
      history({ ...perSetting, most: LIMITS.historyChanges, value: LIMITS.historyValue }),
    ),
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
    ageColumn('Time since this object was created.'),
    COLUMNS.organization,
    { name: 'Service', path: '.spec.serviceId', wide: true, about: 'Id of the service.' },
    { name: 'Pipe', path: '.spec.pipeId', wide: true, about: 'Id of the pipe.' },
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
