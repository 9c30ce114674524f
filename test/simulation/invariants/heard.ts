import { isDeepStrictEqual } from 'node:util';
import type { Thing } from '../kubernetes/objects.ts';
import { type Fact, keyOf, type ProcessEvent } from '../record/facts.ts';
import type { Judge } from './court.ts';

const GONE: ReadonlySet<ProcessEvent> = new Set(['ended', 'died', 'killed']);

/** What became of what a process wrote of an organization. */
interface Word {
  readonly by: string;
  readonly key: string;
  readonly thing: Thing;
  readonly at: number;
  /**
   * The request that wrote it is not over: only its answer tells the writer, whatever a watch
   * shows.
   */
  isUnderWay: boolean;
  /**
   * What the writer was told of the object first after that; `gone`: or it has ended before, or a
   * restore has taken the word off.
   */
  told?: 'stored' | 'gone';
}

/**
 * Whether a writer has heard that its status was written: only then can it tell of it in an event.
 */
export class Heard implements Judge {
  readonly #words = new WeakMap<Thing, Word>();
  /** Those that nothing was told of yet, by writer. */
  readonly #open = new Map<string, Set<Word>>();
  /** Processes that are gone; a write of theirs may be carried out later. */
  readonly #ended = new Set<string>();
  /** When the cluster's storage came back from a copy. */
  readonly #restores: readonly number[];

  constructor({ restores }: { readonly restores: readonly number[] }) {
    this.#restores = restores;
  }

  see(fact: Fact): void {
    if (fact.what === 'seen') this.#tell(fact);
    if (fact.what === 'asked') this.#answer(fact);
    if (fact.what === 'process' && GONE.has(fact.did)) this.#close(fact.process);
    if (
      fact.what !== 'written' ||
      fact.change.kind.plural !== 'organizations' ||
      fact.change.by === 'user'
    )
      return;
    const { now, by } = fact.change;
    const word: Word = {
      by,
      key: keyOf('organizations', now),
      thing: now,
      at: fact.at,
      isUnderWay: true,
    };
    this.#words.set(now, word);
    if (this.#ended.has(by)) word.told = 'gone';
    else this.#open.set(by, (this.#open.get(by) ?? new Set()).add(word));
  }

  /**
   * Whether the writer of this version was gone, or its object, or the word itself, before the
   * writer knew whether it was written.
   */
  wasGone(version: Thing): boolean {
    return this.#words.get(version)?.told === 'gone';
  }

  #answer({ process, ask: { method, path, status } }: Extract<Fact, { what: 'asked' }>): void {
    if (method === 'GET') return;
    const open = this.#open.get(process);
    for (const word of open ?? []) {
      const [, namespace, name] = word.key.split('/');
      if (!path.replace(/\/status$/, '').endsWith(`/namespaces/${namespace}/organizations/${name}`))
        continue;
      word.isUnderWay = false;
      if (status !== 200) continue;
      word.told = 'stored';
      open?.delete(word);
    }
  }

  #tell({ process, key, thing }: Extract<Fact, { what: 'seen' }>): void {
    const open = this.#open.get(process);
    for (const word of open ?? []) {
      if (word.key !== key) continue;
      const { uid, resourceVersion } = word.thing.metadata;
      const isNewer = Number(thing?.metadata.resourceVersion) >= Number(resourceVersion);
      const isMadeAnew = isNewer && thing?.metadata.uid !== uid;
      // Not by the version: a restore may have given it once more.
      const isTakenOff =
        !isDeepStrictEqual(thing, word.thing) && this.#restores.some((at) => at >= word.at);
      if (!thing || isTakenOff || isMadeAnew) word.told = 'gone';
      else if (isNewer && !word.isUnderWay) word.told = 'stored';
      if (word.told) open?.delete(word);
    }
  }

  #close(process: string): void {
    this.#ended.add(process);
    for (const word of this.#open.get(process) ?? []) word.told = 'gone';
    this.#open.delete(process);
  }
}
