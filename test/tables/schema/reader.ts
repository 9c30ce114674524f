import * as fc from 'fast-check';
import type { kindSchema } from '../../../crds/manifest.ts';

/** A value as a CRD describes it. */
export type Node = ReturnType<typeof kindSchema>['spec'];

const rulesOf = (node: Node) => node['x-kubernetes-validations'] ?? [];
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the API server takes a value, by the keywords and rules of the CRD; without zod. */
export function accepts(node: Node, value: unknown): boolean {
  return fitsType(node, value) && rulesOf(node).every(({ rule }) => keepsRule(rule, value));
}

function fitsType(node: Node, value: unknown): boolean {
  switch (node.type) {
    case 'object':
      return isRecord(value) && acceptsFields(node, value);
    case 'array': {
      const { maxItems = 0, items = {} } = node;
      const isList = Array.isArray(value) && value.length <= maxItems;
      return isList && value.every((one) => accepts(items, one));
    }
    case 'string':
      if (typeof value !== 'string' || (node.enum && !node.enum.includes(value))) return false;
      if (node.format && (Number.isNaN(Date.parse(value)) || !value.endsWith('Z'))) return false;
      return node.enum !== undefined || isShort(node, value);
    case 'integer':
      return Number.isInteger(value) && isInRange(node, Number(value));
    case 'boolean':
      return typeof value === 'boolean';
    case undefined:
    default:
      if (typeof value === 'string') return isShort(node, value);
      if (typeof value !== 'number') return typeof value === 'boolean';
      return node.multipleOf !== 1 || (Number.isInteger(value) && isInRange(node, value));
  }
}

function acceptsFields(node: Node, value: Readonly<Record<string, unknown>>): boolean {
  const { properties = {}, additionalProperties, maxProperties = 0, minProperties = 0 } = node;
  if (additionalProperties) {
    const all = Object.values(value);
    return all.length <= maxProperties && all.every((one) => accepts(additionalProperties, one));
  }
  const known = Object.entries(value).filter(([name]) => properties[name]);
  const isWhole = (node.required ?? []).every((name) => name in value);
  const areFine = known.every(([name, one]) => accepts(properties[name] ?? {}, one));
  return isWhole && known.length >= minProperties && areFine;
}

const isShort = ({ maxLength = 0 }: Node, text: string): boolean => [...text].length <= maxLength;
const isInRange = ({ minimum = 0, maximum = 0 }: Node, value: number): boolean =>
  value >= minimum && value <= maximum;

/** Rules about a change, and about lengths of time, are shown on a real API server. */
function keepsRule(rule: string, value: unknown): boolean {
  const pattern = /^self\.matches\((".*")\)$/.exec(rule)?.[1];
  if (pattern !== undefined) return new RegExp(JSON.parse(pattern), 'u').test(String(value));
  if (rule === "self != ''") return value !== '';
  const oneOf = [...rule.matchAll(/has\(self\.(\w+)\)/g)].map(([, name = '']) => name);
  if (isRecord(value)) return oneOf.length === 0 || oneOf.some((name) => name in value);
  if (!Array.isArray(value)) return true;
  const ids = value.map((one: { readonly id: string }) => one.id.toLowerCase());
  return new Set(ids).size === ids.length;
}

const WORDS = ['a', 'a.b', 'a_1', '24h', '7f0e0b1d-0000-4000-8000-000000000000', '🙂'];
const TIMES = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5Z'];
const ODD = ['', ' ', 'A b', 'é', 'a\n', '..', '1d', '"', 'a<', 5.5, 2 ** 53, null, [], { a: [] }];

/** Values of which about half of all objects fit: those that do, at every bound, and odd ones. */
export function valuesOf(node: Node): fc.Arbitrary<unknown> {
  const { minimum = 0, maximum = 0, maxLength = 0 } = node;
  const edges = ['a', '🙂'].map((sign) => sign.repeat(Math.min(maxLength, 600)));
  const scalars = [...WORDS, ...TIMES, ...edges, ...(node.enum ?? []), true, minimum, maximum];
  const odd = [...ODD, ...edges.map((text) => `${text}a`), minimum - 1, maximum + 1];
  const [fine, wrong] = [true, false].map((is) =>
    [...scalars, ...odd].filter((one) => accepts(node, one) === is),
  );
  const mostly = (some: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 40, arbitrary: some }, fc.constantFrom(...(wrong ?? [])));
  if (node.type === 'array') {
    const bounds = { maxLength: Math.min(node.maxItems ?? 0, 2) };
    return mostly(fc.array(valuesOf(node.items ?? {}), bounds));
  }
  if (node.type !== 'object') return mostly(fc.constantFrom(...(fine ?? [])));
  if (node.additionalProperties)
    return mostly(fc.dictionary(fc.constantFrom('b', 'c_1'), valuesOf(node.additionalProperties)));
  const fields = Object.entries(node.properties ?? {}).map(([name, one]) => [name, valuesOf(one)]);
  const shape = { ...Object.fromEntries(fields), surplus: fc.constant(1) };
  return mostly(fc.record(shape, { requiredKeys: node.required ?? [] }));
}
