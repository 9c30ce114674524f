import type { ApiClient, ApiRequest, Credential, Reply } from '../../api/http/client.ts';
import { cutText } from '../../controller/conditions.ts';
import { canonicalJson } from '../status/canonical.ts';
import { RECORD, recordFieldNames } from './record.ts';
import type { ActivitySpec, ActivityStatus } from './resource.ts';

export const GET_ACTIVITY = 'GetActivity';

export type ActivityRecord = NonNullable<ActivityStatus['activity']>;

export function getActivity(
  api: ApiClient,
  { organizationId, activityId }: ActivitySpec,
  options: { readonly credential: Credential; readonly begin: NonNullable<ApiRequest['begin']> },
): Promise<Reply> {
  const path = ['v1', 'organizations', organizationId, 'activities', activityId];
  return api.call({ operation: GET_ACTIVITY, method: 'GET', path, ...options });
}

/**
 * The fields of a record that a result has, as text within our bounds; null is as good as absent,
 * and what is no text is written as JSON. Undefined where it has none of them: then it is no
 * record.
 */
export function readRecord(result: Readonly<Record<string, unknown>>): ActivityRecord | undefined {
  const read = recordFieldNames.flatMap((name) => {
    const value = result[name];
    if (value === undefined || value === null) return [];
    return [
      [
        name,
        cutText(typeof value === 'string' ? value : canonicalJson(value), RECORD[name].max),
      ] as const,
    ];
  });
  return read.length === 0 ? undefined : Object.fromEntries(read);
}
