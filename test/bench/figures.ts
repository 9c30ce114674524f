/** One line of the table. */
export interface Figure {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  /** Absent: for orientation, there is no goal. */
  readonly met?: boolean;
}

/** The value below which this share of the values lies; throws where there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new RangeError('nothing was measured');
  return value;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** A median with the values that it was taken from. */
export function medianOf(values: readonly number[], digits: number): string {
  const shown = values.map((value) => value.toFixed(digits)).join(', ');
  return values.length === 1 ? shown : `${median(values).toFixed(digits)} (${shown})`;
}

/** The figures as a Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ what, goal, measured, met }) => [what, goal, measured, verdict(met)]);
  const all = [['What', 'Goal', 'Measured', 'Met'], ...rows];
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = all;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}

function verdict(met: boolean | undefined): string {
  if (met === undefined) return '–';
  return met ? 'yes' : 'NO';
}
