import { parseAllDocuments } from 'yaml';

/** One object, as it is applied. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export function parseManifests(yaml: string): Manifest[] {
  return parseAllDocuments(yaml).flatMap((one) => (one.toJS() as Manifest | null) ?? []);
}

/** The objects of that kind, and of that name where one is given. */
export function all(manifests: readonly Manifest[], kind: string, name?: string): Manifest[] {
  return manifests.filter(
    (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
  );
}

/** The one object of that kind and name; throws where there is none, or another number of them. */
export function only(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const [first, ...others] = all(manifests, kind, name);
  if (!first || others.length > 0)
    throw new Error(`not one ${kind} ${name ?? ''} among ${list(manifests).join(', ')}`);
  return first;
}

/** `Kind namespace/name` of each, sorted. */
export function list(manifests: readonly Manifest[]): string[] {
  return manifests
    .map(({ kind, metadata: { namespace, name } }) => `${kind} ${namespace ?? ''}/${name}`)
    .sort();
}

/** What a path leads to: `spec.replicas`, `rules.0.verbs`; a key with dots needs `[…]`. */
export function valueAt(value: unknown, path: string): unknown {
  const keys = [...path.matchAll(/\[([^\]]+)\]|[^.[\]]+/g)].map(([key, quoted]) => quoted ?? key);
  return keys.reduce<unknown>(
    (inner, key) => (inner as Readonly<Record<string, unknown>> | undefined)?.[key],
    value,
  );
}

/** The same objects without what the tools may choose: labels, annotations, and the order. */
export function essence(manifests: readonly Manifest[]): unknown[] {
  return manifests
    .map((one) => withoutLabels(one) as Manifest)
    .sort((a, b) => (list([a])[0] ?? '').localeCompare(list([b])[0] ?? ''));
}

const CHOSEN = ['labels', 'matchLabels', 'annotations', 'creationTimestamp'];

function withoutLabels(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLabels);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !CHOSEN.includes(key));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutLabels(inner)]));
}
