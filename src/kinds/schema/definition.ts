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
  /** Of a kind that only reads: the field of `status` that holds what was fetched. */
  readonly fetches?: string;
  /** JSON paths that field selectors may name. */
  readonly selectableFields: readonly string[];
}

export function typeOf(kind: string, plural: string): ResourceType {
  return { group: 'pipewright.dev', version: 'v1alpha1', plural, kind };
}

export function column(name: string, path: string, about: string, type?: 'date'): Column {
  return { name, path, about, ...(type && { type }) };
}

const ofReady = (field: string) => `.status.conditions[?(@.type=="Ready")].${field}`;
const IS_STALLED = '.status.conditions[?(@.type=="Stalled")].status';
export const STALLED = column('Stalled', IS_STALLED, 'True where a person must act.');
const APPLIED = '.status.applied.time';
/** Of a kind that writes to the API. */
export const WRITING = {
  ready: 'True where the API has confirmed the declared state.',
  columns: [STALLED, column('Last Applied', APPLIED, 'Age of the last confirmation.', 'date')],
};
const CREATED = '.metadata.creationTimestamp';
const ID = '.spec.organizationId';
export const ORGANIZATION = column('Organization', ID, 'Id of the organization.');
export const SERVICE = column('Service', '.spec.serviceId', 'Id of the service.');
export const PIPE = column('Pipe', '.spec.pipeId', 'Id of the pipe.');

/** Adds what every kind has. */
export function define({
  ready,
  wide,
  ids,
  ...own
}: Omit<Definition, 'singular' | 'pendingStatus' | 'selectableFields'> & {
  /** When it is Ready. */
  readonly ready: string;
  readonly wide: readonly Column[];
  /** Its immutable fields of spec. */
  readonly ids: readonly string[];
}): Definition {
  const shown = [
    column('Ready', ofReady('status'), ready),
    column('Reason', ofReady('reason'), 'Why it is ready or not, in one word.'),
    ...own.columns,
    column('Age', CREATED, 'Time since this object was created.', 'date'),
  ];
  const more = [
    ...wide,
    column('Request ID', '.status.lastRequest.requestId', 'Id of the last response.'),
    column('Next Attempt', '.status.nextAttemptTime', 'Time of the next attempt.'),
    column('Message', ofReady('message'), 'What happened and what to do.'),
  ];
  return {
    ...own,
    singular: own.type.kind.toLowerCase(),
    pendingStatus,
    columns: [...shown, ...more.map((one) => ({ ...one, wide: true as const }))],
    selectableFields: [...ids, 'credentialsSecretRef.name'].map((field) => `.spec.${field}`),
  };
}
