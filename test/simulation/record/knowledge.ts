import type { Thing } from '../kubernetes/objects.ts';
import { keyOf, type Plural } from './objects.ts';

const PLURAL: Readonly<Record<string, Plural>> = {
  PipeSettings: 'pipesettings',
  Organization: 'organizations',
  Activity: 'activities',
};

interface Known {
  readonly plural: Plural;
  readonly thing: Thing;
}

/**
 * What the API server has shown each process of the objects, by any list, reply or watch: the
 * newest version. A process may know less for a moment, and must not act on less.
 */
export class Knowledge {
  /** By process, and by object. */
  readonly #shown = new Map<string, Map<string, Known>>();
  /** By process and uid: a late reply does not bring it back. */
  readonly #gone = new Set<string>();

  saw(process: string, thing: Thing): void {
    const plural = PLURAL[thing.kind];
    if (plural === undefined || this.#gone.has(`${process} ${thing.metadata.uid}`)) return;
    const known = this.#of(process);
    const key = keyOf(plural, thing);
    const before = known.get(key);
    if (!before || versionOf(before.thing) < versionOf(thing)) known.set(key, { plural, thing });
  }

  /** A whole list as of this version, by the path of its collection: what it lacks is gone. */
  listed(process: string, path: string, version: string, things: readonly Thing[]): void {
    const uids = new Set(things.map(({ metadata }) => metadata.uid));
    for (const { plural, thing } of this.ofProcess(process)) {
      const isOf = path.endsWith(`/${plural}`) || path.includes(`/${plural}?`);
      const { uid, namespace } = thing.metadata;
      const isElsewhere = path.includes('/namespaces/') && !path.includes(`/${namespace}/`);
      if (isOf && !isElsewhere && !uids.has(uid) && versionOf(thing) <= Number(version))
        this.gone(process, thing);
    }
  }

  /** Its end has been shown. */
  gone(process: string, thing: Thing): void {
    this.#gone.add(`${process} ${thing.metadata.uid}`);
    const key = keyOf(PLURAL[thing.kind] ?? '', thing);
    const known = this.#of(process).get(key);
    if (known?.thing.metadata.uid === thing.metadata.uid) this.#of(process).delete(key);
  }

  ofProcess(process: string): Known[] {
    return [...this.#of(process).values()];
  }

  #of(process: string): Map<string, Known> {
    const known = this.#shown.get(process) ?? new Map<string, Known>();
    this.#shown.set(process, known);
    return known;
  }
}

function versionOf({ metadata }: Thing): number {
  return Number(metadata.resourceVersion);
}
