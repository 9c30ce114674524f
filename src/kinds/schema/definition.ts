import type * as z from 'zod/mini';
import type { ResourceType } from '../../kube/resource.ts';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly path: string;
  readonly about: string;
  /** `date` shows an age, and `<invalid>` for what is yet to come: use text for that. */
  readonly type?: 'date';
  /** Only with `-o wide`. */
  readonly wide?: true;
}

/** All that a kind's CRD is made from. */
export interface Definition {
  readonly type: ResourceType;
  readonly singular: string;
  readonly shortName: string;
  readonly about: string;
  readonly spec: z.ZodMiniType;
  readonly status: z.ZodMiniType;
  /** What `status` is before the first reconcile. */
  readonly pendingStatus: object;
  readonly columns: readonly Column[];
  /** JSON paths that field selectors may name. */
  readonly selectableFields: readonly string[];
}

const columns =
  (more: Pick<Column, 'type' | 'wide'>) =>
  (name: string, path: string, about: string): Column => ({ name, path, about, ...more });

export const column = columns({});
export const wideColumn = columns({ wide: true });
const dateColumn = columns({ type: 'date' });

const ofReady = (field: string) => `.status.conditions[?(@.type=="Ready")].${field}`;
const STALLED = '.status.conditions[?(@.type=="Stalled")].status';

/** Columns that every kind has, and `lastApplied` those that write. */
export const COLUMNS = {
  reason: column('Reason', ofReady('reason'), 'Why it is ready or not, in one word.'),
  stalled: column('Stalled', STALLED, 'True where a person must act.'),
  lastApplied: dateColumn('Last Applied', '.status.applied.time', 'Age of the last confirmation.'),
  age: dateColumn('Age', '.metadata.creationTimestamp', 'Time since this object was created.'),
  organization: wideColumn('Organization', '.spec.organizationId', 'Id of the organization.'),
  requestId: wideColumn('Request ID', '.status.lastRequest.requestId', 'Id of the last response.'),
  nextAttempt: wideColumn('Next Attempt', '.status.nextAttemptTime', 'Time of the next attempt.'),
  message: wideColumn('Message', ofReady('message'), 'What happened and what to do.'),
} as const;

export const readyColumn = (about: string) => column('Ready', ofReady('status'), about);
