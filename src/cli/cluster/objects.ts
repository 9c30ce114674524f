import { definitions } from '../../kinds/definitions.ts';
import type { Definition } from '../../kinds/schema/definition.ts';
import { collectionPath, type KubeObject, objectPath } from '../../kube/resource.ts';
import { UserError } from '../user-error.ts';
import { type Kubectl, KubectlError } from './kubectl.ts';

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
  return { definition, name };
}

/** `pset/orders`, as messages and commands name an object. */
export function shortNameOf({ definition, object }: Found): string {
  return `${definition.shortName}/${object.metadata.name}`;
}

/** `pipesettings.pipewright.dev/orders`, which no other operator's kinds can be taken for. */
export function qualifiedNameOf({ definition, object }: Found): string {
  return `${definition.type.plural}.${definition.type.group}/${object.metadata.name}`;
}

/** Throws UserError where there is no such object. */
export async function getObject(
  kubectl: Kubectl,
  { definition, name }: ObjectName,
  namespace: string,
): Promise<Found> {
  const object = await kubectl.find<KubeObject>(objectPath(definition.type, namespace, name));
  if (!object)
    throw new UserError(
      `there is no ${definition.type.kind} ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)}; list them all: kubectl get ${definition.type.plural}.${definition.type.group} -A`,
    );
  return { definition, object };
}

/** All objects of these kinds, in the order of the API server. */
export async function listObjects(
  kubectl: Kubectl,
  scope: Scope,
  of: readonly Definition[] = definitions,
): Promise<Found[]> {
  const lists = await Promise.all(of.map((definition) => listKind(kubectl, definition, scope)));
  return lists.flat();
}

async function listKind(
  kubectl: Kubectl,
  definition: Definition,
  { namespace, selector }: Scope,
): Promise<Found[]> {
  const query = selector === undefined ? '' : `?labelSelector=${encodeURIComponent(selector)}`;
  const path = collectionPath(definition.type, namespace);
  try {
    const { items } = await kubectl.get<{ readonly items: readonly KubeObject[] }>(path + query);
    return items.map((object) => ({ definition, object }));
  } catch (error) {
    if (error instanceof KubectlError && error.failure.reason === 'NotFound')
      throw new UserError(
        `the cluster does not know the kind ${definition.type.kind} of ${definition.type.group}: its CRD is not installed. What to do: kubectl pipewright doctor`,
      );
    throw error;
  }
}
