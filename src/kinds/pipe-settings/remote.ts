import { encodePath } from '../../api/http/path.ts';
import { canonicalJson, digestOf } from '../shared/canonical.ts';
import type { PipeSettingsSpec } from './resource.ts';
import { type Settings, settingNames } from './settings.ts';

export const UPDATE_PIPE_SETTINGS = 'UpdatePipeSettings';

/**
 * The one request this kind makes: PUT of the complete declared set. Sending it twice is the same
 * as sending it once.
 */
export interface SettingsRequest {
  readonly method: 'PUT';
  readonly segments: readonly string[];
  readonly path: string;
  /**
   * Canonical JSON of what is declared: never a delta, never null, never a key that the user did
   * not write.
   */
  readonly body: string;
  /** Identifies method, API, path and body; `status.applied.requestHash`. */
  readonly hash: string;
  readonly keys: readonly string[];
}

export function settingsRequest(baseUrl: string, spec: PipeSettingsSpec): SettingsRequest {
  const { organizationId, serviceId, pipeId } = spec;
  const segments = [
    'v1',
    'organizations',
    organizationId,
    'services',
    serviceId,
    'pipes',
    pipeId,
    'settings',
  ];
  const path = encodePath(segments);
  const declared = declaredOf(spec);
  const body = canonicalJson(declared);
  return {
    method: 'PUT',
    segments,
    path,
    body,
    hash: digestOf('PUT', baseUrl, path, body),
    keys: Object.keys(declared),
  };
}

/** The declared settings, in the order of the API document. */
export function declaredOf(spec: PipeSettingsSpec): Settings {
  return Object.fromEntries(
    settingNames
      .filter((name) => spec.settings[name] !== undefined)
      .map((name) => [name, spec.settings[name]]),
  );
}
