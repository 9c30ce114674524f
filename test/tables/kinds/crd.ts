import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What a CRD says of one field, as far as these tests ask. */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly default?: object;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
}
interface Crd {
  readonly spec: {
    readonly versions: readonly [
      { readonly schema: { readonly openAPIV3Schema: { readonly properties: Both } } },
    ];
  };
}
type Both = Readonly<Record<'spec' | 'status', Schema>>;

/** As it ships. */
export function schemasOf(plural: string): Both {
  const crd = parse(readFileSync(`crds/${plural}.yaml`, 'utf8')) as Crd;
  return crd.spec.versions[0].schema.openAPIV3Schema.properties;
}

/**
 * Why the API server would refuse a value, or what it would prune: bounds, types, and of CEL the
 * rules on one text. Rules between fields are tested on a real one.
 */
export function problemsIn(schema: Schema, value: unknown, path = ''): string[] {
  const { type, items, enum: words, maxItems = 0, maxLength = 0 } = schema;
  const problem = (isFine: boolean) => (isFine ? [] : [path]);
  switch (type) {
    case 'object':
      return problemsInObject(schema, value, path);
    case 'array':
      if (!Array.isArray(value) || value.length > maxItems) return [path];
      return value.flatMap((one, at) => problemsIn(items ?? {}, one, `${path}[${at}]`));
    case 'string':
      if (typeof value !== 'string') return [path];
      if (words) return problem(words.includes(value));
      return problem(Array.from(value).length <= maxLength && keepsRules(schema, value));
    case 'integer':
      return problem(isWhole(schema, value));
    case 'boolean':
      return problem(typeof value === 'boolean');
    case undefined:
    default:
      if (typeof value === 'string') return problem(Array.from(value).length <= maxLength);
      if (typeof value === 'number') return problem(!schema.multipleOf || isWhole(schema, value));
      return problem(typeof value === 'boolean');
  }
}

function problemsInObject(schema: Schema, value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  const { properties, additionalProperties, required = [], maxProperties = 999 } = schema;
  const names = Object.keys(value);
  const known = names.filter((name) => properties?.[name]);
  const isFew = properties !== undefined && known.length < (schema.minProperties ?? 0);
  return [
    ...(isFew || names.length > maxProperties ? [path] : []),
    ...required.filter((name) => !names.includes(name)).map((name) => `${path}.${name}`),
    ...Object.entries(value).flatMap(([name, field]) => {
      const of = properties?.[name] ?? additionalProperties;
      return of ? problemsIn(of, field, `${path}.${name}`) : [`${path}.${name} is unknown`];
    }),
  ];
}

function isWhole({ minimum = 0, maximum = 0 }: Schema, value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}

function keepsRules(schema: Schema, value: string): boolean {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules.every(({ rule }) => {
    const pattern = /^self\.matches\((".*")\)$/.exec(rule)?.[1];
    if (pattern !== undefined) return new RegExp(JSON.parse(pattern) as string, 'u').test(value);
    return rule !== "self != ''" || value !== '';
  });
}
