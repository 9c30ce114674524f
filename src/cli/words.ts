import type { FieldChange } from '../kinds/shared/preview.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `4s`, `12m`, `3h`, `6d`: as kubectl shows an age. */
function age(ms: number): string {
  if (ms < MINUTE) return `${Math.max(0, Math.floor(ms / SECOND))}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}

/** `6d ago`; a time of the future, which a wrong clock wrote, is only given as it is. */
export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  return ms >= -SECOND ? `${age(ms)} ago` : `at ${time}`;
}

/** `in 4m`, or `now` where that time has come. */
export function until(time: string, now: number): string {
  const ms = Date.parse(time) - now;
  return ms > 0 ? `in ${age(ms + SECOND - 1)}` : 'now';
}

/** `1 object`, `2 objects`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Columns padded to the widest; the last one is left as it is. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widest = (at: number): number =>
    rows.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), 0);
  const widths = (rows[0] ?? []).map((_, at) => widest(at));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('   ')
      .trimEnd(),
  );
}

/**
 * `engine_max_threads: 4 → 8`, with `?` for a value that is not known; of an endpoint, which has no
 * value but comes or goes, `add privateEndpoints[psc-1] "gcp/r1"`.
 */
export function changeText({ field, from, to }: FieldChange): string {
  if (/^privateEndpoints\[.*\]$/.test(field)) {
    if (from === undefined && to !== undefined) return `add ${field} ${JSON.stringify(to)}`;
    if (to === undefined && from !== undefined) return `remove ${field} ${JSON.stringify(from)}`;
  }
  return `${field}: ${valueText(from)} → ${valueText(to)}`;
}

function valueText(value: FieldChange['from']): string {
  return value === undefined ? 'unknown' : JSON.stringify(value);
}
