import { OBJECT_NAME } from '../../config/dns-names.ts';
import { definitions } from '../../kinds/definitions.ts';
import type { Definition } from '../../kinds/schema/definition.ts';
import { collectionPath, type KubeObject, objectPath } from '../../kube/resource.ts';
import { UserError } from '../user-error.ts';
import { type Kubectl, KubectlError } from './kubectl.ts';
import type { Failure } from './kubectl-failure.ts';

/** Which objects a command is about. */
export interface Scope {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** A label selector, as kubectl takes it. */
  readonly selector?: string;
}

/** One object as the user names it. */
export interface ObjectName {
  readonly definition: Definition;
  readonly name: string;
}

/** An object with its kind. */
export interface Found {
  readonly definition: Definition;
  readonly object: KubeObject;
}

/**
 * By any name that kubectl takes for it: plural, singular, short name or kind, with or without
 * group.
 */
export function definitionNamed(text: string): Definition | undefined {
  const plain = text.toLowerCase();
  return definitions.find(({ type, singular, shortName }) => {
    const names = [type.plural, singular, shortName, type.kind.toLowerCase()];
    return names.some((name) => plain === name || plain === `${name}.${type.group}`);
  });
}

/** Throws UserError where this is not the kind and name of one object. */
export function parseObjectName(words: readonly string[]): ObjectName {
  const [kind = '', name = '', ...more] = words.length === 1 ? (words[0] ?? '').split('/') : words;
  const definition = definitionNamed(kind);
  if (!definition)
    throw new UserError(
      `${JSON.stringify(kind)} is not a kind of Pipewright; name an object as one of ${definitions.map(({ shortName }) => `${shortName}/NAME`).join(', ')}`,
    );
  if (name === '' || more.length > 0)
    throw new UserError(
      `${JSON.stringify(words.join(' '))} names no object; write it as ${definition.shortName}/NAME`,
    );
  checkObjectName(name);
  return { definition, name };
}

/** Throws UserError where no object can have this name. `from`: the flag that it was given by. */
export function checkObjectName(name: string, from?: string): void {
  if (OBJECT_NAME.test(name)) return;
  throw new UserError(
    `${from === undefined ? '' : `${from}: `}${JSON.stringify(name)} is not a name that an object can have; give one of a-z, 0-9, - and dots, with a letter or digit at both ends of each part, and no more than 253 in all`,
  );
}

/** `pset/orders`, as messages and commands name an object. */
export function shortNameOf({ definition, object }: Found): string {
  return `${definition.shortName}/${object.metadata.name}`;
}

/** Throws UserError where there is no such object. */
export async function getObject(
  kubectl: Kubectl,
  { definition, name }: ObjectName,
  namespace: string,
): Promise<Found> {
  try {
    const path = objectPath(definition.type, namespace, name);
    return { definition, object: await kubectl.get<KubeObject>(path) };
  } catch (error) {
    if (!isFor(error, 'NotFound')) throw withKind(error, definition);
    throw new UserError(
      `there is no ${definition.type.kind} ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)}; list them all: kubectl get ${definition.type.plural}.${definition.type.group} -A`,
    );
  }
}

/** All objects of these kinds, in the order of the API server. */
export async function listObjects(
  kubectl: Kubectl,
  scope: Scope,
  of: readonly Definition[] = definitions,
): Promise<Found[]> {
  const lists = await Promise.all(of.map((definition) => listKind(kubectl, definition, scope)));
  return lists.flatMap(({ found }) => found);
}

/** The objects of one kind at one moment. */
export interface Listed {
  readonly found: readonly Found[];
  /** From which a watch goes on. */
  readonly resourceVersion: string;
}

export async function listKind(
  kubectl: Kubectl,
  definition: Definition,
  scope: Scope,
): Promise<Listed> {
  interface List {
    readonly items: readonly KubeObject[];
    readonly metadata: { readonly resourceVersion: string };
  }
  try {
    const { items, metadata } = await kubectl.get<List>(pathOfKind(definition, scope));
    const found = items.map((object) => ({ definition, object }));
    return { found, resourceVersion: metadata.resourceVersion };
  } catch (error) {
    throw withKind(error, definition);
  }
}

/** Path of the objects of one kind; `query` is what else to ask for. */
export function pathOfKind(
  { type }: Definition,
  { namespace, selector }: Scope,
  query: Readonly<Record<string, string>> = {},
): string {
  const asked = new URLSearchParams({
    ...query,
    ...(selector !== undefined && { labelSelector: selector }),
  }).toString();
  return collectionPath(type, namespace) + (asked === '' ? '' : `?${asked}`);
}

function isFor(error: unknown, reason: Failure['reason']): boolean {
  return error instanceof KubectlError && error.failure.reason === reason;
}

/** The error itself, but where the cluster has no such kind. */
function withKind(error: unknown, { type }: Definition): unknown {
  if (!isFor(error, 'NoSuchKind')) return error;
  return new UserError(
    `the cluster does not know the kind ${type.kind} of ${type.group}: its CRD is not installed. What to do: kubectl pipewright doctor`,
  );
}
