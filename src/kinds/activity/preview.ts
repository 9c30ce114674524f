import { encodePath } from '../../api/path.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { specOf } from '../schema/parser.ts';
import { NOTHING_SENT, type Preview } from '../shared/preview.ts';
import { type Activity, parseSpec, pathOf } from './resource.ts';

/** For the plugin. */
export function preview(object: KubeObject): Preview {
  const path = encodePath(pathOf(specOf(parseSpec(object))));
  if ((object as Activity).status?.activity)
    return { ...NOTHING_SENT, says: 'The record is fetched already' };
  const requests = [{ method: 'GET', path }];
  return { ...NOTHING_SENT, does: 'send', says: 'One GET fetches the record', requests };
}
