import { expect } from 'vitest';
import { problemsIn, schemasOf } from './crd.ts';

const SCHEMAS = {
  PipeSettings: schemasOf('pipesettings').status,
  Organization: schemasOf('organizations').status,
  Activity: schemasOf('activities').status,
};
export type KindName = keyof typeof SCHEMAS;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
  readonly lastTransitionTime: string;
}
export interface Endpoint {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
}
export interface Entry extends Endpoint {
  readonly state: string;
  readonly origin?: string | undefined;
  readonly since?: string | undefined;
  readonly attempts?: number | undefined;
  readonly nextAttemptTime?: string | undefined;
  readonly lastError?: object | undefined;
}
interface Change {
  readonly field: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** A status, with the fields of the contract that these tests read. */
export interface Status {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly lastRequest?: object;
  readonly attempts?: number;
  readonly nextAttemptTime?: string;
  readonly lastHandledReconcileAt?: string;
  readonly verified?: { readonly time: string; readonly apiHash: string };
  readonly applied?: {
    readonly time: string;
    readonly generation: number;
    readonly requestHash: string;
    readonly keys: readonly string[];
  };
  readonly settings?: object;
  readonly otherSettings?: readonly { readonly field: string; readonly value: string }[];
  readonly differences?: readonly object[];
  readonly notReported?: readonly string[];
  readonly drift?: readonly Change[];
  readonly history?: readonly { readonly generation: number; readonly changes: Change[] }[];
  readonly plan?: {
    readonly time: string;
    readonly basis: string;
    readonly requests: readonly { readonly method: string; path: string; body?: string }[];
    readonly changes: readonly Change[];
  };
  readonly organization?: {
    readonly name?: string;
    readonly privateEndpoints?: readonly object[];
    readonly privateEndpointsTotal?: number;
  };
  readonly privateEndpoints?: readonly Entry[];
  readonly pendingChange?: {
    readonly time: string;
    readonly add: readonly Endpoint[];
    readonly remove: readonly Endpoint[];
  };
  readonly listLeftOutSince?: string;
  readonly unconfirmedWrite?: { readonly time: string; readonly requestHash: string };
  readonly activity?: object;
}

/** What the API server writes into a new object. */
export function defaultOf(kind: KindName): Status {
  return SCHEMAS[kind].default ?? {};
}

/** What must be true of every status that is written, whatever it is about. */
export function expectLawful(kind: KindName, status: Status): void {
  expect(problemsIn(SCHEMAS[kind], status)).toEqual([]);
  const { conditions = [], observedGeneration } = status;
  const [ready, beside, ...more] = conditions;
  expect([ready?.type, more.length]).toEqual(['Ready', 0]);
  expect([undefined, 'Reconciling', 'Stalled']).toContain(beside?.type);
  if (beside) expect([beside.status, ready?.status === 'True']).toEqual(['True', false]);
  for (const { reason, message, observedGeneration: of } of conditions)
    expect([reason, message, of]).toEqual([ready?.reason, ready?.message, observedGeneration]);
  expectReadable(ready?.message ?? '');
}

/** One line, bounded, with nothing in it that a person cannot read. */
export function expectReadable(text: string): void {
  expect(text).toMatch(/^\S.*\S$/u);
  expect(text).not.toMatch(/\.$|\.\. [A-Z]|[\p{Cc}\u2028\u2029]|undefined|\[object/u);
  expect([...text].length).toBeLessThanOrEqual(1024);
}
