import type { Violation } from '../invariants/court.ts';
import type { Product } from '../life/product.ts';
import { play } from './play.ts';
import { optionsOf, type Plot } from './plot.ts';
import { type Line, tell } from './story.ts';

export interface Shrunk {
  readonly violation: Violation;
  /** Names of what is left out. */
  readonly without: ReadonlySet<string>;
  /** What happened in the shortened life, up to the breach. */
  readonly lines: readonly Line[];
  /** How many lives it took. */
  readonly tries: number;
}

const MOST_TRIES = 250;

/**
 * Leaves out of a life whatever its breach does not need: objects, traits of the API, acts of the
 * adversary and mishaps. What is left is a breach of the same invariant, if not always of the same
 * object. Throws where the life does not break it.
 */
export async function shrink(plot: Plot, rule: string, product: Product): Promise<Shrunk> {
  let tries = 0;
  let happened: string[] = [];

  /**
   * Whether the breach is still there; what happened in that life are then the next names to be
   * left out.
   */
  const breaks = async (without: ReadonlySet<string>): Promise<boolean> => {
    tries += 1;
    const acts: string[] = [];
    const { violations } = await play(plot, {
      product,
      without,
      listen: (fact) => {
        if (fact.what === 'act' && fact.id !== 'rest') acts.push(fact.id);
      },
    });
    if (!violations.some((one) => one.rule === rule)) return false;
    happened = acts;
    return true;
  };

  if (!(await breaks(new Set())))
    throw new Error(`the life of seed ${plot.seed} does not break ${rule} when it is lived again`);
  let kept = [...given(plot), ...happened];
  const gone = new Set<string>();
  const mayTry = (): boolean => tries < MOST_TRIES;
  for (let size = kept.length; size >= 1 && mayTry(); size = Math.floor(size / 2)) {
    for (let from = 0; from < kept.length && mayTry(); ) {
      const chunk = kept.slice(from, from + size);
      if (await breaks(new Set([...gone, ...chunk]))) {
        for (const name of chunk) gone.add(name);
        // What happens no more need not be left out one by one.
        const left = new Set([...given(plot), ...happened]);
        kept = kept.filter((name) => !gone.has(name) && left.has(name));
      } else from += size;
    }
  }
  return { ...(await retold(plot, { rule, product, without: gone })), without: gone, tries };
}

async function retold(
  plot: Plot,
  {
    rule,
    ...options
  }: { readonly rule: string; readonly product: Product; readonly without: ReadonlySet<string> },
): Promise<Pick<Shrunk, 'violation' | 'lines'>> {
  const lines: Line[] = [];
  const { violations } = await play(plot, {
    ...options,
    listen: (fact) => void lines.push(...tell(fact)),
  });
  const violation = violations.find((one) => one.rule === rule);
  if (!violation)
    throw new Error(`the life of seed ${plot.seed} is not the same when it is lived again`);
  return { violation, lines: lines.filter(({ at }) => at <= violation.at) };
}

/** What is there from the beginning and could be left out. */
function given(plot: Plot): string[] {
  const { objects, organizations, pipes } = optionsOf(plot).world;
  return [
    ...objects.map(({ id }) => id),
    ...organizations.flatMap(({ id, traits }) => traits.map(({ name }) => `trait ${id} ${name}`)),
    ...pipes.flatMap(({ pipeId, traits }) => traits.map(({ name }) => `trait ${pipeId} ${name}`)),
  ];
}
