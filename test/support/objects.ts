import type { Answer } from '../../src/api/reply.ts';
import type {
  PipeSettings,
  PipeSettingsSpec,
  PipeSettingsStatus,
} from '../../src/kinds/pipe-settings/resource.ts';
import { digestOf } from '../../src/kinds/shared/canonical.ts';

/** The moment at which pure tests take place. */
export const T0 = Date.parse('2026-03-01T12:00:00Z');
export const BASE_URL = 'https://api.example.test';
export const API_HASH = digestOf(BASE_URL);
export const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

export interface Wanted {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly generation?: number;
  readonly created?: string;
  readonly deleting?: boolean;
  /** The value of the one-shot annotation. */
  readonly requested?: string | undefined;
  readonly spec?: Partial<PipeSettingsSpec>;
  /** In place of the whole spec, for what no schema lets in. */
  readonly rawSpec?: unknown;
  readonly status?: PipeSettingsStatus | undefined;
}

/** A valid object that nobody has visited; a test states what it is about. */
export function aPipeSettings(wanted: Wanted = {}): PipeSettings {
  const {
    name = 'orders',
    namespace = 'ingest',
    uid = 'uid-1',
    generation = 1,
    requested,
    status,
  } = wanted;
  const spec: PipeSettingsSpec = {
    organizationId: 'org',
    serviceId: 'service',
    pipeId: 'pipe',
    credentialsSecretRef: { name: 'api-key' },
    settings: { engine_max_threads: 8 },
    ...wanted.spec,
  };
  return {
    metadata: {
      name,
      namespace,
      uid,
      generation,
      resourceVersion: '1',
      creationTimestamp: wanted.created ?? '2026-03-01T11:00:00Z',
      ...(wanted.deleting && { deletionTimestamp: '2026-03-01T11:59:00Z' }),
      ...(requested !== undefined && { annotations: { [REQUESTED_AT]: requested } }),
    },
    spec: 'rawSpec' in wanted ? wanted.rawSpec : spec,
    ...(status && { status }),
  };
}

/** An answer with a JSON body that names a request. */
export function anAnswer(httpStatus: number, more: Partial<Answer> = {}): Answer {
  return { answered: true, httpStatus, requestId: 'req-1', ...more };
}

/** By how much a wait misses the contract's ±20 %; times have whole seconds, rounded up. */
export function astray(wait: number, contract: number): number {
  return Math.max(contract * 0.8 - wait, 0) + Math.max(wait - contract * 1.2 - SECOND, 0);
}

/** The object after an edit: a new generation with another spec. */
export function edited(object: PipeSettings, spec: Partial<PipeSettingsSpec>): PipeSettings {
  const { generation = 0 } = object.metadata;
  return {
    ...object,
    metadata: { ...object.metadata, generation: generation + 1 },
    spec: { ...(object.spec as PipeSettingsSpec), ...spec },
  };
}

/** The object with this value of the one-shot annotation. */
export function asking(object: PipeSettings, requested: string): PipeSettings {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { [REQUESTED_AT]: requested } },
  };
}

/** `Ready` of a status; throws where there is none. */
export function readyIn(status: PipeSettingsStatus | undefined) {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (!ready) throw new Error('The status has no Ready condition');
  return ready;
}

/** `Reconciling`, `Stalled` or undefined. */
export function sideIn(status: PipeSettingsStatus | undefined): string | undefined {
  return status?.conditions?.find(({ type }) => type !== 'Ready')?.type;
}
