import { encodePath } from '../../api/http/path.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { NOTHING_SENT, type Preview } from '../shared/preview.ts';
import { type Activity, parseSpec, pathOf } from './resource.ts';

/** For the plugin. The spec is valid. */
export function preview(object: KubeObject): Preview {
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(`a spec that is not valid is previewed: ${parsed.message}`);
  if ((object as Activity).status?.activity)
    return { ...NOTHING_SENT, says: 'The record is fetched already' };
  const requests = [{ method: 'GET', path: encodePath(pathOf(parsed.spec)) }];
  return { ...NOTHING_SENT, does: 'send', says: 'One GET fetches the record', requests };
}
