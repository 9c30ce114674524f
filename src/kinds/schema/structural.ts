import type * as z from 'zod/mini';

/** A rule of the API server, in CEL. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly reason?: 'FieldValueForbidden';
  readonly fieldPath?: string;
}

/** What a CRD says of a value: a type (or a bounded scalar), a description and bounds. */
export interface Structural {
  description?: string;
  type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  format?: 'date-time' | 'int64';
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  maxLength?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  required?: readonly string[];
  properties?: Readonly<Record<string, Structural>>;
  additionalProperties?: Structural;
  items?: Structural;
  'x-kubernetes-list-type'?: 'atomic' | 'map';
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: 'atomic';
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-validations'?: readonly Rule[];
}

const NODES = new WeakMap<z.core.$ZodType, Structural>();

/** The parser of a value, with what the CRD says of the same value. */
export function piece<Schema extends z.ZodMiniType>(schema: Schema, node: Structural): Schema {
  NODES.set(schema, node);
  return schema;
}

/** Throws for a schema that is no piece: the API server would not check what it checks. */
export function toStructural(schema: z.core.$ZodType): Structural {
  const node = NODES.get(schema);
  if (node === undefined) throw new Error('A schema is not made of the pieces of schema.ts');
  return node;
}
