import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PLANTED, type Planted } from '../planted.ts';
import { SOURCES } from './options.ts';
import type { Plot } from './plot.ts';
import { search } from './search.ts';

/** Inside the project, so that a copy finds the packages. */
const COPIES = fileURLToPath(new URL('../../../dist/planted', import.meta.url));
const SECONDS = 60;

export interface PlantedHunt {
  /** Only those whose names begin so. */
  readonly only?: string;
  /** For each. */
  readonly seconds?: number;
  readonly say: (line: string) => void;
}

/**
 * Hunts in a copy of the product for each planted fault, and says how many of those chosen it has
 * found.
 */
export async function huntPlanted({
  only = '',
  seconds = SECONDS,
  say,
}: PlantedHunt): Promise<{ readonly count: number; readonly chosen: number }> {
  const chosen = PLANTED.filter(({ name }) => name.startsWith(only));
  let count = 0;
  for (const planted of chosen) {
    const started = performance.now();
    const { tally, found, failed, interrupted } = await withPlanted(planted, (sources) =>
      search({ sources, plots: seeds(planted), seconds }),
    );
    const took = `${tally.lives} lives, ${((performance.now() - started) / 1_000).toFixed(0)} s`;
    if (interrupted) break;
    if (found) count += 1;
    if (failed !== undefined) say(`FAILED     ${planted.name}: ${failed}`);
    else if (found)
      say(`found      ${planted.name}: ${found.rule}, seed ${found.plot.seed} (${took})`);
    else say(`not found  ${planted.name} (${took})`);
  }
  say(`${count} of ${chosen.length} planted faults found, ${seconds} s each`);
  return { count, chosen: chosen.length };
}

/** A change of one line in a copy of the product. */
export type Change = Pick<Planted, 'name' | 'file' | 'from' | 'to'>;

/** Makes a change in the copy of src that stands in this folder. */
export function plant(sources: string, { name, file, from, to }: Change): void {
  const target = join(sources, file);
  const parts = readFileSync(target, 'utf8').split(from);
  if (parts.length !== 2)
    throw new Error(
      `${name} cannot be planted: ${file} has its line ${parts.length - 1} times; choose it anew`,
    );
  writeFileSync(target, parts.join(to));
}

/** Gives the folder of a copy of the product with a fault in it, for as long as `use` runs. */
export async function withPlanted<T>(
  planted: Planted,
  use: (sources: string) => Promise<T>,
): Promise<T> {
  mkdirSync(COPIES, { recursive: true });
  const sources = mkdtempSync(join(COPIES, `${planted.name}-`));
  const remove = (): void => rmSync(sources, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    cpSync(SOURCES, sources, { recursive: true });
    plant(sources, planted);
    return await use(sources);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function* seeds({ isTenants }: Planted): Generator<Plot> {
  for (let seed = 1; ; seed += 1) yield { seed, isTenants: isTenants === true };
}
