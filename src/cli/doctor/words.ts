import { plainLine } from '../../api/reply/text.ts';
import { type Found, shortNameOf } from '../cluster/objects.ts';
import { counted } from '../words.ts';

/** How many of many are named. */
const NAMED = 3;
/** Of a text that comes from the cluster. */
const LONGEST_TEXT = 400;

/** `a, b, c and 7 more`. */
export function listed(names: readonly string[]): string {
  const rest = names.length - NAMED;
  if (rest > 0) return `${names.slice(0, NAMED).join(', ')} and ${rest} more`;
  return names.join(', ');
}

/** `1,000 objects (ingest/pset/a, ingest/pset/b, ingest/pset/c and 997 more)`. */
export function objectsNamed(objects: readonly Found[]): string {
  const names = objects.map((one) => `${one.object.metadata.namespace}/${shortNameOf(one)}`);
  return `${counted(objects.length, 'object')} (${listed(names)})`;
}

/** A text that others wrote, as one line without control characters. */
export function quoted(text: string): string {
  return plainLine(text, LONGEST_TEXT, (same) => same);
}

/** By a key, in the order in which each key is met first. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[][] {
  return [...Map.groupBy(items, keyOf).values()];
}
