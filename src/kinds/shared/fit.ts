import type * as z from 'zod/mini';
import { cutText } from '../../controller/conditions.ts';
import { type Structural, toStructural } from '../schema/structural.ts';
import { textOf } from './canonical.ts';

/**
 * A value cut to what its schema holds: the first entries of a list, texts as long as they may be,
 * known fields only. What the API reports is of any size and type, and one value out of bounds
 * makes the API server refuse the whole status.
 */
export function fitTo<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  return fit(toStructural(schema), value) as z.output<Schema>;
}

function fit(node: Structural, value: unknown): unknown {
  const { type, properties, items, maxItems, maxLength } = node;
  if (value === undefined || value === null) return undefined;
  if (properties) return typeof value === 'object' ? fieldsOf(properties, value) : undefined;
  if (items) {
    const entries = Array.isArray(value) ? value.slice(0, maxItems) : undefined;
    return entries?.flatMap((entry) => fit(items, entry) ?? []);
  }
  // A scalar has no type: a number or a boolean stays what it is.
  const isText = typeof value === 'string' || typeof value === 'object';
  if (type === 'integer' || type === 'boolean' || (type === undefined && !isText)) return value;
  return cutText(textOf(value), maxLength ?? Number.POSITIVE_INFINITY);
}

function fieldsOf(nodes: Readonly<Record<string, Structural>>, value: object): object {
  const given = new Map<string, unknown>(Object.entries(value));
  const fields = Object.entries(nodes).map(([name, node]) => [name, fit(node, given.get(name))]);
  return Object.fromEntries(fields.filter(([, fitting]) => fitting !== undefined));
}
