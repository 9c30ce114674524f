import type { KubeObject } from '../../kube/resource.ts';
import { specOf } from '../schema/parser.ts';
import type { EmptyOrNot, Preview } from '../shared/preview.ts';
import { plannedChanges } from './changes.ts';
import { type Declared, reportedOf } from './echo.ts';
import { declaredOf, settingsRequest } from './remote.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  type PipeSettingsStatus,
  parseSpec,
} from './resource.ts';

/** For the plugin: the API that the status speaks of is taken to be the one that is called. */
export function preview(object: KubeObject): Preview {
  const { status = {} } = object as PipeSettings;
  return previewOf(status, specOf(parseSpec(object)), status.verified?.apiHash);
}

/** To the letter what Apply would send. */
export function previewOf(
  status: PipeSettingsStatus,
  spec: PipeSettingsSpec,
  apiHash: string | undefined,
): EmptyOrNot {
  const { path, body, keys } = settingsRequest('', spec);
  const reported = reportedBy(status, spec, apiHash);
  const changes = plannedChanges(declaredOf(spec), reported);
  const isSettled = status.unconfirmedWrite === undefined;
  return {
    does: 'send',
    says: `One PUT with ${keys.length} ${keys.length === 1 ? 'setting' : 'settings'}`,
    requests: [{ method: 'PUT', path, body }],
    changes,
    basis: reported === undefined ? 'Unknown' : 'LastResponse',
    isEmpty: reported !== undefined && changes.length === 0 && isSettled,
  };
}

/** The values of the last reply, where the API that is called now gave it. */
export function reportedBy(
  status: PipeSettingsStatus,
  spec: PipeSettingsSpec,
  apiHash: string | undefined,
): Declared | undefined {
  const isOfApi = apiHash !== undefined && status.verified?.apiHash === apiHash;
  return isOfApi && status.settings ? reportedOf(declaredOf(spec), status) : undefined;
}
