import type * as z from 'zod/mini';
import type { ResourceType } from '../../kube/resource.ts';
import { pendingStatus } from './status-fields.ts';

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

export function typeOf(kind: string, plural: string): ResourceType {
  return { group: 'pipewright.dev', version: 'v1alpha1', plural, kind };
}

const columns =
  (more: Pick<Column, 'type' | 'wide'>) =>
  (name: string, path: string, about: string): Column => ({ name, path, about, ...more });

export const column = columns({});
export const wideColumn = columns({ wide: true });
const dateColumn = columns({ type: 'date' });

const ofReady = (field: string) => `.status.conditions[?(@.type=="Ready")].${field}`;
const REASON = column('Reason', ofReady('reason'), 'Why it is ready or not, in one word.');
const IS_STALLED = '.status.conditions[?(@.type=="Stalled")].status';
export const STALLED = column('Stalled', IS_STALLED, 'True where a person must act.');
const APPLIED = '.status.applied.time';
const LAST_APPLIED = dateColumn('Last Applied', APPLIED, 'Age of the last confirmation.');
/** Of a kind that writes to the API. */
export const WRITING = {
  ready: 'True where the API has confirmed the declared state.',
  columns: [STALLED, LAST_APPLIED],
};
const AGE = dateColumn('Age', '.metadata.creationTimestamp', 'Time since this object was created.');
export const ORGANIZATION = wideColumn(
  'Organization',
  '.spec.organizationId',
  'Id of the organization.',
);
const LAST_WIDE = [
  wideColumn('Request ID', '.status.lastRequest.requestId', 'Id of the last response.'),
  wideColumn('Next Attempt', '.status.nextAttemptTime', 'Time of the next attempt.'),
  wideColumn('Message', ofReady('message'), 'What happened and what to do.'),
];

/** A definition, with what every kind has. */
export function define({
  ready,
  wide,
  ids,
  ...own
}: Pick<Definition, 'type' | 'shortName' | 'about' | 'spec' | 'status' | 'columns'> & {
  /** When it is Ready. */
  readonly ready: string;
  readonly wide: readonly Column[];
  /** Its immutable fields of spec. */
  readonly ids: readonly string[];
}): Definition {
  const first = [column('Ready', ofReady('status'), ready), REASON];
  return {
    ...own,
    singular: own.type.kind.toLowerCase(),
    pendingStatus,
    columns: [...first, ...own.columns, AGE, ...wide, ...LAST_WIDE],
    selectableFields: [...ids, 'credentialsSecretRef.name'].map((field) => `.spec.${field}`),
  };
}
