import { isDeepStrictEqual } from 'node:util';
import type { Thing } from '../kubernetes/objects.ts';
import type { Fact } from './facts.ts';

/** What a process was last told of an object: this version, or that it is gone. */
export interface Known {
  readonly thing: Thing | undefined;
  /** The last version there was. */
  readonly last: Thing;
  /** The process has been told of no other version since it started. */
  readonly isFirst: boolean;
  /** A restore has brought it back: a newer version had been told before. */
  readonly isRestored: boolean;
  /** When it was told so first. */
  readonly at: number;
}

/**
 * What each process has been told of the objects, and when. It may know more by its own thinking,
 * but never less.
 */
export class Knowledge {
  readonly #processes = new Map<string, Map<string, Known>>();
  /** What each process knew before a restore, and has been told nothing of since. */
  readonly #forgotten = new Map<string, Map<string, Thing>>();
  readonly #stored: (key: string) => Thing | undefined;
  #hasGoneBack = false;

  /** `stored`: what the server holds now. */
  constructor(stored: (key: string) => Thing | undefined) {
    this.#stored = stored;
  }

  see(fact: Fact): void {
    if (fact.what !== 'seen') return;
    const forgotten = this.#forgotten.get(fact.process);
    const held = forgotten?.get(fact.key);
    forgotten?.delete(fact.key);
    const known = this.of(fact.process);
    const before = known.get(fact.key);
    const { thing, at, wentBack = false } = fact;
    if (thing) {
      const takesBack =
        wentBack || (before?.thing && this.#takesBack(fact.key, thing, before.thing));
      if (before?.thing && isOlder(thing, before.thing) && !takesBack) return;
      if (
        before?.thing &&
        isSame(thing, before.thing) &&
        !this.#isAgain(fact.key, thing, before.thing)
      )
        return;
      const newest = before?.thing ?? held;
      const isRestored = newest !== undefined && isOlder(thing, newest);
      const isFirst = before ? before.isFirst && !isOlder(before.last, thing) : !isRestored;
      known.set(fact.key, { thing, last: thing, isFirst, isRestored, at });
    } else if (before?.thing) {
      known.set(fact.key, {
        thing: undefined,
        last: before.last,
        isFirst: false,
        isRestored: false,
        at,
      });
    }
  }

  /**
   * Versions have gone back: what was known of them says nothing any more, but is known until the
   * process is told.
   */
  forget(): void {
    for (const [process, known] of this.#processes) {
      const forgotten = this.#forgotten.get(process) ?? new Map<string, Thing>();
      for (const [key, { thing }] of known) if (thing) forgotten.set(key, thing);
      this.#forgotten.set(process, forgotten);
    }
    this.#processes.clear();
    this.#hasGoneBack = true;
  }

  /**
   * Of two versions from before the versions went back, told after it, the newer one counts: only a
   * newly restored one takes back.
   */
  #takesBack(key: string, thing: Thing, before: Thing): boolean {
    return this.#isLost(key, before) && !this.#isLost(key, thing);
  }

  /**
   * Its version was given once more after the versions went back; the one that the server holds
   * still is not the lost one.
   */
  #isAgain(key: string, thing: Thing, before: Thing): boolean {
    if (!this.#hasGoneBack || isDeepStrictEqual(thing, before)) return false;
    return !isDeepStrictEqual(this.#stored(key), before);
  }

  /** Sent before the versions went back, and told after it: what the server holds is older. */
  #isLost(key: string, thing: Thing): boolean {
    const stored = this.#hasGoneBack ? this.#stored(key) : undefined;
    return stored !== undefined && isOlder(stored, thing);
  }

  /** By key: objects of before a restore, of which this process has not been told again. */
  forgottenBy(process: string): ReadonlyMap<string, Thing> {
    return this.#forgotten.get(process) ?? new Map();
  }

  of(process: string): Map<string, Known> {
    const known = this.#processes.get(process) ?? new Map<string, Known>();
    this.#processes.set(process, known);
    return known;
  }
}

function isSame(a: Thing, b: Thing): boolean {
  return (
    a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion
  );
}

/** By the version. */
export function isOlder(a: Thing, b: Thing): boolean {
  return Number(a.metadata.resourceVersion) < Number(b.metadata.resourceVersion);
}
