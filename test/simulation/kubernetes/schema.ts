import type { ServedKind } from './kinds.ts';
import type { Thing } from './objects.ts';
import { invalid } from './refusal.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What becomes of an object's content: of the product's kinds what their schemas know, with a field
 * that is null left out; of others all. `before` is what it replaces. Throws the server's refusal
 * of what may not be.
 */
export function completed(
  kind: ServedKind,
  name: string,
  content: Fields,
  before: Thing | undefined,
): Fields {
  const { schema } = kind;
  if (!schema) return content;
  if (content.spec === undefined) throw invalid(kind, name, 'spec: Required value');
  const pruned: Record<string, unknown> = {};
  for (const part of ['spec', 'status'] as const) {
    const result = schema[part].safeParse(withoutNull(content[part]));
    if (!result.success) throw invalid(kind, name, obstaclesOf(part, result.error.issues));
    pruned[part] = result.data;
  }
  if (before) refuseImmutable(kind, before, pruned);
  return pruned;
}

function obstaclesOf(
  part: string,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string {
  return issues
    .map(
      ({ path, message }) => `${[part, ...path.map(String)].join('.')}: Invalid value: ${message}`,
    )
    .join(', ');
}

/** A null is dropped where the schema does not ask for one, and ours never does. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([, member]) => member !== null && member !== undefined,
  );
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutNull(member)]));
}

function refuseImmutable(
  kind: ServedKind,
  { spec: old, metadata }: Thing,
  { spec: now }: Fields,
): void {
  const field = kind.immutable.find((name) => (old as Fields)[name] !== (now as Fields)[name]);
  if (field !== undefined)
    throw invalid(kind, metadata.name, `spec.${field}: Forbidden: is immutable`);
}
