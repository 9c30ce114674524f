import { DNS_LABEL, OBJECT_NAME } from '../../config/dns-names.ts';
import { definitions } from '../../kinds/definitions.ts';
import { type Definition, specProblems } from '../../kinds/schema/definition.ts';
import { apiVersionOf } from '../../kube/resource.ts';
import type { Place, Written } from './documents.ts';

/** One object of ours as a file declares it. */
export interface Manifest {
  readonly definition: Definition;
  readonly name: string;
  readonly namespace: string;
  /** As written: what goes to the API server. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly place: Place;
  /** Where a part of it stands; see Written. */
  readonly placeOf: (path: readonly PropertyKey[]) => Place;
  readonly problems: readonly Problem[];
}

/** What is wrong with a manifest, and where. */
export interface Problem {
  readonly place: Place;
  readonly message: string;
}

export interface Manifests {
  readonly ours: readonly Manifest[];
  /** How many objects are of kinds that Pipewright has nothing to do with. */
  readonly skipped: number;
  /** Of our group, and yet no kind of ours. */
  readonly strays: readonly Problem[];
}

/** Where an object goes that names no namespace. */
export interface CurrentNamespace {
  readonly namespace: string;
  /** By -n: then no object may name another one. */
  readonly isGiven: boolean;
}

/** Sorts out what is ours, and says what is wrong with it by the operator's own schemas. */
export function readManifests(all: readonly Written[], current: CurrentNamespace): Manifests {
  const ours: Manifest[] = [];
  const strays: Problem[] = [];
  let skipped = 0;
  for (const one of all) {
    const { apiVersion, kind } = (one.value ?? {}) as Readonly<Record<string, unknown>>;
    const definition = definitions.find(({ type }) => type.kind === kind);
    if (typeof one.value !== 'object' || one.value === null)
      strays.push({
        place: one.place,
        message: 'this is no Kubernetes object, but a single value',
      });
    // Values of charts and patches stand beside manifests.
    else if (typeof apiVersion !== 'string' || !isOfOurGroup(apiVersion)) skipped += 1;
    else if (definition) ours.push(withTwin(manifestOf(one, definition, current), ours));
    else
      strays.push({
        place: one.placeOf(['kind']),
        message: `kind must be one of ${definitions.map(({ type }) => type.kind).join(', ')}, not ${JSON.stringify(kind)}`,
      });
  }
  return { ours, skipped, strays };
}

function isOfOurGroup(apiVersion: string): boolean {
  const [group] = apiVersion.split('/');
  return definitions.some(({ type }) => type.group === group);
}

function manifestOf(one: Written, definition: Definition, current: CurrentNamespace): Manifest {
  const value = withoutNull(one.value) as Readonly<Record<string, unknown>>;
  const { name, namespace } = (value.metadata ?? {}) as Readonly<Record<string, unknown>>;
  return {
    definition,
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' ? namespace : current.namespace,
    value,
    place: one.place,
    placeOf: (path) => one.placeOf(path),
    problems: [
      ...shellProblems(one, definition, current),
      ...problemsOfSpec(one, definition, value.spec),
    ],
  };
}

const FIELDS = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status']);

/** What is wrong around the spec. */
function shellProblems(one: Written, { type }: Definition, current: CurrentNamespace): Problem[] {
  const value = one.value as Readonly<Record<string, unknown>>;
  const metadata = (value.metadata ?? {}) as Readonly<Record<string, unknown>>;
  const { name, namespace } = metadata;
  const problems: Problem[] = [];
  const add = (path: readonly PropertyKey[], message: string): void =>
    void problems.push({ place: one.placeOf(path), message });
  if (value.apiVersion !== apiVersionOf(type))
    add(
      ['apiVersion'],
      `apiVersion must be ${apiVersionOf(type)}, not ${JSON.stringify(value.apiVersion)}`,
    );
  if (name === undefined) add(['metadata'], 'metadata.name is required');
  else if (typeof name !== 'string' || !OBJECT_NAME.test(name))
    add(
      ['metadata', 'name'],
      `metadata.name must be 1 to 253 lower-case letters, digits, . and -, each part between dots starting and ending with a letter or digit, not ${JSON.stringify(name)}`,
    );
  if (namespace !== undefined && !(typeof namespace === 'string' && DNS_LABEL.test(namespace)))
    add(
      ['metadata', 'namespace'],
      `metadata.namespace must be 1 to 63 lower-case letters, digits and -, starting and ending with a letter or digit, not ${JSON.stringify(namespace)}`,
    );
  else if (namespace !== undefined && current.isGiven && namespace !== current.namespace)
    add(
      ['metadata', 'namespace'],
      `metadata.namespace is ${namespace}, and -n says ${current.namespace}, which kubectl apply refuses; leave one of the two out`,
    );
  for (const map of ['labels', 'annotations'] as const)
    for (const [key, member] of Object.entries(metadata[map] ?? {}))
      if (member !== null && typeof member !== 'string')
        add(
          ['metadata', map, key],
          `metadata.${map}.${key} must be text, not ${JSON.stringify(member)}; put it in quotes`,
        );
  for (const field of Object.keys(value))
    if (!FIELDS.has(field)) add([field], `${field} is not a known field`);
  return problems;
}

function problemsOfSpec(one: Written, definition: Definition, spec: unknown): Problem[] {
  return specProblems(definition.spec, spec).map(({ path, message }) => ({
    place: one.placeOf(['spec', ...path]),
    message,
  }));
}

/** The API server takes a field that is null for one that is not there. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === null ? [] : [[name, withoutNull(member)]],
    ),
  );
}

/** kubectl would apply both, one after the other, and the first would be lost. */
function withTwin(manifest: Manifest, before: readonly Manifest[]): Manifest {
  const twin = before.find(
    (other) =>
      other.definition === manifest.definition &&
      other.name === manifest.name &&
      other.namespace === manifest.namespace,
  );
  if (!twin) return manifest;
  const { file, line } = twin.place;
  const message = `the same object stands at ${file}:${line} too; remove one of the two`;
  return { ...manifest, problems: [...manifest.problems, { place: manifest.place, message }] };
}
