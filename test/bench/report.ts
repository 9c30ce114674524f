import type { Side } from './sides.ts';

/** What was measured of one side, each by its name and unit. */
export type Figures = Readonly<Record<string, number>>;

/** What one round has shown of each side. */
export type Round = Readonly<Partial<Record<Side, Figures>>>;

/** The value below which this share of the values lies; NaN where there are none. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/**
 * Each side's median over the rounds with the least and the most, and the operator's ratio to each
 * other side, taken within a round: the machine's speed changes from one to the next.
 */
export function tableOf(rounds: readonly Round[], sides: readonly Side[]): string {
  const others = sides.filter((side) => side !== 'operator');
  const head = ['', ...sides, ...others.map((side) => `operator : ${side}`)];
  const rows = Object.keys(rounds[0]?.operator ?? {}).map((what) => {
    const figure = (round: Round, side: Side): number => round[side]?.[what] ?? Number.NaN;
    return [
      what,
      ...sides.map((side) => spread(rounds.map((round) => figure(round, side)))),
      ...others.map((side) =>
        spread(rounds.map((round) => figure(round, 'operator') / figure(round, side))),
      ),
    ];
  });
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function spread(values: readonly number[]): string {
  const median = percentile(values, 0.5);
  if (Number.isNaN(median)) return '–';
  const shown = (value: number): string => value.toFixed(median < 3 ? 2 : median < 30 ? 1 : 0);
  return `${shown(median)} (${shown(Math.min(...values))}–${shown(Math.max(...values))})`;
}
