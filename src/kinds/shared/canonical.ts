import { hash } from 'node:crypto';

/** JSON as in RFC 8785, keys sorted by UTF-16 units, no white space: equal values, equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = value as Readonly<Record<string, unknown>>;
  const members = Object.keys(fields)
    .filter((name) => fields[name] !== undefined)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(fields[name])}`);
  return `{${members.join(',')}}`;
}

/** A text as it is, anything else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : canonicalJson(value);
}

/** `sha256:` and the hex digest of the parts, each on a line of its own. */
export function digestOf(...parts: readonly string[]): string {
  return `sha256:${hash('sha256', parts.join('\n'))}`;
}

/** Whole seconds in RFC 3339, as Kubernetes writes its own times. */
export function timestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** The first whole second not before this: a timestamp must not promise too early a moment. */
export function wholeSecond(epochMs: number): number {
  return Math.ceil(epochMs / 1000) * 1000;
}
