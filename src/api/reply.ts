import { plainLine } from '../text.ts';
import { LONGEST_SERVER_WAIT_MS } from '../waits.ts';
import { isObject, masked, parseJson } from './json.ts';

/** The API answered with a status line. The key is masked in all that it says. */
export interface Answer {
  readonly answered: true;
  readonly httpStatus: number;
  /** Why its body is no JSON, as in "its body is empty"; absent: it is. */
  readonly defect?: string | undefined;
  readonly requestId?: string | undefined;
  /** What the API says of it: one line, at most 512 characters. */
  readonly error?: string | undefined;
  /** Of a JSON body without an `error`, where it is an object. */
  readonly result?: Readonly<Record<string, unknown>> | undefined;
  /** Of a 429 or 503, from Retry-After or X-RateLimit-Reset, the longer one; up to 15 minutes. */
  readonly retryAfterMs?: number | undefined;
}

/** No status line arrived. */
export interface NoAnswer {
  readonly answered: false;
  /** False only when it is certain that no byte of the request left this process. */
  readonly sent: boolean;
  /** Stable text, ready for a message. */
  readonly cause: string;
  /** Not sent, as its caller or this process does not want it any more. */
  readonly calledOff?: boolean;
}

export type Reply = Answer | NoAnswer;

/** What came over the wire. `defect`: why the body could not be read to its end. */
export interface RawAnswer {
  readonly httpStatus: number;
  readonly headers: Headers;
  readonly body: { readonly text: string } | { readonly defect: string };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Reads any answer without ever throwing: what is missing or odd is left out. */
export function readAnswer(
  raw: RawAnswer,
  { nowMs, mask }: { readonly nowMs: number; readonly mask: (text: string) => string },
): Answer {
  const { httpStatus, headers } = raw;
  const { value, defect } = readBody(raw.body);
  const { result, error, requestId }: Record<string, unknown> = isObject(value) ? value : {};
  const id = typeof requestId === 'string' ? requestId : headers['x-request-id'];
  const isResult = isObject(result) && !error;
  return {
    answered: true,
    httpStatus,
    defect,
    requestId: plainLine(firstOf(id), 128, mask) || undefined,
    error: plainLine(errorText(raw, value), 512, mask) || undefined,
    result: isResult ? (masked(result, mask) as Answer['result']) : undefined,
    retryAfterMs: headerWait(headers, httpStatus, nowMs),
  };
}

/** Its first digit, as in 4xx. */
export function hundred(httpStatus: number): number {
  return Math.floor(httpStatus / 100);
}

function readBody(body: RawAnswer['body']): { value?: unknown; defect?: string } {
  if ('defect' in body) return body;
  if (body.text.trim() === '') return { defect: 'is empty' };
  return parseJson(body.text) ?? { defect: 'is not JSON' };
}

/**
 * What the API says of a refusal. The shape of an error is not specified: this is the first text
 * where servers put one. A success may have a message that is none. A body that is no JSON speaks
 * only where it says it is plain text; a page never does.
 */
function errorText({ httpStatus, headers, body }: RawAnswer, value: unknown): string {
  const isRefusal = hundred(httpStatus) !== 2;
  if (isObject(value)) {
    const { error, message, detail, title, errors } = value;
    const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
    const others = isRefusal ? [message, detail, title, first, messageIn(first)] : [];
    return [error, messageIn(error), ...others].find(isText) ?? '';
  }
  const isPlain = /^text\/plain\b/i.test(firstOf(headers['content-type']));
  if (!isPlain || !isRefusal || value !== undefined || 'defect' in body) return '';
  return body.text.trimStart().startsWith('<') ? '' : body.text;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function messageIn(value: unknown): unknown {
  return isObject(value) ? value['message'] : undefined;
}

function firstOf(header: Headers[string]): string {
  return [header].flat()[0] ?? '';
}

/** How long the server asks to wait. On other answers these headers speak of something else. */
function headerWait(headers: Headers, httpStatus: number, nowMs: number): number | undefined {
  if (httpStatus !== 429 && httpStatus !== 503) return undefined;
  const reset = httpStatus === 429 ? headers['x-ratelimit-reset'] : undefined;
  const waits = [headers['retry-after'], reset]
    .flat()
    .map((value) => readWait(value?.trim() ?? '', nowMs));
  return Math.ceil(Math.min(Math.max(...waits, 0), LONGEST_SERVER_WAIT_MS));
}

/** Seconds, or a time: as a date, in seconds or in milliseconds since 1970. Anything else: 0. */
function readWait(text: string, nowMs: number): number {
  if (/^\w{3}, [\w ]{11} [\d:]{8} GMT$/.test(text)) return (Date.parse(text) || nowMs) - nowMs;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value > 1e12) return value - nowMs;
  return value > 1e9 ? value * 1000 - nowMs : value * 1000;
}
