import { LONGEST_SERVER_WAIT_MS } from '../waits.ts';
import { isObject, parseJson } from './json.ts';
import { plainLine } from './text.ts';

/**
 * How far the body of an answer could be read; `truncated`: it broke off or the deadline came;
 * `too-large`: over 1 MiB.
 */
export type BodyState = 'json' | 'not-json' | 'empty' | 'truncated' | 'too-large';

/** The API answered with a status line. */
export interface Answer {
  readonly answered: true;
  readonly httpStatus: number;
  readonly body: BodyState;
  readonly requestId?: string | undefined;
  /** What the API says of it: one line, at most 512 characters, credentials masked. */
  readonly error?: string | undefined;
  /** Of a JSON body without an `error`, where it is an object. */
  readonly result?: Readonly<Record<string, unknown>> | undefined;
  /** From Retry-After or X-RateLimit-Reset, whichever is longer; 0 to 15 minutes. */
  readonly retryAfterMs?: number | undefined;
  /** Host a 3xx points to, credentials masked; it is never followed. */
  readonly redirectHost?: string | undefined;
}

/** No status line arrived. */
export interface NoAnswer {
  readonly answered: false;
  /** False only when it is certain that no byte of the request left this process. */
  readonly sent: boolean;
  /** Stable text, ready for a message. */
  readonly cause: string;
  /**
   * The call was called off before a byte left: leadership was in doubt, its permit was withdrawn,
   * its object had changed, or the caller's signal.
   */
  readonly aborted?: 'not-leader' | 'not-permitted' | 'not-wanted' | 'signal' | undefined;
}

export type Reply = Answer | NoAnswer;

/** What came over the wire. */
export interface RawAnswer {
  readonly httpStatus: number;
  readonly headers: Headers;
  /** Absent text: the body could not be read to its end, for the reason `state` names. */
  readonly body: { readonly text: string } | { readonly state: 'truncated' | 'too-large' };
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

type Mask = (text: string) => string;

/** Reads any answer without ever throwing: what is missing or odd is left out. */
export function readAnswer(
  raw: RawAnswer,
  { url, nowMs, mask }: { readonly url: string; readonly nowMs: number; readonly mask: Mask },
): Answer {
  const { httpStatus, headers } = raw;
  const { state, value } = readBody(raw.body);
  const { result, error, requestId }: Record<string, unknown> = isObject(value) ? value : {};
  const id = typeof requestId === 'string' ? requestId : headers['x-request-id'];
  return {
    answered: true,
    httpStatus,
    body: state,
    requestId: plainLine(firstOf(id), 128, mask) || undefined,
    error: plainLine(errorText(raw, value), 512, mask) || undefined,
    result: isObject(result) && !error ? result : undefined,
    retryAfterMs: headerWait(headers, httpStatus, nowMs),
    redirectHost: hundred(httpStatus) === 3 ? hostIn(headers['location'], url, mask) : undefined,
  };
}

/** Its first digit, as in 4xx. */
export function hundred(httpStatus: number): number {
  return Math.floor(httpStatus / 100);
}

function readBody(body: RawAnswer['body']): { state: BodyState; value?: unknown } {
  if ('state' in body) return body;
  if (body.text.trim() === '') return { state: 'empty' };
  const parsed = parseJson(body.text);
  return parsed ? { state: 'json', value: parsed.value } : { state: 'not-json' };
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
  if (!isPlain || !isRefusal || value !== undefined || 'state' in body) return '';
  return body.text.trimStart().startsWith('<') ? '' : body.text;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function messageIn(value: unknown): unknown {
  return isObject(value) ? value['message'] : undefined;
}

/** Masked on both sides of the parser, which decodes a host and puts it in lower case. */
function hostIn(location: Headers[string], base: string, mask: Mask): string | undefined {
  const target = location && URL.parse(mask(firstOf(location)), base);
  return target ? mask(target.host).slice(0, 255) : undefined;
}

function firstOf(header: Headers[string]): string {
  return [header].flat()[0] ?? '';
}

/**
 * How long the server asks to wait, 0 to 15 minutes; X-RateLimit-Reset counts on 429 only, since it
 * also stands on good answers.
 */
function headerWait(headers: Headers, httpStatus: number, nowMs: number): number | undefined {
  const reset = httpStatus === 429 ? headers['x-ratelimit-reset'] : undefined;
  const waits = [headers['retry-after'], reset]
    .flat()
    .map((value) => readWait(value?.trim() ?? '', nowMs))
    .filter((wait) => !Number.isNaN(wait));
  if (waits.length === 0) return undefined;
  return Math.ceil(Math.min(Math.max(...waits, 0), LONGEST_SERVER_WAIT_MS));
}

/** Seconds, or a time: as a date, in seconds or in milliseconds since 1970. Anything else: NaN. */
function readWait(text: string, nowMs: number): number {
  if (/^\w{3}, [\w ]{11} [\d:]{8} GMT$/.test(text)) return Date.parse(text) - nowMs;
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value > 1e12) return value - nowMs;
  return value > 1e9 ? value * 1000 - nowMs : value * 1000;
}
