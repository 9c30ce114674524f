import { hash } from 'node:crypto';
import { expect } from 'vitest';
import type { createKinds } from '../../../src/kinds/index.ts';
import { kindOf } from '../../simulation/kubernetes/kinds.ts';
import { GOOD, NAMES, KINDS as SHORT_NAMES } from '../../support/kinds.ts';
import { BASE_URL } from './process.ts';

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

export type KindName = (typeof NAMES)[keyof typeof NAMES]['kind'];
interface Spec {
  readonly organizationId: string;
  readonly credentialsSecretRef: { readonly name: string };
}
/** By the names of the kinds: a good spec of each. */
export const SPECS = ofEach<Spec>((short) => ({
  ...GOOD[short],
  credentialsSecretRef: { name: 'api' },
}));
export const KINDS = Object.keys(SPECS) as readonly KindName[];

function ofEach<Value>(make: (short: keyof typeof NAMES) => Value) {
  const entries = SHORT_NAMES.map((short) => [NAMES[short].kind, make(short)]);
  return Object.fromEntries(entries) as Readonly<Record<KindName, Value>>;
}

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
    status: { ...SCHEMAS[kind]?.pendingStatus, ...status },
  };
}

export const idOf = ({ kind, metadata: { namespace, name } }: Stands) =>
  `${kind}/${namespace}/${name}`;

/** As it is on the wire: JSON has no undefined. */
export function wire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** As the API server checks a status: by the schemas that the CRDs are made from. */
const SCHEMAS = ofEach((short) => kindOf(NAMES[short].plural).schema);

type Texts<Field extends string> = Readonly<Record<Field, string>>;
type Condition = Texts<'type' | 'status' | 'reason' | 'message' | 'lastTransitionTime'>;
type Applied = Texts<'time' | 'requestHash'> & { readonly keys: readonly string[] };
type Endpoint = Texts<'id' | 'cloudProvider' | 'region'>;
export interface Entry extends Endpoint {
  readonly state: string;
  readonly origin?: string | undefined;
  readonly nextAttemptTime?: string | undefined;
}

/** A status, with the fields of the contract that these tests read. */
export interface Status {
  readonly observedGeneration?: number;
  readonly conditions?: readonly (Condition & { readonly observedGeneration: number })[];
  readonly nextAttemptTime?: string;
  readonly lastHandledReconcileAt?: string;
  readonly applied?: Applied & { readonly generation: number };
  readonly plan?: { readonly requests: readonly { readonly body?: string }[] };
  readonly organization?: { readonly name?: string; privateEndpoints?: readonly object[] };
  readonly privateEndpoints?: readonly Entry[];
  readonly pendingChange?: Record<'add' | 'remove', readonly Endpoint[]> & { time: string };
  readonly otherSettings?: readonly object[];
  readonly history?: readonly { readonly generation: number }[];
  readonly [other: string]: unknown;
}

/** What must be true of every status that is written, whatever it is about. */
export function expectLawful(kind: KindName, status: Status): void {
  expect(SCHEMAS[kind]?.status.parse(status)).toEqual(status);
  const { conditions = [], observedGeneration } = status;
  const [ready, beside, ...more] = conditions;
  expect([ready?.type, more.length]).toEqual(['Ready', 0]);
  expect([undefined, 'Reconciling', 'Stalled']).toContain(beside?.type);
  if (beside) expect([beside.status, ready?.status === 'True']).toEqual(['True', false]);
  for (const { reason, message, observedGeneration: of } of conditions)
    expect([reason, message, of]).toEqual([ready?.reason, ready?.message, observedGeneration]);
  expectPlain(ready?.message ?? '');
}

/** One line, with nothing in it that a person cannot read. */
export function expectPlain(text: string): void {
  expect(text).toMatch(/^\S.*\S$/u);
  expect(text).not.toMatch(/\.$|\.\. [A-Z]|[\p{Cc}\u2028\u2029]|undefined|\[object/u);
}
