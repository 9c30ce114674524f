import type { Thing } from '../kubernetes/objects.ts';
import type { Fact } from './facts.ts';

/** What a process was last told of an object: this version, or that it is gone. */
export interface Known {
  readonly thing: Thing | undefined;
  /** The last version there was. */
  readonly last: Thing;
  /** The process has been told of no other version since it started. */
  readonly isFirst: boolean;
  /** When it was told so first. */
  readonly at: number;
}

/** What each process has been told of the objects, and when. It may know more by its own thinking, but never less. */
export class Knowledge {
  readonly #processes = new Map<string, Map<string, Known>>();
  readonly #stored: (key: string) => Thing | undefined;
  /** By process and kind: told of all there is. */
  readonly #complete = new Set<string>();
  #hasGoneBack = false;

  /** `stored`: what the server holds now. */
  constructor(stored: (key: string) => Thing | undefined) {
    this.#stored = stored;
  }

  see(fact: Fact): void {
    if (fact.what !== 'seen') return;
    const known = this.of(fact.process);
    const before = known.get(fact.key);
    const { thing, at } = fact;
    if (thing) {
      if (before?.thing && isOlder(thing, before.thing) && !this.#isLost(fact.key, before.thing)) return;
      if (before?.thing && isSame(thing, before.thing)) return;
      const isFirst = !before || (before.isFirst && !isOlder(before.last, thing));
      known.set(fact.key, { thing, last: thing, isFirst, at });
    } else if (before?.thing) known.set(fact.key, { thing: undefined, last: before.last, isFirst: false, at });
  }

  /** Versions have gone back: what was known of them says nothing any more. */
  forget(): void {
    this.#processes.clear();
    this.#complete.clear();
    this.#hasGoneBack = true;
  }

  complete(process: string, plural: string): void {
    this.#complete.add(`${process} ${plural}`);
  }

  /** Whether it has had a whole list; before that it may go on with what it knew before a restore. */
  isComplete(process: string, plural: string): boolean {
    return this.#complete.has(`${process} ${plural}`);
  }

  /** Sent before the versions went back, and told after it: what the server holds is older. */
  #isLost(key: string, thing: Thing): boolean {
    const stored = this.#hasGoneBack ? this.#stored(key) : undefined;
    return stored !== undefined && isOlder(stored, thing);
  }

  of(process: string): Map<string, Known> {
    const known = this.#processes.get(process) ?? new Map<string, Known>();
    this.#processes.set(process, known);
    return known;
  }
}

function isSame(a: Thing, b: Thing): boolean {
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
}

function isOlder(a: Thing, b: Thing): boolean {
  return Number(a.metadata.resourceVersion) < Number(b.metadata.resourceVersion);
}
