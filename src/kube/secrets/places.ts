/**
 * Secrets of one namespace that are watched. Each is a watch of its own, which the API server keeps
 * and which is opened anew every minute or so. As many as a namespace is meant to have objects, so
 * that each may have a key of its own; objects that share one need a single watch.
 */
export const SECRETS_PER_NAMESPACE = 1_500;

interface Names {
  readonly placed: Set<string>;
  /** Oldest first. */
  readonly waiting: Set<string>;
}

/** Which of the Secrets that are referred to have a place. Who has one keeps it. */
export class Places {
  readonly #namespaces = new Map<string, Names>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  has(namespace: string, name: string): boolean {
    return this.#namespaces.get(namespace)?.placed.has(name) ?? false;
  }

  /** Takes a place where one is free, else it waits for one. */
  take(namespace: string, name: string): void {
    const names = this.#namespaces.get(namespace) ?? { placed: new Set(), waiting: new Set() };
    this.#namespaces.set(namespace, names);
    (names.placed.size < this.#most ? names.placed : names.waiting).add(name);
  }

  /** Nobody refers to it any more. Returns the one that has its place from now on. */
  leave(namespace: string, name: string): string | undefined {
    const names = this.#namespaces.get(namespace);
    if (!names || names.waiting.delete(name)) return undefined;
    names.placed.delete(name);
    const [next] = names.waiting;
    if (next !== undefined) {
      names.waiting.delete(next);
      names.placed.add(next);
    }
    if (names.placed.size === 0) this.#namespaces.delete(namespace);
    return next;
  }

  /** What to say of one that waits. */
  refusal(namespace: string, name: string): string {
    return `objects in namespace "${namespace}" refer to more than ${this.#most} Secrets, and no more are watched: "${name}" is not read until one of the others is referred to no more; use fewer Secrets, as objects with the same key can share one`;
  }
}
