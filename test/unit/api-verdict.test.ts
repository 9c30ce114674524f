import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/api/reply.ts';
import { judge } from '../../src/api/verdict.ts';

function answer(httpStatus: number, more: Partial<Answer> = {}): Answer {
  return { answered: true, httpStatus, ...more };
}
const WRITE = { write: true, of: 'pipe' };
const READ = { write: false, of: 'record' };

/** Class and outcome of a write, then of a read where they are others. */
type Row = readonly [statuses: number[], failure: string, outcome: string, ...ofRead: string[]];
const TABLE: readonly Row[] = [
  [
    [102, 201, 204, 301, 302, 307, 308, 777],
    'UnexpectedResponse',
    'Unknown',
    'UnexpectedResponse',
    'Unavailable',
  ],
  [[400, 402, 405, 413, 415, 418, 422, 451], 'Rejected', 'Rejected'],
  [[401], 'Unauthorized', 'Rejected'],
  [[403], 'Forbidden', 'Rejected'],
  [[404, 410], 'NotFound', 'Rejected'],
  [[409, 423, 425], 'Conflict', 'Busy'],
  [[424], 'DependencyNotReady', 'Busy'],
  [[429], 'RateLimited', 'RateLimited'],
  [[408, 500, 501, 502, 503, 504, 599], 'OutcomeUnknown', 'Unknown', 'Unavailable', 'Unavailable'],
];
const CASES = TABLE.flatMap(([statuses, ...row]) => statuses.map((one) => [one, row] as const));

it.each(CASES)('HTTP %i is what the contract says', (status, [failure, outcome, ...read]) => {
  const reply = answer(status, { result: {} });
  expect(judge(reply, WRITE)).toMatchObject({ ok: false, failure, outcome });
  const [ofRead = failure, outcomeOfRead = outcome] = read;
  expect(judge(reply, READ)).toMatchObject({ failure: ofRead, outcome: outcomeOfRead });
});

describe('a 200', () => {
  it('with a result is a success, also with an empty one', () => {
    const reply = answer(200, { requestId: 'r-1', result: {} });
    const success = { ok: true, outcome: 'Succeeded', httpStatus: 200, requestId: 'r-1' };
    expect(judge(reply, WRITE)).toEqual({ ...success, result: {} });
  });

  it.each<[string, Partial<Answer>]>([
    ['only 200 with a result and no error confirms it', {}],
    ['no error confirms it): half done', { result: {}, error: 'half done' }],
    ['its body is not JSON', { defect: 'is not JSON' }],
  ])('confirms nothing: %s', (words, more) => {
    const message = expect.stringContaining(words) as string;
    const verdict = judge(answer(200, more), WRITE);
    expect(verdict).toMatchObject({ failure: 'UnexpectedResponse', outcome: 'Unknown', message });
  });
});

describe('no answer', () => {
  const lost = { answered: false, sent: true, cause: 'no answer within 35s' } as const;

  it('leaves unknown what a write has done, and nothing else', () => {
    const unavailable = { ok: false, failure: 'Unavailable', outcome: 'Unavailable' };
    expect(judge(lost, WRITE)).toEqual({
      ok: false,
      failure: 'OutcomeUnknown',
      outcome: 'Unknown',
      message:
        'No response from the API, so the outcome of the request is not known: no answer within 35s',
    });
    const message = 'No response from the API: no answer within 35s';
    expect(judge(lost, READ)).toEqual({ ...unavailable, message });
    expect(judge({ ...lost, sent: false }, WRITE)).toEqual({ ...unavailable, message });
  });
});

describe('what is told', () => {
  it('of a redirect is that the user has to mend it', () => {
    const verdict = judge(answer(302), WRITE);
    const message = expect.stringContaining('(HTTP 302). Redirects are never followed') as string;
    expect(verdict).toMatchObject({ redirect: true, message });
    expect(judge(answer(400), WRITE)).toMatchObject({ redirect: false });
  });

  it('is the status and the text of the API, and neither request id nor a changing wait', () => {
    const reply = answer(429, { error: 'TOO_MANY_REQUESTS', requestId: 'r-9', retryAfterMs: 4321 });
    const message = 'Rate limit reached for this API key (HTTP 429): TOO_MANY_REQUESTS';
    const told = { requestId: 'r-9', retryAfterMs: 4321, said: 'TOO_MANY_REQUESTS', message };
    expect(judge(reply, WRITE)).toMatchObject(told);
  });

  it.each([
    [404, 'organization', 'Organization not found (HTTP 404)'],
    [409, 'pipe', 'The pipe is being changed by another operation (HTTP 409)'],
    [424, 'pipe', 'The service that the pipe depends on is not running (HTTP 424)'],
    [
      201,
      'pipe',
      'Unexpected response; the request is not confirmed (HTTP 201, only 200 with a result and no error confirms it)',
    ],
  ])('of HTTP %i about the %s is: %s', (status, of, message) => {
    expect(judge(answer(status), { write: true, of })).toMatchObject({ message });
  });

  it.each([
    [undefined, true],
    ['is not JSON', false],
  ])('of an answer is whether the API itself said it: %s', (defect, isJson) => {
    expect(judge(answer(500, { defect }), WRITE)).toMatchObject({ isJson });
  });
});
