import type * as z from 'zod/mini';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { type Stored, specParser } from '../schema/definition.ts';
import { fields, flag, immutable, integer, someFields } from '../schema/schema.ts';
import {
  credentialsSecretRef,
  identifier,
  mode,
  reassertInterval,
  suspend,
} from '../schema/spec-fields.ts';
import type { status } from './definition.ts';
import { SETTINGS, settingsShape } from './settings.ts';

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
  return integer({ about: `${setting.about} ${`${min} to ${max} ${unit}`.trimEnd()}.`, min, max });
});

export const spec = fields(
  'The settings of one existing ingestion pipe.',
  {
    organizationId: identifier('Organization that owns the service.'),
    serviceId: identifier('Service that owns the pipe.'),
    pipeId: identifier('The pipe.'),
    credentialsSecretRef,
    settings: someFields(
      'The settings to manage, at least one, under the names of the API. Only these are sent; all others are left as they are.',
      declaredSettings,
    ),
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

/** Files objects under the pipe they stand for, whether or not the rest of their spec is valid. */
export function targetOf(object: KubeObject): string | undefined {
  const spec = object.spec as
    | { organizationId?: unknown; serviceId?: unknown; pipeId?: unknown }
    | undefined;
  if (!spec) return undefined;
  return JSON.stringify([spec.organizationId, spec.serviceId, spec.pipeId]);
}
