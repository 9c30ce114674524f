const MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const DURATION = /^(?:\d+(?:\.\d+)?(?:h|m|s|ms))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|h|m|s)/g;

/** Milliseconds of Go's notation, such as `90m`, `1h30m`, `0.5h`; undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(PART))
    total += Number(amount) * (MS[unit] ?? Number.NaN);
  return Math.round(total);
}
