import type { Thing } from '../kubernetes/objects.ts';
import { keyOf } from './objects.ts';

const PLURAL: Readonly<Record<string, string>> = {
  PipeSettings: 'pipesettings',
  Organization: 'organizations',
  Activity: 'activities',
};

/**
 * What the API server has shown each process of the objects, by any list, reply or watch: the
 * newest version. A process may know less for a moment, and must not act on less.
 */
export class Knowledge {
  readonly #shown = new Map<string, Thing>();

  saw(process: string, thing: Thing): void {
    const plural = PLURAL[thing.kind];
    if (plural === undefined) return;
    const key = `${process} ${keyOf(plural, thing)}`;
    const before = this.#shown.get(key);
    if (!before || versionOf(before) < versionOf(thing)) this.#shown.set(key, thing);
  }

  newest(process: string, key: string): Thing | undefined {
    return this.#shown.get(`${process} ${key}`);
  }
}

function versionOf({ metadata }: Thing): number {
  return Number(metadata.resourceVersion);
}
