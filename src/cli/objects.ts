import { definitions } from '../kinds/definitions.ts';
import type { PipeSettingsStatus } from '../kinds/pipe-settings/resource.ts';
import type { Definition } from '../kinds/schema/definition.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { ConnectionFlags, Kubectl } from './kubectl.ts';
import { UserError } from './user-error.ts';
import { ago } from './words.ts';

/** The marks that each tool leaves on what it applies. */
export const GIT_TOOLS = {
  'Argo CD': ['argocd.argoproj.io/instance', 'argocd.argoproj.io/tracking-id'],
  Flux: ['kustomize.toolkit.fluxcd.io/name', 'helm.toolkit.fluxcd.io/name'],
} as const;

/** As kubectl has them. */
export interface ScopeFlags extends ConnectionFlags {
  readonly allNamespaces?: boolean;
  readonly selector?: string;
}

/** An object with its kind. */
export interface Found {
  readonly definition: Definition;
  readonly object: KubeObject;
}

/** Of a kind that only reads: the field of its status that holds what was fetched, once it does. */
export function fetchedField({ definition: { fetches }, object }: Found): string | undefined {
  return fetches !== undefined && Object.hasOwn(object.status ?? {}, fetches) ? fetches : undefined;
}

/** `pipesettings.pipewright.dev`, which no other group's kind can be taken for. */
export function fullName({ type }: Definition): string {
  return `${type.plural}.${type.group}`;
}

/**
 * By any name that kubectl takes for it: plural, singular, short name or kind, with or without
 * group. Throws UserError where this is not the kind and name of one object.
 */
export function parseObjectName(word: string): { definition: Definition; name: string } {
  const [kind = '', name = '', ...more] = word.split('/');
  const plain = kind.toLowerCase();
  const definition = definitions.find(({ type, singular, shortName }) =>
    [type.plural, singular, shortName].some(
      (one) => plain === one || plain === `${one}.${type.group}`,
    ),
  );
  if (!definition)
    throw new UserError(
      `${JSON.stringify(kind)} is not a kind of Pipewright; name an object as one of ${definitions.map(({ shortName }) => `${shortName}/NAME`).join(', ')}`,
    );
  if (name === '' || more.length > 0)
    throw new UserError(
      `${JSON.stringify(word)} names no object; write it as ${definition.shortName}/NAME`,
    );
  return { definition, name };
}

/**
 * What an unset variable of a script leaves behind, such as -l "$TEAM", would mean every object.
 * Throws UserError.
 */
export function checkScope(names: readonly string[], flags: ScopeFlags): void {
  if (flags.selector?.trim() === '')
    throw new UserError(
      '-l is empty, which would select every object; give labels, or leave -l out',
    );
  if (flags.namespace?.trim() === '')
    throw new UserError('-n is empty; give the name of a namespace, or leave -n out');
  const isScoped = flags.selector !== undefined || flags.allNamespaces === true;
  if (names.length > 0 && isScoped)
    throw new UserError(
      `${names.join(' ')}: a name cannot be given together with -l or -A; leave out the name, or -l and -A`,
    );
}

/** The named objects, or all that the flags select, in the order of the API server. */
export async function getObjects(
  kubectl: Kubectl,
  names: readonly string[],
  flags: ScopeFlags,
): Promise<readonly Found[]> {
  checkScope(names, flags);
  const words = names.map(parseObjectName);
  const what =
    words.length > 0
      ? words.map(({ definition, name }) => `${fullName(definition)}/${name}`)
      : [definitions.map(fullName).join(',')];
  const objects = await kubectl.get<KubeObject>([...what, ...scopeArgs(flags)]);
  return objects.flatMap((object) => {
    const definition = definitions.find(({ type }) => type.kind === object.kind);
    return definition ? [{ definition, object }] : [];
  });
}

function scopeArgs({ namespace, allNamespaces, selector }: ScopeFlags): readonly string[] {
  return [
    ...(namespace === undefined ? [] : ['-n', namespace]),
    ...(allNamespaces === true ? ['-A'] : []),
    ...(selector === undefined ? [] : ['-l', selector]),
  ];
}

/** From which the values in the status are, and how old it is; undefined: none has shown any. */
export function responseOf({ status }: KubeObject, now: number): string | undefined {
  const { verified, applied, lastRequest }: Partial<PipeSettingsStatus> = status ?? {};
  const time = (verified ?? applied)?.time;
  if (time === undefined) return undefined;
  const id = [lastRequest, applied].find((one) => one?.time === time)?.requestId;
  return `the response of ${time} (${ago(time, now)}${id === undefined ? '' : `, request ${id}`})`;
}

/** `pset/orders`, as messages and commands name an object. */
export function shortNameOf({ definition, object }: Found): string {
  return `${definition.shortName}/${object.metadata.name}`;
}
