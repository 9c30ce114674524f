import { errorTextIn, plainTextIn } from './error-text.ts';
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
  const errorText = plainLine(textIn(raw, state, fields), ERROR_LIMIT, mask);
  const retryAfterMs = headerWait(raw.headers, raw.httpStatus, nowMs);
  const redirectHost = hostOf(raw, url, mask);
  return {
    answered: true,
    httpStatus: raw.httpStatus,
    body: state,
    ...(id !== undefined && { requestId: id }),
    ...(errorText !== '' && { error: errorText }),
    ...(Boolean(error) && errorText === '' && { oddError: true as const }),
    ...(isObject(result) && { result }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(redirectHost !== undefined && { redirectHost }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function readBody(body: RawAnswer['body']): { readonly state: BodyState; readonly fields: Fields } {
  if ('state' in body) return { state: body.state, fields: {} };
  if (body.text.trim() === '') return { state: 'empty', fields: {} };
  const parsed = parseJson(body.text);
  if (!parsed) return { state: 'not-json', fields: {} };
  return { state: 'json', fields: isObject(parsed.value) ? own(parsed.value) : {} };
}

/** Own fields only: a polluted or replaced prototype has no say. */
function own(value: Fields): Fields {
  return Object.assign(Object.create(null) as Fields, value);
}

/** A 2xx may carry a message that is no error. */
function textIn(raw: RawAnswer, state: BodyState, fields: Fields): string {
  const isRefusal = raw.httpStatus < 200 || raw.httpStatus > 299;
  if (state !== 'not-json') return errorTextIn(fields, isRefusal);
  if (!isRefusal || !('text' in raw.body)) return '';
  return plainTextIn(raw.body.text, raw.headers['content-type']);
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
