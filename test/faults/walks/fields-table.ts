import { expect } from 'vitest';
import { SETTINGS } from '../../simulator/settings-rules.ts';
import type { KindName } from '../../support/states.ts';
import {
  callsOf,
  done,
  type Effect,
  identifies,
  type Lab,
  namesKeyId,
  namesKeySecret,
  namesSecret,
  previews,
  repeats,
  suspends,
} from './fields-effects.ts';
import {
  adopts,
  cleansUp,
  describes,
  isPartOfEndpoint,
  limitsRemovals,
  renames,
} from './fields-organization.ts';

/** A setting that the API has and this version of the operator does not know. */
export const GAINED = 'new_setting';

const CREDENTIALS = {
  'credentialsSecretRef.name': namesSecret,
  'credentialsSecretRef.keyIdKey': namesKeyId,
  'credentialsSecretRef.keySecretKey': namesKeySecret,
};

/** What every field of every spec does, by its path. */
export const EFFECTS: Readonly<Record<KindName, Readonly<Record<string, Effect>>>> = {
  PipeSettings: {
    organizationId: identifies('organizationId'),
    serviceId: identifies('serviceId'),
    pipeId: identifies('pipeId'),
    ...CREDENTIALS,
    ...Object.fromEntries(Object.keys(SETTINGS).map((name) => [`settings.${name}`, sends(name)])),
    additionalSettings: sendsGained,
    suspend: suspends,
    mode: previews,
    reassertInterval: repeats,
  },
  Organization: {
    organizationId: identifies('organizationId'),
    ...CREDENTIALS,
    name: renames,
    'privateEndpoints[].id': isPartOfEndpoint('id'),
    'privateEndpoints[].cloudProvider': isPartOfEndpoint('cloudProvider'),
    'privateEndpoints[].region': isPartOfEndpoint('region'),
    'privateEndpoints[].description': describes,
    adoptPrivateEndpoints: adopts,
    maxPrivateEndpointRemovals: limitsRemovals,
    deletionPolicy: cleansUp,
    suspend: suspends,
    mode: previews,
    reassertInterval: repeats,
  },
  Activity: {
    organizationId: identifies('organizationId'),
    activityId: identifies('activityId'),
    ...CREDENTIALS,
    suspend: suspends,
  },
};

/** Each value is sent under the setting's own name, and nothing with it. */
function sends(setting: string): Effect {
  return async (lab) => {
    const { make, name } = lab;
    const rule = SETTINGS[setting] ?? 'boolean';
    for (const value of rule === 'boolean' ? [true, false] : rule) {
      await make.create(name, { settings: { [setting]: value } });
      const { status } = await make.until(name, done(lab));
      expect(callsOf(lab, name).at(-1)?.body).toEqual({ [setting]: value });
      expect(status.settings).toMatchObject({ [setting]: value });
    }
    expect(callsOf(lab, name)).toHaveLength(2);
  };
}

/** What the API has gained goes with the settings, whatever its type. */
async function sendsGained(lab: Lab): Promise<void> {
  const { make, name } = lab;
  for (const value of [5, 'fast', true]) {
    await make.create(name, { additionalSettings: { [GAINED]: value } });
    await make.until(name, done(lab));
    expect(callsOf(lab, name).at(-1)?.body).toEqual({ engine_max_threads: 8, [GAINED]: value });
  }
}
