import { givenIn } from '../adversary/seeds.ts';
import type { Violation } from '../oracles/court.ts';
import type { Stage } from './play.ts';
import type { Plot } from './plot.ts';
import { type Line, lineOf } from './story.ts';

export interface Shrunk {
  readonly violation: Violation;
  /** What happened in the shortened life, up to the breach. */
  readonly lines: readonly Line[];
  /** How many lives it took. */
  readonly tries: number;
}

const MOST_TRIES = 200;

/**
 * Leaves out of a life whatever its breach does not need: objects, manners of the API, acts and
 * mishaps. What is left is a breach of the same rule, if not always of the same object.
 */
export async function shrink(stage: Stage, plot: Plot, rule: string): Promise<Shrunk> {
  const tell = async (without: ReadonlySet<string>) => {
    const lines: Line[] = [];
    // Which could be left out next.
    const acts: string[] = [];
    const { violations } = await stage.play(plot, {
      without,
      listen: (fact) => {
        if (fact.what === 'act' && fact.id !== 'rest') acts.push(fact.id);
        const line = lineOf(fact);
        if (line) lines.push(line);
      },
    });
    return { violation: violations.find((one) => one.rule === rule), lines, acts };
  };

  const gone = new Set<string>();
  let best = await tell(gone);
  let tries = 1;
  const given = plot.type === 'seed' ? givenIn(plot.seed) : [];
  let kept = [...given, ...best.acts];
  // A sweep is one mishap in a story that is told as a whole.
  const most = plot.type === 'seed' ? MOST_TRIES : 0;
  for (let size = kept.length; size >= 1 && tries < most; size = Math.floor(size / 2)) {
    for (let from = 0; from < kept.length && tries < most; ) {
      const chunk = kept.slice(from, from + size);
      const told = await tell(new Set([...gone, ...chunk]));
      tries += 1;
      if (told.violation) {
        for (const name of chunk) gone.add(name);
        best = told;
        // What happens no more need not be left out one by one.
        const left = new Set([...given, ...told.acts]);
        kept = kept.filter((name) => !gone.has(name) && left.has(name));
      } else from += size;
    }
  }
  const { violation, lines } = best;
  if (!violation) throw new Error(`the life does not break ${rule} when it is lived again`);
  return { violation, lines: lines.filter(({ at }) => at <= violation.at), tries };
}
