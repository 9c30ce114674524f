import type { Structural } from '../../src/kinds/schema/structural.ts';

/**
 * Reads the keywords of the CRD as the API server does, without zod, and of CEL the rules on one
 * text; rules between fields and on whole lists are left to the integration tests.
 */
export function crdAccepts(schema: Structural, value: unknown): boolean {
  switch (schema.type) {
    case 'object':
      return acceptsObject(schema, value);
    case 'array':
      return (
        Array.isArray(value) &&
        value.length <= (schema.maxItems ?? 0) &&
        value.every((item) => crdAccepts(schema.items ?? {}, item))
      );
    case 'string':
      if (typeof value !== 'string') return false;
      if (schema.enum) return schema.enum.includes(value);
      return Array.from(value).length <= (schema.maxLength ?? 0) && keepsRules(schema, value);
    case 'integer':
      return Number.isInteger(value) && isInRange(schema, Number(value));
    case 'boolean':
      return typeof value === 'boolean';
    case undefined:
    default:
      return acceptsScalar(schema, value);
  }
}

function acceptsObject(schema: Structural, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { properties = {}, additionalProperties, minProperties = 0 } = schema;
  if (additionalProperties)
    return (
      Object.keys(value).length <= (schema.maxProperties ?? 0) &&
      Object.values(value).every((one) => crdAccepts(additionalProperties, one))
    );
  const known = Object.entries(value).filter(([name]) => properties[name]);
  if (known.length < minProperties) return false;
  if (schema.required?.some((name) => !(name in value))) return false;
  return known.every(([name, property]) => crdAccepts(properties[name] ?? {}, property));
}

/** Without a type, each keyword holds for the values that it speaks of. */
function acceptsScalar(schema: Structural, value: unknown): boolean {
  if (typeof value === 'string') return Array.from(value).length <= (schema.maxLength ?? 0);
  if (typeof value === 'boolean') return true;
  if (typeof value === 'number')
    return schema.multipleOf !== 1 || (Number.isInteger(value) && isInRange(schema, value));
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function isInRange({ minimum = 0, maximum = 0 }: Structural, value: number): boolean {
  return value >= minimum && value <= maximum;
}

function keepsRules(schema: Structural, value: string): boolean {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules.every(({ rule }) => {
    const pattern = /^self\.matches\((".*")\)$/.exec(rule)?.[1];
    if (pattern !== undefined) return new RegExp(JSON.parse(pattern) as string, 'u').test(value);
    return rule !== "self != ''" || value !== '';
  });
}
