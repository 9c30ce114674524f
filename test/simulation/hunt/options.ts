import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run hunt -- [options]
  --from N          lives of seeds, the first of them (default: from the clock)
  --lives N         how many; 0: for ever (default 1000, or as many as --seconds lets there be)
  --seconds S       no new life after so long
  --seed N          only this life, the same every time
  --sweep [NAME…]   every call and write of every workload and every fate, or those whose name begins so
  --planted [NAME…] the planted faults, each in a copy of the product
  --log             every event of the one life that --seed or --sweep names`;

/** The project's own. */
export const SOURCES = fileURLToPath(new URL('../../../src', import.meta.url));

export interface Options {
  readonly type: 'seeds' | 'sweep' | 'planted';
  readonly from: number;
  readonly lives: number;
  readonly seconds: number;
  readonly seed: number | undefined;
  /** Beginnings of names; all where there is none. */
  readonly names: readonly string[];
  readonly log: boolean;
}

/** Reads the command line; undefined: it asks how to write one. Throws where it cannot be meant. */
export function parseOptions(args: readonly string[]): Options | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      lives: { type: 'string' },
      seconds: { type: 'string' },
      seed: { type: 'string' },
      sweep: { type: 'boolean', default: false },
      planted: { type: 'boolean', default: false },
      log: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const { sweep, planted, from, lives, seconds, seed, log } = values;
  const type = sweep ? 'sweep' : planted ? 'planted' : 'seeds';
  const isNamed = type === 'seeds' && positionals.length > 0;
  const isOdd = [from, lives, seconds, seed].some((text) => !/^\d{1,15}$/.test(text ?? '0'));
  if (isNamed || isOdd) throw new Error(`not understood: ${args.join(' ')}\n${USAGE}`);
  return {
    type,
    from: Number(from ?? Math.floor(Date.now() / 1_000) * 1_000),
    lives: Number(lives ?? (seconds === undefined ? 1_000 : 0)) || Number.POSITIVE_INFINITY,
    seconds: Number(seconds ?? Number.POSITIVE_INFINITY),
    seed: seed === undefined ? undefined : Number(seed),
    names: positionals,
    log,
  };
}
