import { hash } from 'node:crypto';
import type { createKinds } from '../../../src/kinds/index.ts';
import { BASE_URL } from './process.ts';
import { type KindName, SCHEMAS, type Status } from './status.ts';

export type Kind = ReturnType<typeof createKinds>[number];
export type Stored = Parameters<Kind['reconcile']>[0];
export type Metadata = Stored['metadata'];

/** The moment at which all begins. */
export const T0 = Date.parse('2026-03-01T12:00:00Z');
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';
/** RFC 3339, so many ms after T0. */
export const at = (ms: number): string => `${new Date(T0 + ms).toISOString().slice(0, 19)}Z`;

const credentialsSecretRef = { name: 'api' };
/** A good spec of each kind. */
export const SPECS = {
  PipeSettings: {
    organizationId: 'org',
    serviceId: 'service',
    pipeId: 'pipe',
    credentialsSecretRef,
    settings: { engine_max_threads: 8 },
  },
  Organization: {
    organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
    credentialsSecretRef,
    name: 'Acme',
  },
  Activity: { organizationId: 'org', activityId: 'record', credentialsSecretRef },
} as const;
export const KINDS = Object.keys(SPECS) as readonly KindName[];

/** `sha256` of the address of an API: the one that is called, and any other. */
export const API_HASH = `sha256:${hash('sha256', BASE_URL)}`;
export const OTHER_HASH = `sha256:${'0'.repeat(64)}`;

/** An object as the API server has it. */
export interface Stands {
  readonly kind: KindName;
  readonly metadata: Metadata;
  readonly spec?: unknown;
  readonly status?: Status;
}
export interface Wanted {
  readonly name?: string;
  readonly namespace?: string;
  readonly metadata?: Partial<Metadata>;
  readonly spec?: object;
  readonly status?: Status;
}

/** An object of an hour ago that nobody has reconciled; a test states what it is about. */
export function an(kind: KindName, wanted: Wanted = {}): Stands {
  const { name = 'one', namespace = 'ingest', metadata, spec, status } = wanted;
  return {
    kind,
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: at(-HOUR),
      ...metadata,
    },
    spec: { ...SPECS[kind], ...spec },
    status: { ...SCHEMAS[kind].default, ...status },
  };
}

export const idOf = ({ kind, metadata: { namespace, name } }: Stands) =>
  `${kind}/${namespace}/${name}`;
export const keyIn = (id: string) => id.slice(id.indexOf('/') + 1);

/** As it is on the wire: JSON has no undefined. */
export function wire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

type Ids = readonly { readonly id: string }[];
/** `+a` and `-b` for each endpoint. */
export function changed({ add = [], remove = [] }: { add?: Ids; remove?: Ids }): string[] {
  return [...add.map(({ id }) => `+${id}`), ...remove.map(({ id }) => `-${id}`)];
}
