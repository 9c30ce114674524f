import { readFile } from 'node:fs/promises';
import type { Cost, Life } from './day-life.ts';

const PAGE = new URL('../../../deploy/guides/costs.md', import.meta.url);
const HEADING = '## In 24 hours';
/**
 * What is measured lies between this share of what is stated and all of it: a budget far too large
 * says nothing.
 */
const LEAST = 1 / 3;

/** One row of the table in costs.md, by its words. */
export interface Row {
  readonly row: string;
  /** Brings the day about. */
  readonly begin: (life: Life) => void | Promise<void>;
  /** Puts right what was wrong, and waits until that is known. */
  readonly end?: (life: Life) => Promise<void>;
}

export const NOTHING: Row = { row: 'nothing changes', begin: () => undefined };

export const ROTATED: Row = {
  row: 'the key of all is rotated, its Secret changed',
  begin(life) {
    for (const name of ['good', 'failing'] as const) {
      life.simulator.setKey(name, 'new');
      life.secret(name, 'new');
    }
  },
};

export const KEY_REFUSED: Row = {
  row: '10 are edited, and their key is refused (401) all day',
  begin(life) {
    life.simulator.setKey('failing', 'new', { disabled: true });
    touch(life);
  },
  async end(life) {
    life.simulator.setKey('failing', 'new');
    await life.hours(2);
  },
};

export const REFUSED = answered(400, '10 are edited, and refused (400) all day');
export const FAILED = answered(500, '10 are edited, and answered with 500 all day');
export const BUSY = answered(409, '10 are edited, and answered with 409 all day');
export const DAILY = reasserted(24, 'all have `reassertInterval: 24h`');
export const OFTEN = reasserted(6, 'all have `reassertInterval: 6h`');
/** Not about objects: what it costs to lead, with nothing to do. */
export const LEASE_ROW = 'one replica leads';

function answered(status: number, row: string): Row {
  return {
    row,
    begin(life) {
      life.simulator.always({ status }, { pathIncludes: life.failingPath });
      touch(life);
    },
    async end(life) {
      life.simulator.clear();
      touch(life);
      await life.hours(1);
    },
  };
}

/** The day begins when the first could come due. */
function reasserted(hours: number, row: string): Row {
  return {
    row,
    async begin(life) {
      life.edit('all', { reassertInterval: `${hours}h` });
      await life.hours(hours);
    },
  };
}

let edits = 0;

function touch(life: Life): void {
  edits += 1;
  life.edit('failing', { settings: { engine_max_threads: 1 + (edits % 16) } });
}

/** Lives through the day of a row; what is wrong with what it cost, or with what is left of it. */
export async function complaintsOf(life: Life, { row, begin, end }: Row): Promise<string[]> {
  await begin(life);
  const cost = await life.day();
  await end?.(life);
  const { Applied = 0, ...others } = life.reasons();
  const left =
    Object.keys(others).length === 0
      ? []
      : [`only ${Applied} are Applied in the end: ${JSON.stringify(others)}`];
  return [...(await compare(row, cost)), ...left];
}

/** Where one row of costs.md and what was measured part. */
export async function compare(row: string, cost: Cost): Promise<string[]> {
  const stated = (await budget()).get(row);
  const measured = `measured: ${cost.calls} calls, ${cost.writes} writes`;
  if (!stated) return [`costs.md has no row "${row}" under "${HEADING}"; ${measured}`];
  return (['calls', 'writes'] as const)
    .filter((what) => cost[what] > stated[what] || cost[what] < stated[what] * LEAST)
    .map((what) => `costs.md states ${stated[what]} ${what} where "${row}"; ${measured}`);
}

/** The rows of the table in costs.md. */
export async function budget(): Promise<ReadonlyMap<string, Cost>> {
  const [, section = ''] = (await readFile(PAGE, 'utf8')).split(`\n${HEADING}\n`);
  const [table = ''] = section.split('\n## ');
  const rows = [...table.matchAll(/^\| (.+?) \| ([\d,]+) \| ([\d,]+) \|$/gm)];
  return new Map(
    rows.map(([, row = '', calls, writes]) => [
      row,
      { calls: numberIn(calls), writes: numberIn(writes) },
    ]),
  );
}

function numberIn(text = ''): number {
  return Number(text.replaceAll(',', ''));
}
