import { DNS_LABEL, OBJECT_NAME } from '../../config/dns-names.ts';
import { definitions } from '../../kinds/definitions.ts';
import type { Definition } from '../../kinds/schema/definition.ts';
import { apiVersionOf } from '../../kube/resource.ts';
import { specProblems } from '../spec-problems.ts';
import type { Place, Written } from './documents.ts';

/** What is wrong with a manifest, and where. */
export interface Problem extends Place {
  readonly message: string;
}

/** One object of ours as a file declares it. */
export interface Manifest {
  readonly definition: Definition;
  readonly name: string;
  /** Undefined: that of -n, or of the kubeconfig. */
  readonly namespace: string | undefined;
  /** As written: what goes to the API server. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly placeOf: Written['placeOf'];
  readonly problems: readonly Problem[];
}

export interface Manifests {
  readonly ours: readonly Manifest[];
  /** How many objects are of kinds that Pipewright has nothing to do with. */
  readonly skipped: number;
  /** Of our group, and yet no kind of ours. */
  readonly strays: readonly Problem[];
}

/** Sorts out what is ours, and says what is wrong with it by the operator's own schemas. */
export function readManifests(all: readonly Written[]): Manifests {
  const ours: Manifest[] = [];
  const strays: Problem[] = [];
  let skipped = 0;
  for (const one of all) {
    const { apiVersion, kind } = (one.value ?? {}) as Readonly<Record<string, unknown>>;
    const definition = definitions.find(({ type }) => type.kind === kind);
    // Values of charts and patches stand beside manifests.
    if (typeof apiVersion !== 'string' || !isOfOurGroup(apiVersion)) skipped += 1;
    else if (definition) ours.push(manifestOf(one, definition));
    else {
      const kinds = definitions.map(({ type }) => type.kind).join(', ');
      const message = `kind must be one of ${kinds}, not ${JSON.stringify(kind)}`;
      strays.push({ ...one.placeOf(['kind']), message });
    }
  }
  return { ours, skipped, strays };
}

function isOfOurGroup(apiVersion: string): boolean {
  const [group] = apiVersion.split('/');
  return definitions.some(({ type }) => type.group === group);
}

function manifestOf(one: Written, definition: Definition): Manifest {
  const value = withoutNull(one.value) as Readonly<Record<string, unknown>>;
  const { name, namespace } = (value['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  const ofSpec = specProblems(definition.spec, value['spec']).map(({ path, message }) => ({
    ...one.placeOf(['spec', ...path]),
    message,
  }));
  return {
    definition,
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' ? namespace : undefined,
    value,
    placeOf: (path) => one.placeOf(path),
    problems: [...problemsAround(one, value, definition), ...ofSpec],
  };
}

const FIELDS = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status']);

/** What is wrong around the spec. */
function problemsAround(
  one: Written,
  value: Readonly<Record<string, unknown>>,
  { type }: Definition,
): readonly Problem[] {
  const metadata = (value['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  const { name, namespace, labels } = metadata;
  const problems: Problem[] = [];
  const add = (path: readonly PropertyKey[], message: string): void =>
    void problems.push({ ...one.placeOf(path), message });
  const apiVersion = apiVersionOf(type);
  if (value['apiVersion'] !== apiVersion)
    add(
      ['apiVersion'],
      `apiVersion must be ${apiVersion}, not ${JSON.stringify(value['apiVersion'])}`,
    );
  if (name === undefined) add(['metadata'], 'metadata.name is required');
  else if (typeof name !== 'string' || !OBJECT_NAME.test(name))
    add(
      ['metadata', 'name'],
      `metadata.name is ${JSON.stringify(name)}; it must be 1 to 253 lower-case letters, digits, . and -, each part between dots starting and ending with a letter or digit`,
    );
  const place = namespace ?? 'default';
  if (typeof place !== 'string' || !DNS_LABEL.test(place))
    add(
      ['metadata', 'namespace'],
      `metadata.namespace must be the name of a namespace, not ${JSON.stringify(namespace)}`,
    );
  for (const [label, text] of Object.entries(labels ?? {}))
    if (typeof text !== 'string')
      add(['metadata', 'labels', label], `a label must be a string, not ${JSON.stringify(text)}`);
  for (const field of Object.keys(value))
    if (!FIELDS.has(field)) add([field], `${field} is not a known field`);
  return problems;
}

/** The API server takes a field that is null for one that is not there. */
function withoutNull(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member: unknown) => member ?? undefined));
}
