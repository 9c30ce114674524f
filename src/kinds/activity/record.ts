import { type KindSummary, quoting } from '../shared/common-status.ts';

interface RecordField {
  readonly about: string;
  /** Code points; what is longer is cut. */
  readonly max: number;
}

/**
 * The ten fields of a record, under the API's own names: the one table of them and of their bounds.
 */
export const RECORD = {
  id: { about: 'Id of the activity.', max: 128 },
  createdAt: { about: 'When the activity happened, as the API reported it.', max: 64 },
  type: { about: 'Type of the activity.', max: 128 },
  actorType: { about: 'Type of the actor.', max: 128 },
  actorId: { about: 'Id of the actor.', max: 256 },
  actorDetails: { about: 'Details of the actor.', max: 1024 },
  actorIpAddress: { about: 'IP address of the actor.', max: 256 },
  organizationId: { about: 'Id of the organization.', max: 128 },
  serviceId: { about: 'Id of the service.', max: 128 },
  userAgent: { about: 'User agent of the caller.', max: 1024 },
} as const satisfies Readonly<Record<string, RecordField>>;

export type RecordFieldName = keyof typeof RECORD;

/** In the order of the API document. */
export const recordFieldNames = Object.keys(RECORD) as readonly RecordFieldName[];

export type ActivityRecord = { readonly [Name in RecordFieldName]?: string | undefined };

/** What is said of a record that has been fetched; nothing that is in it. */
export function fetched(
  spec: { readonly activityId: string },
  record: ActivityRecord,
  requestId?: string,
): KindSummary {
  const has = recordFieldNames.filter((name) => record[name] !== undefined).length;
  const all = recordFieldNames.length;
  const part = has === all ? '' : `, with ${has} of its ${all} fields`;
  const isOther =
    record.id !== undefined && record.id.toLowerCase() !== spec.activityId.toLowerCase();
  const doubt = isOther ? '; the id in it is not spec.activityId' : '';
  const message = `The record is in status.activity${part}${doubt}${quoting(requestId)}`;
  return { ready: 'True', reason: 'Fetched', message };
}
