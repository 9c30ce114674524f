import type { Violation } from '../invariants/court.ts';
import type { Product } from '../life/product.ts';
import type { Fact } from '../record/facts.ts';
import { play, worldOf } from './play.ts';

export interface Shrunk {
  readonly violation: Violation;
  /** Names of what is left out. */
  readonly without: ReadonlySet<string>;
  /** Every fact of the shortened life, up to the breach. */
  readonly facts: readonly Fact[];
  /** How many lives it took. */
  readonly tries: number;
}

const MOST_TRIES = 250;

/**
 * Leaves out of a life whatever its breach does not need: objects, traits of the API, acts of the adversary and mishaps. What
 * is left is a breach of the same invariant, if not always of the same object.
 */
export async function shrink(seed: number, rule: string, product: Product): Promise<Shrunk | undefined> {
  let tries = 0;
  let best:
    | { readonly without: ReadonlySet<string>; readonly facts: Fact[]; readonly violation: Violation }
    | undefined;

  /** Whether the breach is still there; the names of what happened in it are then the next to be left out. */
  const breaks = async (without: ReadonlySet<string>): Promise<boolean> => {
    tries += 1;
    const facts: Fact[] = [];
    const { violations } = await play(seed, { product, without, listen: (fact) => void facts.push(fact) });
    const violation = violations.find((one) => one.rule === rule);
    if (!violation) return false;
    best = { without, facts: facts.filter(({ at }) => at <= violation.at), violation };
    return true;
  };

  if (!(await breaks(new Set()))) return undefined;
  let kept = namesIn(seed, best?.facts ?? []);
  const gone = new Set<string>();
  for (let size = kept.length; size >= 1 && tries < MOST_TRIES; size = Math.floor(size / 2)) {
    for (let from = 0; from < kept.length && tries < MOST_TRIES; ) {
      const chunk = kept.slice(from, from + size);
      const without = new Set([...gone, ...chunk]);
      if (await breaks(without)) {
        for (const name of chunk) gone.add(name);
        // What happens no more need not be left out one by one.
        const left = new Set(namesIn(seed, best?.facts ?? []));
        kept = kept.filter((name) => !gone.has(name) && left.has(name));
      } else from += size;
    }
  }
  return best && { ...best, tries };
}

/** Everything in a life that it could do without. */
function namesIn(seed: number, facts: readonly Fact[]): string[] {
  const { objects, organizations, pipes } = worldOf(seed);
  const acts = facts.flatMap((fact) => (fact.what === 'act' && fact.id !== 'rest' ? [fact.id] : []));
  return [
    ...objects.map(({ id }) => id),
    ...organizations.flatMap(({ id, traits }) => traits.map(({ name }) => `trait ${id} ${name}`)),
    ...pipes.flatMap(({ pipeId, traits }) => traits.map(({ name }) => `trait ${pipeId} ${name}`)),
    ...acts,
  ];
}
