/**
 * A table in a text: its first line names the columns, `|` stands between cells. A row goes on in
 * the next line until it has all its cells.
 */
export function rows<Column extends string>(table: string): Readonly<Record<Column, string>>[] {
  const [first = '', ...lines] = table.trim().split('\n');
  const head = cellsOf(first);
  const found: Record<Column, string>[] = [];
  let row = '';
  for (const line of lines) {
    row += ` ${line}`;
    const cells = cellsOf(row);
    if (cells.length < head.length) continue;
    if (cells.length > head.length) throw new Error(`too many cells: ${row}`);
    const named = Object.fromEntries(cells.map((cell, index) => [head[index], cell]));
    found.push(named as Record<Column, string>);
    row = '';
  }
  if (row.trim() !== '') throw new Error(`too few cells: ${row}`);
  return found;
}

function cellsOf(line: string): string[] {
  return line.split('|').map((cell) => cell.trim().replace(/\s+/g, ' '));
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `10s`, `15m+1s` or `1h-1s`; of an empty text none. */
export function ms(text: string): number {
  const parts = [...text.matchAll(/([+-]?)(\d+)([smh])/g)];
  return parts.reduce((sum, [, sign, count, unit = '']) => {
    return sum + (sign === '-' ? -1 : 1) * Number(count) * (UNITS[unit] ?? Number.NaN);
  }, 0);
}

/** Whether a wait is this long ±20 %; times have whole seconds, rounded up. */
export function isAbout(wait: number | undefined, about: number): boolean {
  return wait !== undefined && wait >= about * 0.8 && wait <= about * 1.2 + 1_000;
}
