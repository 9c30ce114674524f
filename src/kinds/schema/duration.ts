const PART = /([0-9]+(?:\.[0-9]+)?)(h|m|s)/g;
const MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

/**
 * What a duration looks like: Go's notation with hours, minutes and seconds only. Written so that
 * RE2 reads it too.
 */
export const DURATION = /^([0-9]+(\.[0-9]+)?(s|m|h))+$/;

/** Milliseconds of a duration such as `90m`, `1h30m` or `0.5h`; undefined where it is none. */
export function parseDuration(value: string): number | undefined {
  if (!DURATION.test(value)) return undefined;
  let total = 0;
  for (const [, amount, unit] of value.matchAll(PART))
    total += Number(amount) * (MS[unit ?? ''] ?? Number.NaN);
  return Math.round(total);
}

/** The shortest usual notation, to the second: `45s`, `1h30m`. For messages. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = seconds % 60;
  const written = [
    hours > 0 && `${hours}h`,
    minutes > 0 && `${minutes}m`,
    rest > 0 && `${rest}s`,
  ].filter(Boolean);
  return written.length > 0 ? written.join('') : '0s';
}
