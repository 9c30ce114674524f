import { type Asked, forbidden } from './refusal.ts';

/** One rule of a role, bound to a user. */
export interface Right {
  readonly group: string;
  /** With the subresource, as in `pipesettings/status`. */
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Absent: in all namespaces, and for lists over all. */
  readonly namespace?: string;
  /** Absent: all objects. */
  readonly names?: readonly string[];
}

/** Who may do what. A user without any rule may do everything, as an administrator. */
export class Rights {
  readonly #rules = new Map<string, readonly Right[]>();
  readonly #denied = new Set<(asked: Asked) => boolean>();

  give(user: string, rules: readonly Right[]): void {
    this.#rules.set(user, rules);
  }

  /** Takes away what fits until the function it returns is called. */
  deny(fits: (asked: Asked) => boolean): () => void {
    this.#denied.add(fits);
    return () => void this.#denied.delete(fits);
  }

  /** Gives back everything that was taken away. */
  clear(): void {
    this.#denied.clear();
  }

  /** Throws the server's refusal. */
  check(asked: Asked): void {
    const rules = this.#rules.get(asked.user);
    if (rules === undefined) return;
    const isDenied = [...this.#denied].some((fits) => fits(asked));
    if (isDenied || !rules.some((right) => allows(right, asked))) throw forbidden(asked);
  }
}

function allows(right: Right, { verb, kind, subresource, namespace, name }: Asked): boolean {
  const resource = subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`;
  if (
    right.group !== kind.group ||
    !right.resources.includes(resource) ||
    !right.verbs.includes(verb)
  )
    return false;
  if (right.namespace !== undefined && right.namespace !== namespace) return false;
  return right.names === undefined || (name !== undefined && right.names.includes(name));
}
