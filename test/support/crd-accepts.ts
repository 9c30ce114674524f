import type { Structural } from '../../src/kinds/schema/structural.ts';

/**
 * Reads the keywords of the CRD as the API server does, without zod; CEL is left to the integration
 * tests.
 */
export function crdAccepts(schema: Structural, value: unknown): boolean {
  switch (schema.type) {
    case 'object': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
      const known = Object.entries(value).filter(([name]) => schema.properties?.[name]);
      if (known.length < (schema.minProperties ?? 0)) return false;
      if (schema.required?.some((name) => !(name in value))) return false;
      return known.every(([name, property]) =>
        crdAccepts(schema.properties?.[name] ?? {}, property),
      );
    }
    case 'array':
      return (
        Array.isArray(value) &&
        value.length <= (schema.maxItems ?? 0) &&
        value.every((item) => crdAccepts(schema.items ?? {}, item))
      );
    case 'string': {
      if (typeof value !== 'string') return false;
      const length = Array.from(value).length;
      if (schema.enum) return schema.enum.includes(value);
      if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? 0)) return false;
      return schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value);
    }
    case 'integer':
      return (
        Number.isInteger(value) &&
        Number(value) >= (schema.minimum ?? 0) &&
        Number(value) <= (schema.maximum ?? 0)
      );
    case 'boolean':
      return typeof value === 'boolean';
    case undefined:
    default:
      throw new Error(`spec has a ${schema.type ?? 'typeless field'}`);
  }
}
