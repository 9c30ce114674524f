import { compareVersions, type KubeObject } from '../resource.ts';
import type { WatchEvent } from './watch-event.ts';

/** One event, as its watch told it. */
export interface Told<T> {
  /** The namespace that the watch covers; undefined: all. */
  readonly scope: string | undefined;
  readonly event: WatchEvent;
  readonly object: T;
  /** The version that the watch had told of before. */
  readonly delivered: string;
}

/**
 * What watches tell of objects that are being written. Most of it is the echo of the write, which
 * is no news any more once the reply has been taken. So it waits for the end of the write, as if
 * the watch were slow; but not beyond a deletion or a list, since whoever is left is judged by the
 * last status of what is gone.
 */
export class HeldBack<T extends KubeObject> {
  /** By key of an object that is being written, the newest event that came meanwhile. */
  readonly #newest = new Map<string, Told<T> | undefined>();

  /** `take` gets what has waited, when `write` has ended in whatever way. */
  async during(
    key: string,
    write: () => Promise<void>,
    take: (told: Told<T>) => void,
  ): Promise<void> {
    if (this.#newest.has(key)) return write();
    this.#newest.set(key, undefined);
    try {
      await write();
    } finally {
      const told = this.#newest.get(key);
      this.#newest.delete(key);
      if (told) take(told);
    }
  }

  /** What is to be taken now that this has been told, in this order. */
  due(key: string, told: Told<T>): readonly Told<T>[] {
    if (!this.#newest.has(key)) return [told];
    if (told.event === 'DELETED') return [...this.#end(key), told];
    const waiting = this.#newest.get(key);
    if (!waiting || isNewer(told, waiting)) this.#newest.set(key, told);
    return [];
  }

  /** What is to be taken before a list of this scope, or given up for it. */
  dueBefore(scope: string | undefined): readonly Told<T>[] {
    return [...this.#newest].flatMap(([key, told]) =>
      told && told.scope === scope ? this.#end(key) : [],
    );
  }

  #end(key: string): readonly Told<T>[] {
    const told = this.#newest.get(key);
    this.#newest.set(key, undefined);
    return told ? [told] : [];
  }
}

function isNewer(told: Told<KubeObject>, than: Told<KubeObject>): boolean {
  return (
    compareVersions(told.object.metadata.resourceVersion, than.object.metadata.resourceVersion) > 0
  );
}
