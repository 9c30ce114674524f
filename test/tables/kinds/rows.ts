/** A table in a text: its first line names the columns, `|` stands between cells. */
export function rows<Column extends string>(table: string): Readonly<Record<Column, string>>[] {
  const lines = table.trim().split('\n');
  const [head = [], ...body] = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  for (const cells of body)
    if (cells.length !== head.length)
      throw new Error(`not ${head.length} cells: ${cells.join('|')}`);
  return body.map((cells) => {
    const row = Object.fromEntries(cells.map((cell, index) => [head[index], cell]));
    return row as Record<Column, string>;
  });
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
