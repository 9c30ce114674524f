import { definitions } from '../../kinds/definitions.ts';
import type { Definition } from '../../kinds/schema/definition.ts';
import { type CommonStatus, readyOf } from '../../kinds/status/common-status.ts';
import { REASONS } from '../../kinds/status/reasons.ts';
import {
  definitionNamed,
  type Found,
  getObject,
  listObjects,
  type ObjectName,
  parseObjectName,
  type Scope,
} from '../cluster/objects.ts';
import { type Context, type ScopeFlags, scopeOf } from '../command.ts';
import { UserError } from '../user-error.ts';
import { inTurn } from './in-turn.ts';

export interface SelectFlags extends ScopeFlags {
  readonly all?: boolean;
  readonly reason?: string;
}

/** Which objects a command is for. */
export interface Selected {
  readonly scope: Scope;
  readonly found: readonly Found[];
  /** Those named that could not be read, each with why. */
  readonly failed: readonly Unread[];
}

interface Unread {
  readonly name: ObjectName;
  readonly error: string;
}

type Read = { readonly found: Found } | Unread;

/** Throws UserError where nobody said which objects are meant, and never takes all unasked. */
export async function selectObjects(
  { kubectl }: Pick<Context, 'kubectl'>,
  words: readonly string[],
  flags: SelectFlags,
): Promise<Selected> {
  checkReason(flags.reason);
  const isMany = flags.all === true || flags.selector !== undefined;
  if (isMany) {
    const kinds = kindsNamed(words);
    const scope = await scopeOf(kubectl, flags);
    const all = await listObjects(kubectl, scope, kinds);
    return { scope, found: all.filter((one) => hasReason(one, flags.reason)), failed: [] };
  }
  const names = namesOf(words);
  if (flags.allNamespaces === true)
    throw new UserError(
      'a name and -A do not go together; name the namespace with -n, or take all objects with --all -A',
    );
  const scope = await scopeOf(kubectl, flags);
  const results = await inTurn(names, async (name): Promise<Read> => {
    try {
      return { found: await getObject(kubectl, name, scope.namespace ?? '') };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { name, error: error.message };
    }
  });
  return {
    scope,
    found: results.flatMap((one) =>
      'found' in one && hasReason(one.found, flags.reason) ? [one.found] : [],
    ),
    failed: results.flatMap((one) => ('found' in one ? [] : [one])),
  };
}

function checkReason(reason: string | undefined): void {
  if (reason === undefined || Object.hasOwn(REASONS, reason)) return;
  throw new UserError(
    `${JSON.stringify(reason)} is not a reason that Ready can have; give one of ${Object.keys(REASONS).join(', ')}`,
  );
}

function hasReason({ object }: Found, reason: string | undefined): boolean {
  if (reason === undefined) return true;
  return readyOf(object.status as CommonStatus | undefined)?.reason === reason;
}

/** With --all or -l: of these kinds, or of all. */
function kindsNamed(words: readonly string[]): readonly Definition[] {
  if (words.length === 0) return definitions;
  return [...new Set(words)].map((word) => {
    const definition = definitionNamed(word);
    if (definition) return definition;
    throw new UserError(
      `${JSON.stringify(word)} is not a kind of Pipewright; with --all or -l give none or some of ${definitions.map(({ shortName }) => shortName).join(', ')}`,
    );
  });
}

/** `pset/orders porg/acme`, or `pset orders payments`; each object once. */
function namesOf(words: readonly string[]): readonly ObjectName[] {
  const [first = '', ...rest] = words;
  if (first === '' || (rest.length === 0 && definitionNamed(first)))
    throw new UserError(
      'say which objects: name them, such as pset/orders, choose them with -l LABEL=VALUE, or take all of the namespace with --all',
    );
  const names = definitionNamed(first)
    ? rest.map((name) => parseObjectName([first, name]))
    : words.map((word) => parseObjectName([word]));
  return [
    ...new Map(names.map((one) => [`${one.definition.type.plural}/${one.name}`, one])).values(),
  ];
}
