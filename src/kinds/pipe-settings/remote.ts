import { encodePath } from '../../api/http/path.ts';
import type { CallRequest } from '../shared/calls.ts';
import { canonicalJson, digestOf } from '../shared/canonical.ts';
import type { Declared } from './echo.ts';
import type { PipeSettingsSpec } from './resource.ts';
import { settingNames } from './settings.ts';

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
  const service = ['v1', 'organizations', organizationId, 'services', serviceId];
  const segments = [...service, 'pipes', pipeId, 'settings'];
  const path = encodePath(segments);
  const declared = declaredOf(spec);
  const body = canonicalJson(declared);
  const hash = digestOf('PUT', baseUrl, path, body);
  return { method: 'PUT', segments, path, body, hash, keys: Object.keys(declared) };
}

export function callOf({ method, segments, body }: SettingsRequest): CallRequest {
  const wire = { operation: UPDATE_PIPE_SETTINGS, method, path: segments, body };
  return { ...wire, write: true, of: 'pipe' };
}

/** All declared settings: first those of the API document, in its order. */
export function declaredOf({ settings, additionalSettings }: PipeSettingsSpec): Declared {
  const known = settingNames.flatMap((name) => {
    const value = settings[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(known), ...additionalSettings };
}
