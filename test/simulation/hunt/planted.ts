import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadProduct } from '../life/product.ts';
import { PLANTED, type Planted } from '../planted.ts';
import { SOURCES } from './options.ts';
import { Stage } from './play.ts';
import { nameOf, type Plot, sweepPlots } from './plot.ts';
import { search } from './search.ts';

/** Inside the project, so that a copy finds the packages. */
const COPIES = fileURLToPath(new URL('../../../dist/planted', import.meta.url));
/** For each fault, beside the sweeps. */
const SEEDS = 1_500;

/** Plants each fault whose name begins so, and says which were seen. */
export async function huntPlanted(
  names: readonly string[],
  say: (line: string) => void,
): Promise<boolean> {
  const chosen = PLANTED.filter(
    ({ name }) => names.length === 0 || names.some((one) => name.startsWith(one)),
  );
  if (chosen.length === 0) throw new Error(`no planted fault begins with ${names.join(', ')}`);
  // Its copies go at the exit.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  const stage = new Stage(await loadProduct(SOURCES));
  const swept = await sweepPlots([], (workload) => stage.sweep.pointsOf(workload));
  let count = 0;
  for (const planted of chosen) {
    const found = await findPlanted(planted, swept);
    if (found !== undefined) count += 1;
    say(`${found ? 'found    ' : 'not found'}  ${planted.name}`);
    if (found) say(`           by ${found}`);
  }
  say(`${count} of ${chosen.length} planted faults found`);
  return count === chosen.length;
}

/** The first rule that a life breaks: of the sweeps and first seeds, however slow the machine. */
async function findPlanted(planted: Planted, swept: readonly Plot[]): Promise<string | undefined> {
  const { found, failed } = await withPlanted(planted, (sources) =>
    search({ sources, plots: inTurn(swept), seconds: Infinity, isFirstEnough: true }),
  );
  const [first] = found;
  if (first) return `${first.violations[0]?.rule} in ${nameOf(first.plot)}`;
  // A workload that breaks without any mishap cannot be swept.
  if (failed !== undefined && !failed.includes('without mishaps breaks')) throw new Error(failed);
  return failed;
}

/** Now one of the sweeps, now a seed. */
function* inTurn(swept: readonly Plot[]): Generator<Plot> {
  for (let index = 0; index < Math.max(SEEDS, swept.length); index += 1) {
    // A prime stride: not one workload after the other.
    const plot = index < swept.length ? swept[(index * 389) % swept.length] : undefined;
    if (plot) yield plot;
    if (index < SEEDS) yield { type: 'seed', seed: index + 1 };
  }
}

/** Makes a change in the copy of src that stands in this folder. */
export function plant(sources: string, { name, file, from, to }: Planted): void {
  const target = join(sources, file);
  const parts = readFileSync(target, 'utf8').split(from);
  if (parts.length !== 2)
    throw new Error(
      `${name} cannot be planted: ${file} has its line ${parts.length - 1} times; choose it anew`,
    );
  writeFileSync(target, parts.join(to));
}

/** Gives the folder of a copy of the product with a fault in it, for as long as `use` runs. */
async function withPlanted<T>(planted: Planted, use: (sources: string) => Promise<T>): Promise<T> {
  mkdirSync(COPIES, { recursive: true });
  const sources = mkdtempSync(join(COPIES, 'src-'));
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
