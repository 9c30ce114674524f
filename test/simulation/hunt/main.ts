import { loadProduct } from '../life/product.ts';
import { type Options, parseOptions, SOURCES, USAGE } from './options.ts';
import { huntPlanted } from './planted.ts';
import { type Played, Stage } from './play.ts';
import { nameOf, type Plot, sweepPlots } from './plot.ts';
import { search } from './search.ts';
import { shrink } from './shrink.ts';
import { logLine, told } from './story.ts';

async function main(): Promise<boolean> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) {
    console.log(USAGE);
    return true;
  }
  if (options.type === 'planted') return huntPlanted(options.names, console.log);
  const stage = new Stage(await loadProduct(SOURCES));
  const plots = await plotsOf(options, stage);
  const [only, ...others] = 'length' in plots ? plots : [];
  return only && others.length === 0 ? again(stage, only, options) : huntFor(stage, plots, options);
}

async function plotsOf(options: Options, stage: Stage): Promise<readonly Plot[] | Iterable<Plot>> {
  const { type, names, seed } = options;
  if (type === 'sweep') return sweepPlots(names, (workload) => stage.sweep.pointsOf(workload));
  return seed === undefined ? seeds(options) : [{ type: 'seed', seed }];
}

function* seeds({ from, lives }: Options): Generator<Plot> {
  for (let seed = from; seed < from + lives; seed += 1) yield { type: 'seed', seed };
}

/** Lives one life once more, and tells what broke in it. */
async function again(stage: Stage, plot: Plot, { log }: Options): Promise<boolean> {
  const { violations } = await stage.play(plot, {
    ...(log && { listen: (fact) => console.log(logLine(fact)) }),
  });
  if (!log)
    for (const rule of new Set(violations.map((one) => one.rule)))
      await tellStory(stage, plot, rule);
  for (const { rule, subject, text } of violations)
    console.log(`BROKEN  ${rule}: ${subject}: ${text}`);
  if (violations.length === 0) console.log(`Nothing broke in life ${nameOf(plot)}.`);
  return violations.length === 0;
}

async function huntFor(stage: Stage, plots: Iterable<Plot>, options: Options): Promise<boolean> {
  const started = performance.now();
  const iterator = plots[Symbol.iterator]();
  const { lives, found, failed } = await search({ ...options, sources: SOURCES, plots: iterator });
  const took = (performance.now() - started) / 1_000;
  console.log(`${lives} lives in ${took.toFixed(0)} s (${(lives / took).toFixed(1)} a second)`);
  for (const line of table(found)) console.log(line);
  if (lives > 0 && found.length === 0) console.log('Nothing broke.');
  if (failed !== undefined) console.log(`FAILED  A life could not be lived: ${failed}`);
  if (lives === 0) console.log('FAILED  No life was lived; a sweep may have no life of this name.');
  const [first] = found;
  const rule = first?.violations[0]?.rule;
  if (first && rule !== undefined) await tellStory(stage, first.plot, rule);
  return lives > 0 && found.length === 0 && failed === undefined;
}

/** What was broken, the commonest first: in how many lives, and in which. */
function table(found: readonly Played[]): string[] {
  const rules = new Map<string, string[]>();
  for (const { plot, violations } of found)
    for (const rule of new Set(violations.map((one) => one.rule)))
      rules.set(rule, [...(rules.get(rule) ?? []), nameOf(plot)]);
  return [...rules]
    .sort((a, b) => b[1].length - a[1].length)
    .map(
      ([rule, names]) =>
        `  BROKEN  ${rule.padEnd(20)} ${names.length}: ${names.slice(0, 5).join(' ')}`,
    );
}

async function tellStory(stage: Stage, plot: Plot, rule: string): Promise<void> {
  const { violation, lines, tries } = await shrink(stage, plot, rule);
  console.log(`\n${nameOf(plot)} breaks ${rule} (shortened in ${tries} lives):`);
  for (const line of told(lines, violation.subject)) console.log(line);
  console.log(`==> ${violation.subject}: ${violation.text}`);
  const flag = plot.type === 'seed' ? '--seed' : '--sweep';
  console.log(`Again: npm run hunt -- ${flag} ${nameOf(plot)}\n`);
}

// Who reads only the beginning, as `head` does, has heard enough.
process.stdout.on('error', () => process.exit(1));
process.exitCode = await main().then(
  (isFine) => (isFine ? 0 : 1),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return 2;
  },
);
