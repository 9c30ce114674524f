import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { parse } from 'yaml';

/** What a CRD says of one field, as far as a status must keep to it. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  /** What the API server writes into a new object. */
  readonly default?: object;
}

/** As it ships. */
function statusSchema(plural: string): Schema {
  const crd: unknown = parse(readFileSync(`crds/${plural}.yaml`, 'utf8'));
  const { spec } = crd as { spec: { versions: [{ schema: { openAPIV3Schema: Schema } }] } };
  return spec.versions[0].schema.openAPIV3Schema.properties?.status ?? {};
}
export const SCHEMAS = {
  PipeSettings: statusSchema('pipesettings'),
  Organization: statusSchema('organizations'),
  Activity: statusSchema('activities'),
};
export type KindName = keyof typeof SCHEMAS;

/** Where the API server would refuse a value, or prune it. */
function problemsIn(schema: Schema | undefined, value: unknown, path: string): string[] {
  if (!schema) return [`${path} is unknown`];
  const { type, properties, required = [], items, maxItems = 0, maxLength = 0 } = schema;
  if (type === 'array') {
    if (!Array.isArray(value) || value.length > maxItems) return [path];
    return value.flatMap((one, at) => problemsIn(items, one, `${path}[${at}]`));
  }
  if (type === 'object') {
    const fields = new Map(Object.entries(value ?? {}));
    const missing = required.filter((name) => !fields.has(name)).map((name) => `${path}.${name}`);
    const inner = [...fields].map(([name, one]) => ({ name, one, of: properties?.[name] }));
    const problems = inner.map(({ name, one, of }) => problemsIn(of, one, `${path}.${name}`));
    return [...missing, ...problems.flat()];
  }
  const isText =
    typeof value === 'string' &&
    (schema.enum ? schema.enum.includes(value) : [...value].length <= maxLength);
  const isNumber = Number.isInteger(value) && Number(value) >= (schema.minimum ?? 0);
  const isFine = { string: isText, integer: isNumber, boolean: typeof value === 'boolean' }[
    type ?? ''
  ];
  return (isFine ?? (isText || typeof value !== 'string')) ? [] : [path];
}

type Texts<Field extends string> = Readonly<Record<Field, string>>;
type Condition = Texts<'type' | 'status' | 'reason' | 'message' | 'lastTransitionTime'>;
type Applied = Texts<'time' | 'requestHash'> & { readonly keys: readonly string[] };
export type Endpoint = Texts<'id' | 'cloudProvider' | 'region'>;
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
  expect(problemsIn(SCHEMAS[kind], status, 'status')).toEqual([]);
  const { conditions = [], observedGeneration } = status;
  const [ready, beside, ...more] = conditions;
  expect([ready?.type, more.length]).toEqual(['Ready', 0]);
  expect([undefined, 'Reconciling', 'Stalled']).toContain(beside?.type);
  if (beside) expect([beside.status, ready?.status === 'True']).toEqual(['True', false]);
  for (const { reason, message, observedGeneration: of } of conditions)
    expect([reason, message, of]).toEqual([ready?.reason, ready?.message, observedGeneration]);
  expectReadable(ready?.message ?? '');
}

/** One line, with nothing in it that a person cannot read. */
export function expectReadable(text: string): void {
  expect(text).toMatch(/^\S.*\S$/u);
  expect(text).not.toMatch(/\.$|\.\. [A-Z]|[\p{Cc}\u2028\u2029]|undefined|\[object/u);
}
