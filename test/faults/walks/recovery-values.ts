import type { Structural } from '../../../src/kinds/schema/structural.ts';

type Json = Readonly<Record<string, unknown>>;

/** Values that a field must not have, by its schema alone. */
export function badValues({
  type,
  enum: choices,
  minimum,
  maximum,
  maxLength,
  pattern,
}: Structural): unknown[] {
  switch (type) {
    case 'integer':
      return [(minimum ?? 0) - 1, (maximum ?? 0) + 1, '1', 1.5];
    case 'boolean':
      return ['yes', 1];
    case 'string':
      return [
        7,
        ...(choices ? ['Nonsense'] : []),
        ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
        ...(pattern === undefined ? [] : ['no such thing']),
      ];
    case 'object':
    case 'array':
    case undefined:
    default:
      throw new Error(`a leaf of type ${type ?? 'none'}`);
  }
}

/** The spec with another value at `privateEndpoints[].id`; of a list, in its first entry. */
export function withValue(spec: Json, path: string, value: unknown): Json {
  const [, field = '', isList, rest] = /^([^.[]+)(\[\])?(?:\.(.+))?$/.exec(path) ?? [];
  const inner = spec[field];
  if (rest === undefined) return { ...spec, [field]: value };
  if (!isList) return { ...spec, [field]: withValue((inner ?? {}) as Json, rest, value) };
  const [first = {}, ...others] = inner as readonly Json[];
  return { ...spec, [field]: [withValue(first, rest, value), ...others] };
}
