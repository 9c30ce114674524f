import { LONGEST_SERVER_WAIT_MS } from '../../waits.ts';

const EPOCH_MILLISECONDS = 1e12;
const EPOCH_SECONDS = 1e9;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const ISO_DATE = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * How long the server asks to wait, 0 to 15 minutes; X-RateLimit-Reset counts on 429 only, since it
 * also stands on good answers.
 */
export function headerWait(
  headers: Headers,
  httpStatus: number,
  nowMs: number,
): number | undefined {
  const values = [
    headers['retry-after'],
    httpStatus === 429 ? headers['x-ratelimit-reset'] : undefined,
  ].flat();
  const waits = values.map((value) => readWait(value, nowMs)).filter((wait) => wait !== undefined);
  if (waits.length === 0) return undefined;
  return Math.ceil(Math.min(Math.max(...waits, 0), LONGEST_SERVER_WAIT_MS));
}

function readWait(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^[-+]?\d{1,30}(?:\.\d{1,30})?$/.test(text)) return numberWait(Number(text), nowMs);
  if (!HTTP_DATE.test(text) && !ISO_DATE.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at - nowMs;
}

function numberWait(value: number, nowMs: number): number {
  if (value > EPOCH_MILLISECONDS) return value - nowMs;
  if (value > EPOCH_SECONDS) return value * 1000 - nowMs;
  return value * 1000;
}
