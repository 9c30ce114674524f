import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { expectedOf } from '../expected.ts';
import { loadProduct } from '../life/product.ts';
import { hunt } from './pack.ts';
import { play } from './play.ts';
import { shrink } from './shrink.ts';
import { header, logLine, told } from './story.ts';
import { Tally } from './tally.ts';

const USAGE = `Usage: npm run hunt -- [options]
  --lives N       how many lives; 0: for ever (default 1000)
  --seconds S     no new life after so long
  --from N        the first seed; the others follow it (default: from the clock)
  --seed N        only this life, the same every time
  --only RULE     only breaches whose name begins so, expected ones too, and no more than one
  --log           with --seed: every event
  --sources DIR   another copy of src to live in`;

const SOURCES = fileURLToPath(new URL('../../../src', import.meta.url));
const PROGRESS_MS = 10_000;

interface Options {
  readonly lives: number;
  readonly seconds: number;
  readonly from: number;
  readonly only: string | undefined;
  readonly sources: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      lives: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: 'Infinity' },
      from: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      log: { type: 'boolean', default: false },
      sources: { type: 'string', default: SOURCES },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const { only, sources } = values;
  if (values.seed !== undefined) return again(numberOf('--seed', values.seed), { only, sources, log: values.log });
  return search({
    lives: numberOf('--lives', values.lives),
    seconds: numberOf('--seconds', values.seconds),
    from: values.from === undefined ? Math.floor(Date.now() / 1_000) * 1_000 : numberOf('--from', values.from),
    only,
    sources,
  });
}

function numberOf(flag: string, text: string): number {
  const value = Number(text);
  if (!(value >= 0)) throw new Error(`${flag} takes a number from 0 on, not ${JSON.stringify(text)}\n${USAGE}`);
  return value;
}

/** Lives one life once more, and tells what broke in it. */
async function again(
  seed: number,
  { only, sources, log }: { readonly only: string | undefined; readonly sources: string; readonly log: boolean },
): Promise<number> {
  const product = await loadProduct(sources);
  const { violations } = await play(seed, {
    product,
    ...(log && { listen: (fact) => console.log(logLine(fact)) }),
  });
  const shown = violations.filter(({ rule }) => rule.startsWith(only ?? ''));
  for (const rule of new Set(shown.map((violation) => violation.rule))) {
    if (!log) await tellStory(seed, rule, sources);
  }
  for (const { rule, text } of shown) console.log(`${expectedOf(rule) ? 'expected' : 'BROKEN'}  ${rule}: ${text}`);
  if (shown.length === 0) console.log(`Nothing broke in the life of seed ${seed}.`);
  return shown.some(({ rule }) => only !== undefined || !expectedOf(rule)) ? 1 : 0;
}

/** Lives one life after another until one breaks what nobody expects to break. */
async function search({ lives, seconds, from, only, sources }: Options): Promise<number> {
  const started = performance.now();
  const tally = new Tally();
  const wanted = lives === 0 ? Number.POSITIVE_INFINITY : lives;
  let next = from;
  let found: { readonly seed: number; readonly rule: string } | undefined;
  let failed: string | undefined;
  const isNews = (rule: string): boolean => (only === undefined ? !expectedOf(rule) : rule.startsWith(only));
  const progress = setInterval(() => console.log(`  ${tally.line()}`), PROGRESS_MS);
  await hunt({
    sources,
    next: () => (next - from >= wanted || performance.now() - started > seconds * 1_000 ? undefined : next++),
    heard: (result) => {
      if ('failed' in result) {
        failed ??= `The life of seed ${result.seed} could not be lived: ${result.failed}`;
        return false;
      }
      const { played } = result;
      tally.add(played);
      const rule = played.violations.find((violation) => isNews(violation.rule))?.rule;
      if (rule !== undefined && (found === undefined || played.seed < found.seed)) found = { seed: played.seed, rule };
      return found === undefined;
    },
  });
  clearInterval(progress);
  console.log(`${tally.line()}, seeds ${from} to ${next - 1}`);
  for (const line of tally.coverage()) console.log(line);
  const known = [...tally.rules].sort((a, b) => b[1].count - a[1].count);
  if (known.length > 0)
    console.log(`Broken, in so many lives: ${known.map(([rule, { count }]) => `${rule} (${count})`).join(', ')}`);
  if (failed !== undefined) console.log(failed);
  if (found) await tellStory(found.seed, found.rule, sources);
  return found || failed !== undefined ? 1 : 0;
}

async function tellStory(seed: number, rule: string, sources: string): Promise<void> {
  const shrunk = await shrink(seed, rule, await loadProduct(sources));
  if (!shrunk) return;
  const { violation, lines, without, tries } = shrunk;
  console.log(`\nSeed ${seed} breaks ${rule} (shortened in ${tries} lives):`);
  for (const line of header(seed, without)) console.log(line);
  for (const line of told(lines, violation.subject)) console.log(line);
  console.log(`==> ${violation.text}`);
  console.log(`Again: npm run hunt -- --seed ${seed} --only "${rule}"\n`);
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 2;
});
