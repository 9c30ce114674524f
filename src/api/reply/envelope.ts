import { isObject, parseJson } from './json.ts';
import type { Answer, BodyState } from './reply.ts';
import { headerWait } from './retry-after.ts';
import { plainLine, plainToken } from './text.ts';

const ERROR_LIMIT = 512;
const REQUEST_ID_LIMIT = 128;
const REQUEST_ID_HEADERS = ['x-request-id', 'request-id', 'x-correlation-id'] as const;

/** What came over the wire. */
export interface RawAnswer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Absent text: the body could not be read to its end, for the reason `state` names. */
  readonly body: { readonly text: string } | { readonly state: 'truncated' | 'too-large' };
}

/** Where and when an answer was got, and how to hide the credential in it. */
export interface AnswerContext {
  readonly url: string;
  readonly nowMs: number;
  readonly mask: (text: string) => string;
}

/** Reads any answer without ever throwing: what is missing or odd is left out. */
export function readAnswer(raw: RawAnswer, { url, nowMs, mask }: AnswerContext): Answer {
  const { state, fields } = readBody(raw.body);
  const { result, error, requestId } = fields;
  const id = plainToken(
    typeof requestId === 'string' ? requestId : headerRequestId(raw.headers),
    REQUEST_ID_LIMIT,
    mask,
  );
  const errorText = typeof error === 'string' ? plainLine(error, ERROR_LIMIT, mask) : '';
  const retryAfterMs = headerWait(raw.headers, raw.httpStatus, nowMs);
  const redirectHost = hostOf(raw, url, mask);
  return {
    answered: true,
    httpStatus: raw.httpStatus,
    body: state,
    ...(id !== undefined && { requestId: id }),
    ...(errorText !== '' && { error: errorText }),
    ...(Boolean(error) && typeof error !== 'string' && { oddError: true as const }),
    ...(isObject(result) && { result }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(redirectHost !== undefined && { redirectHost }),
  };
}

interface Fields {
  readonly result?: unknown;
  readonly error?: unknown;
  readonly requestId?: unknown;
}

function readBody(body: RawAnswer['body']): { readonly state: BodyState; readonly fields: Fields } {
  if ('state' in body) return { state: body.state, fields: {} };
  if (body.text.trim() === '') return { state: 'empty', fields: {} };
  const parsed = parseJson(body.text);
  if (!parsed) return { state: 'not-json', fields: {} };
  if (!isObject(parsed.value)) return { state: 'json', fields: {} };
  return {
    state: 'json',
    fields: {
      ...own(parsed.value, 'result'),
      ...own(parsed.value, 'error'),
      ...own(parsed.value, 'requestId'),
    },
  };
}

/** Own fields only: a polluted or replaced prototype has no say. */
function own(value: Record<string, unknown>, key: keyof Fields): Fields {
  return Object.hasOwn(value, key) ? { [key]: value[key] } : {};
}

function headerRequestId(headers: RawAnswer['headers']): string {
  return (
    REQUEST_ID_HEADERS.flatMap((name) => headers[name] ?? []).find((value) => value !== '') ?? ''
  );
}

/** Masked on both sides of the parser, which decodes a host and puts it in lower case. */
function hostOf(
  { httpStatus, headers }: RawAnswer,
  url: string,
  mask: AnswerContext['mask'],
): string | undefined {
  if (httpStatus < 300 || httpStatus > 399) return undefined;
  const location = [headers['location'] ?? []].flat()[0];
  if (location === undefined) return undefined;
  return mask(URL.parse(mask(location), url)?.host ?? '').slice(0, 255) || undefined;
}
