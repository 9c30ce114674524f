import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { countOf } from '../scope/schedule.ts';

export const USAGE = `Usage: npm run hunt -- [options]
  --lives N       how many lives; 0: for ever (default 1000, or as many as --seconds lets there be)
  --seconds S     no new life after so long
  --from N        the first seed; the others follow it (default: from the clock)
  --seed N        only this life, the same every time
  --only RULE     only breaches whose name begins so, expected ones too; the first ends the hunt
  --log           with --seed: every event
  --dense         other lives: in each the adversary has more means, and uses them more often
  --tenants       other lives: two tenants, of whom one wants to harm; each is lived without him too
  --scope DEPTH   not lives from seeds, but every interleaving of the small scope up to so many steps
  --planted       the planted faults, or those whose names begin with --only, each for --seconds at most (default 60)
  --sources DIR   another copy of src to live in, somewhere inside the project`;

/** The project's own. */
export const SOURCES = fileURLToPath(new URL('../../../src', import.meta.url));

/** What the command line asks for. */
export interface Options {
  readonly lives: number;
  readonly seconds: number | undefined;
  readonly from: number;
  readonly seed: number | undefined;
  readonly only: string | undefined;
  readonly log: boolean;
  readonly depth: number | undefined;
  readonly isDense: boolean;
  readonly isTenants: boolean;
  readonly planted: boolean;
  readonly sources: string;
}

/** Reads the command line; undefined: it asks how to write one. Throws where it cannot be meant. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      lives: { type: 'string' },
      seconds: { type: 'string' },
      from: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      log: { type: 'boolean', default: false },
      scope: { type: 'string' },
      dense: { type: 'boolean', default: false },
      tenants: { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
      sources: { type: 'string', default: SOURCES },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const { seed, log, dense, tenants, scope, only, planted, sources } = values;
  if (log && seed === undefined)
    throw new Error(`--log tells every event of one life: say which with --seed N\n${USAGE}`);
  const seconds = numberOf('--seconds', values.seconds);
  const depth = numberOf('--scope', scope);
  const number = numberOf('--seed', seed);
  if (dense && depth !== undefined)
    throw new Error(`--dense is for lives from seeds, and --scope has none\n${USAGE}`);
  if (tenants && (dense || depth !== undefined))
    throw new Error(`--tenants is for lives of its own, without --dense and --scope\n${USAGE}`);
  if (depth !== undefined && number !== undefined && number >= countOf(depth))
    throw new Error(
      `--scope ${depth} has the interleavings 0 to ${countOf(depth) - 1}, and no ${number}\n${USAGE}`,
    );
  return {
    lives: numberOf('--lives', values.lives) ?? (seconds === undefined ? 1_000 : 0),
    seconds,
    from: numberOf('--from', values.from) ?? Math.floor(Date.now() / 1_000) * 1_000,
    seed: number,
    only,
    log,
    depth,
    isDense: dense,
    isTenants: tenants,
    planted,
    sources,
  };
}

function numberOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new Error(
      `${flag} takes a whole number from 0 on, not ${JSON.stringify(text)}\n${USAGE}`,
    );
  return Number(text);
}
