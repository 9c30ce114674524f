import * as z from 'zod/mini';

/**
 * A schema as a CRD may hold it: every node has a type (or is a bounded scalar), a description and
 * bounds.
 */
export interface Structural {
  description?: string;
  type?: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  format?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, Structural>;
  items?: Structural;
  default?: unknown;
  'x-kubernetes-list-type'?: 'atomic' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-validations'?: {
    rule: string;
    message: string;
    reason?: string;
    fieldPath?: string;
  }[];
}

type Node = Readonly<Record<string, unknown>>;

const RULES = 'x-kubernetes-validations';

/** What a node of each type may say, in the order in which it is written, and what it must say. */
const KEYWORDS: Readonly<
  Record<string, { readonly may: readonly string[]; readonly must: readonly string[] }>
> = {
  object: { may: ['minProperties', 'required', 'properties', RULES], must: ['properties'] },
  array: {
    may: [
      'minItems',
      'maxItems',
      'x-kubernetes-list-type',
      'x-kubernetes-list-map-keys',
      'items',
      RULES,
    ],
    must: ['maxItems', 'x-kubernetes-list-type', 'items'],
  },
  string: { may: ['format', 'enum', 'minLength', 'maxLength', 'pattern', RULES], must: [] },
  integer: { may: ['format', 'minimum', 'maximum', RULES], must: ['format', 'minimum', 'maximum'] },
  boolean: { may: [RULES], must: [] },
};

/**
 * The structural schema of a zod schema. Throws, naming the place, on anything that the pieces of
 * `src/kinds/schema/schema.ts` do not make: a missing bound or description, a keyword that the API
 * server refuses or that would be lost.
 */
export function toStructural(schema: z.core.$ZodType, at: string): Structural {
  const json = z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', reused: 'inline' });
  return node(json, at);
}

function node(json: Node, at: string): Structural {
  if (typeof json.description !== 'string') throw new Error(`${at} has no description`);
  if (Array.isArray(json.anyOf)) return scalar(json, at);

  const { description, type, ...rest } = json;
  const keywords = KEYWORDS[String(type)];
  if (keywords === undefined)
    throw new Error(`${at} has type ${JSON.stringify(type)}, which pieces of schema.ts never have`);
  for (const keyword of Object.keys(rest))
    if (!keywords.may.includes(keyword))
      throw new Error(`${at} says ${keyword}, which a ${String(type)} may not`);
  for (const keyword of keywords.must)
    if (!(keyword in rest)) throw new Error(`${at} says no ${keyword}`);
  if (type === 'string' && !('maxLength' in rest) && !('enum' in rest))
    throw new Error(`${at} has no maxLength`);

  const made: Record<string, unknown> = { description, type };
  for (const keyword of keywords.may)
    if (keyword in rest) made[keyword] = child(keyword, rest[keyword], at);
  return made;
}

function child(keyword: string, value: unknown, at: string): unknown {
  if (keyword === 'items') return node(value as Node, `${at}[]`);
  if (keyword !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(value as Record<string, Node>).map(([name, property]) => [
      name,
      node(property, `${at}.${name}`),
    ]),
  );
}

/**
 * Text, number or boolean: no type can say so, but the bounds of the other types keep lists and
 * objects out.
 */
function scalar(json: Node, at: string): Structural {
  const { description, anyOf, ...rest } = json;
  const options = anyOf as readonly Node[];
  const [words, ...others] = options;
  const isScalar =
    words?.type === 'string' &&
    others.map((option) => option.type).join() === 'number,boolean' &&
    Object.keys(rest).length === 0;
  if (!isScalar) throw new Error(`${at} is a union other than the scalar of schema.ts`);
  if (typeof words.maxLength !== 'number') throw new Error(`${at} has no maxLength`);
  return {
    description: String(description),
    maxLength: words.maxLength,
    maxItems: 0,
    maxProperties: 0,
    'x-kubernetes-preserve-unknown-fields': true,
  };
}
