import type { KubeObject } from '../../kube/resource.ts';

import type { EmptyOrNot, Preview } from '../shared/preview.ts';
import { plannedChanges } from './changes.ts';
import { type Declared, reportedOf } from './echo.ts';
import { declaredOf, settingsRequest } from './remote.ts';
import { type PipeSettings, type PipeSettingsSpec, parseSpec } from './resource.ts';

/** For the plugin: as if the object were alone. The spec is valid. */
export function preview(object: KubeObject): Preview {
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(`a spec that is not valid is previewed: ${parsed.message}`);
  // The API that the status speaks of is taken to be the one that is called.
  const { status } = object as PipeSettings;
  return previewOf(object as PipeSettings, parsed.spec, status?.verified?.apiHash);
}

/** To the letter what Apply would send. */
export function previewOf(
  object: PipeSettings,
  spec: PipeSettingsSpec,
  apiHash: string | undefined,
): EmptyOrNot {
  const { path, body, keys } = settingsRequest('', spec);
  const reported = reportedBy(object, spec, apiHash);
  const changes = plannedChanges(declaredOf(spec), reported);
  const isSettled = object.status?.unconfirmedWrite === undefined;
  return {
    does: 'send',
    says: `One PUT with ${keys.length} ${keys.length === 1 ? 'setting' : 'settings'}`,
    requests: [{ method: 'PUT', path, body }],
    changes,
    basis: reported === undefined ? 'Unknown' : 'LastResponse',
    isEmpty: reported !== undefined && changes.length === 0 && isSettled,
  };
}

/**
 * The values of the last reply, where it came from the API that is called now: what another one
 * holds says nothing here.
 */
export function reportedBy(
  { status }: PipeSettings,
  spec: PipeSettingsSpec,
  apiHash: string | undefined,
): Declared | undefined {
  const isOfApi = status?.verified !== undefined && status.verified.apiHash === apiHash;
  return isOfApi && status.settings ? reportedOf(declaredOf(spec), status) : undefined;
}
