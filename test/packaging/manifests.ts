import { succeed } from './run.ts';

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

/** Reads documents of YAML the way kubectl does, without a server. */
export async function parseManifests(yaml: string, kubectlProgram: string): Promise<Manifest[]> {
  // The only command of kubectl that prints any kind of object as it is: it takes off an annotation
  // nobody has.
  const args = ['annotate', '--local', '-f', '-', '-o', 'json', 'nobody.has/this-'];
  const printed = await succeed(kubectlProgram, args, { stdin: yaml, env: { KUBERC: 'off' } });
  return printed
    .split(/^(?=\{$)/m)
    .filter((text) => text.trim() !== '')
    .map((text) => JSON.parse(text) as Manifest);
}

/** The one object of that kind and name; throws where there is none, or another number of them. */
export function only(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.filter(
    (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
  );
  const [first] = found;
  if (!first || found.length > 1)
    throw new Error(
      `there are ${found.length} ${kind} ${name ?? ''} among ${list(manifests).join(', ')}`,
    );
  return first;
}

/** `Kind namespace/name` of each, sorted. */
export function list(manifests: readonly Manifest[]): string[] {
  return manifests
    .map(
      ({ kind, metadata: { namespace, name } }) =>
        `${kind} ${namespace ? `${namespace}/` : ''}${name}`,
    )
    .sort();
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
