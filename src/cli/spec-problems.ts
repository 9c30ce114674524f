import type { Definition } from '../kinds/schema/definition.ts';
import { fieldAt, problem } from '../kinds/schema/parser.ts';

/** One thing that is wrong with a spec. */
export interface SpecProblem {
  /** From `spec` down; where a field is missing, the place where it belongs. */
  readonly path: readonly PropertyKey[];
  /** A sentence without its stop, with field and value. */
  readonly message: string;
}

/**
 * All that is wrong with a spec as somebody has written it. A field that the schema does not have
 * is wrong too: kubectl refuses it, and the API server would drop it.
 */
export function specProblems(schema: Definition['spec'], spec: unknown): readonly SpecProblem[] {
  const { data, error } = schema.safeParse(spec);
  if (error)
    return error.issues.map((issue) => ({ path: issue.path, message: problem(issue, spec) }));
  const unknown = unknownFields(spec, data, []);
  return unknown.map((path) => ({ path, message: `${fieldAt(path)} is not a known field` }));
}

/** What a parser has left out. */
function unknownFields(
  given: unknown,
  taken: unknown,
  at: readonly PropertyKey[],
): (readonly PropertyKey[])[] {
  if (typeof given !== 'object' || given === null) return [];
  const kept = (taken ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(given).flatMap(([name, value]) => {
    const path = [...at, Array.isArray(given) ? Number(name) : name];
    return Object.hasOwn(kept, name) ? unknownFields(value, kept[name], path) : [path];
  });
}
