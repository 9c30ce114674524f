import type { Structural } from '../../src/kinds/schema/structural.ts';

/** Costs most in JSON: six bytes, and still one code point for maxLength. */
const DEAREST = '\u0001';

/**
 * The value with the longest JSON that a schema lets in: every optional field there, every list
 * full, every text of the dearest characters, or of the given one; of plain ones where a rule asks
 * for them. Entries of list maps differ in their key.
 */
export function largest(schema: Structural, character = DEAREST, seed = 0): unknown {
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        fieldsOf(schema).map(([name, property]) => [name, largest(property, character, seed)]),
      );
    case 'array':
      return Array.from({ length: schema.maxItems ?? 0 }, (_, index) =>
        largest(schema.items ?? {}, character, index),
      );
    case 'integer':
      return longest([schema.minimum ?? 0, schema.maximum ?? 0]);
    case 'boolean':
      return false;
    case 'string':
    case undefined:
    default:
      return largestText(schema, character, seed);
  }
}

/** Of a map as many as it may have, with names as long as those of settings may be. */
function fieldsOf({ properties = {}, additionalProperties, maxProperties = 0 }: Structural) {
  if (!additionalProperties) return Object.entries(properties);
  return Array.from(
    { length: maxProperties },
    (_, index) => [`${'n'.repeat(62)}${index + 10}`, additionalProperties] as const,
  );
}

function largestText(schema: Structural, character: string, seed: number): string {
  const { maxLength = 0 } = schema;
  if (schema.enum) return longest(schema.enum);
  if (schema.format === 'date-time') return `${'2026-01-01T00:00:00.'.padEnd(maxLength - 1, '1')}Z`;
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.some(({ rule }) => rule.includes('matches'))) return 'a'.repeat(maxLength);
  return (
    String.fromCodePoint((character.codePointAt(0) ?? 0) + seed) + character.repeat(maxLength - 1)
  );
}

function longest<T>(values: readonly T[]): T {
  const sorted = values.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length);
  const [first] = sorted;
  if (first === undefined) throw new Error('A schema with an empty list of words lets nothing in');
  return first;
}
