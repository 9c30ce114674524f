import { isDeepStrictEqual } from 'node:util';
import { keyOf } from '../../kube/resource.ts';
import type { Organization } from './resource.ts';

interface Entry {
  readonly heir: Organization;
  readonly gone: Organization;
}

/**
 * Holders that went before those who wait for their organization were visited: a watch may bring the new object and the end of the old
 * one in one breath. A pass over the new one still sees the old one once, and takes over its ledger.
 */
export class Predecessors {
  readonly #entries = new Map<string, Entry>();

  add(gone: Organization, heirs: readonly Organization[]): void {
    for (const heir of heirs) this.#entries.set(keyOf(heir), { heir, gone });
  }

  /** Undefined once anybody has visited the heir: another process may have led meanwhile. */
  of(object: Organization): Organization | undefined {
    const entry = this.#entries.get(keyOf(object));
    if (!entry || entry.heir.metadata.uid !== object.metadata.uid) return undefined;
    return isDeepStrictEqual(entry.heir.status, object.status) ? entry.gone : undefined;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }
}
