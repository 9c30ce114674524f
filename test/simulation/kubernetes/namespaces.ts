import type { ServedKind } from './kinds.ts';
import { noSuchNamespace, terminating } from './refusal.ts';

/** Namespaces. All names stand for one, but for those that are said here to be going or gone. */
export class Namespaces {
  readonly #going = new Set<string>();
  readonly #gone = new Set<string>();

  /**
   * It is deleted, which takes time: nothing can be made in it any more, and what is there stays as
   * it is.
   */
  terminate(name: string): void {
    this.#going.add(name);
  }

  /** There is none of this name. */
  remove(name: string): void {
    this.#gone.add(name);
  }

  /** Throws the server's refusal to create something where nothing can be created. */
  admit(kind: ServedKind, namespace: string, name: string): void {
    if (this.#gone.has(namespace)) throw noSuchNamespace(namespace);
    if (this.#going.has(namespace)) throw terminating(kind, name, namespace);
  }
}
