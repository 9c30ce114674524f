import type * as z from 'zod/mini';
import { cutText } from '../../controller/conditions.ts';
import { type Structural, toStructural } from '../schema/structural.ts';
import { canonicalJson } from './canonical.ts';

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
  if (value === undefined || value === null) return undefined;
  if (node.properties) return fieldsOf(node.properties, value);
  if (node.items) return Array.isArray(value) ? entriesOf(node, node.items, value) : undefined;
  if (node.type === 'integer' || node.type === 'boolean') return value;
  // A scalar has no type: a number or a boolean stays what it is.
  if (node.type === undefined && typeof value !== 'string' && typeof value !== 'object')
    return value;
  const text = typeof value === 'string' ? value : canonicalJson(value);
  return cutText(text, node.maxLength ?? text.length);
}

function fieldsOf(nodes: Readonly<Record<string, Structural>>, value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const given = new Map<string, unknown>(Object.entries(value));
  const fields = Object.entries(nodes).flatMap(([name, node]) => {
    const fitting = fit(node, given.get(name));
    return fitting === undefined ? [] : [[name, fitting]];
  });
  return Object.fromEntries(fields);
}

function entriesOf(
  { maxItems }: Structural,
  item: Structural,
  list: readonly unknown[],
): unknown[] {
  return list.slice(0, maxItems).flatMap((entry) => fit(item, entry) ?? []);
}
