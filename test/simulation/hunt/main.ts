import { loadProduct } from '../life/product.ts';
import { countOf } from '../scope/schedule.ts';
import { type Options, parseOptions, SOURCES, USAGE } from './options.ts';
import { huntPlanted } from './planted.ts';
import { play } from './play.ts';
import type { Plot } from './plot.ts';
import { type Found, search } from './search.ts';
import { shrink } from './shrink.ts';
import { header, logLine, told } from './story.ts';

/** Beside every so many lives there is one of two tenants. */
const TENANTS_EVERY = 20;

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  const { seed, depth, isDense, isTenants, seconds, planted, only } = options;
  if (planted) {
    const { count, chosen } = await huntPlanted({
      ...(only !== undefined && { only }),
      ...(seconds !== undefined && { seconds }),
      say: (line) => console.log(line),
    });
    return count === chosen && chosen > 0 ? 0 : 1;
  }
  if (seed === undefined) return huntFor(options);
  return again({ seed, isDense, isTenants, ...(depth !== undefined && { depth }) }, options);
}

/** Lives one life once more, and tells what broke in it. */
async function again(plot: Plot, { only, sources, log }: Options): Promise<number> {
  const product = await loadProduct(sources);
  const { violations, digest } = await play(plot, {
    product,
    digest: true,
    ...(log && { listen: (fact) => console.log(logLine(fact)) }),
  });
  const shown = violations.filter(({ rule }) => rule.startsWith(only ?? ''));
  for (const rule of new Set(shown.map((violation) => violation.rule))) {
    if (!log) await tellStory({ plot, rule }, sources);
  }
  for (const { rule, text } of shown) console.log(`BROKEN  ${rule}: ${text}`);
  const what = only === undefined ? 'Nothing' : `Nothing whose name begins with "${only}"`;
  if (shown.length === 0) console.log(`${what} broke in the life of seed ${plot.seed}.`);
  console.log(`All its events: sha256 ${digest}`);
  return shown.length > 0 ? 1 : 0;
}

async function huntFor(options: Options): Promise<number> {
  const { depth, only, sources } = options;
  if (depth !== undefined)
    console.log(`${countOf(depth).toLocaleString('en-US')} interleavings of up to ${depth} steps`);
  const { tally, found, failed } = await search({
    sources,
    plots: plotsOf(options),
    seconds: options.seconds ?? Number.POSITIVE_INFINITY,
    ...(only !== undefined && { only }),
    progress: (line) => console.log(`  ${line}`),
  });
  console.log(tally.line());
  for (const line of tally.coverage()) console.log(line);
  if (failed === undefined || tally.lives > 0) for (const line of tally.broken()) console.log(line);
  if (failed !== undefined) console.log(failed);
  if (found) await tellStory(found, sources);
  if (tally.lives === 0) console.log('No life was lived: nothing is known.');
  return found || failed !== undefined || tally.lives === 0 ? 1 : 0;
}

function* plotsOf({ depth, isDense, isTenants, lives, from }: Options): Generator<Plot> {
  if (depth !== undefined) {
    for (let seed = 0; seed < countOf(depth); seed += 1) yield { seed, depth };
    return;
  }
  const end = lives === 0 ? Number.POSITIVE_INFINITY : from + lives;
  for (let seed = from; seed < end; seed += 1) {
    yield { seed, isDense, isTenants };
    if (seed % TENANTS_EVERY === 0 && !isDense && !isTenants) yield { seed, isTenants: true };
  }
}

async function tellStory({ plot, rule }: Found, sources: string): Promise<void> {
  const shrunk = await shrink(plot, rule, await loadProduct(sources));
  const { violation, lines, without, tries } = shrunk;
  const scope = plot.depth === undefined ? '' : ` --scope ${plot.depth}`;
  const dense = plot.isDense ? ' --dense' : plot.isTenants ? ' --tenants' : '';
  const flags = `--seed ${plot.seed}${dense}${scope}${sources === SOURCES ? '' : ` --sources ${sources}`}`;
  console.log(`\nSeed ${plot.seed} breaks ${rule} (shortened in ${tries} lives):`);
  for (const line of header(plot, without)) console.log(line);
  for (const line of told(lines, violation.subject)) console.log(line);
  console.log(`==> ${violation.text}`);
  console.log(`Again: npm run hunt -- ${flags} --only "${rule}"\n`);
}

// Who reads only the beginning, as `head` does, has heard enough.
process.stdout.on('error', () => process.exit(1));
process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 2;
});
