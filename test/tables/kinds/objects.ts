import { hash } from 'node:crypto';
import { BASE_URL } from './process.ts';
import {
  at,
  HOUR,
  type Metadata,
  REQUESTED_AT,
  type Seen,
  Stage,
  type StageOptions,
  type Stands,
} from './stage.ts';
import { defaultOf, type KindName, type Status } from './status.ts';

/** Of the API that is called: `sha256` of its address. */
export const API_HASH = `sha256:${hash('sha256', BASE_URL)}`;

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

export interface Wanted {
  readonly name?: string;
  readonly namespace?: string;
  readonly metadata?: Partial<Metadata>;
  readonly spec?: object;
  readonly status?: Status;
  /** The value of the one-shot annotation. */
  readonly requested?: string;
}

/** An object of an hour ago that nobody has reconciled; a test states what it is about. */
export function an(kind: KindName, wanted: Wanted = {}): Stands {
  const { name = 'one', namespace = 'ingest', metadata, spec, status, requested } = wanted;
  return {
    kind,
    metadata: {
      name,
      namespace,
      uid: `uid-${namespace}-${name}`,
      generation: 1,
      resourceVersion: '1',
      creationTimestamp: at(-HOUR),
      ...(requested !== undefined && { annotations: { [REQUESTED_AT]: requested } }),
      ...metadata,
    },
    spec: { ...SPECS[kind], ...spec },
    status: { ...defaultOf(kind), ...status },
  };
}

/** One object on a stage of its own. */
export function staged(kind: KindName, wanted: Wanted = {}, options: StageOptions = {}) {
  const stage = new Stage(options);
  const id = stage.put(an(kind, wanted));
  return { stage, id, run: (afterMs = 0): Promise<Seen> => stage.run(id, afterMs) };
}
