import { describe, expect, it } from 'vitest';
import type { Answer, Reply } from '../../src/api/reply/reply.ts';
import { judge } from '../../src/api/reply/verdict.ts';

function answer(httpStatus: number, more: Partial<Answer> = {}): Answer {
  return { answered: true, httpStatus, body: 'json', ...more };
}

/** Class and outcome of a write, then of a read. */
const TABLE: readonly [number, string, string, string, string][] = [
  [102, 'UnexpectedResponse', 'Unknown', 'UnexpectedResponse', 'Unavailable'],
  [201, 'UnexpectedResponse', 'Unknown', 'UnexpectedResponse', 'Unavailable'],
  [204, 'UnexpectedResponse', 'Unknown', 'UnexpectedResponse', 'Unavailable'],
  [301, 'UnexpectedResponse', 'Unknown', 'UnexpectedResponse', 'Unavailable'],
  [302, 'UnexpectedResponse', 'Unknown', 'UnexpectedResponse', 'Unavailable'],
  [307, 'UnexpectedResponse', 'Unknown', 'UnexpectedResponse', 'Unavailable'],
  [308, 'UnexpectedResponse', 'Unknown', 'UnexpectedResponse', 'Unavailable'],
  [400, 'Rejected', 'Rejected', 'Rejected', 'Rejected'],
  [401, 'Unauthorized', 'Rejected', 'Unauthorized', 'Rejected'],
  [402, 'Rejected', 'Rejected', 'Rejected', 'Rejected'],
  [403, 'Forbidden', 'Rejected', 'Forbidden', 'Rejected'],
  [404, 'NotFound', 'Rejected', 'NotFound', 'Rejected'],
  [405, 'Rejected', 'Rejected', 'Rejected', 'Rejected'],
  [408, 'OutcomeUnknown', 'Unknown', 'Unavailable', 'Unavailable'],
  [409, 'Conflict', 'Busy', 'Conflict', 'Busy'],
  [410, 'NotFound', 'Rejected', 'NotFound', 'Rejected'],
  [413, 'Rejected', 'Rejected', 'Rejected', 'Rejected'],
  [415, 'Rejected', 'Rejected', 'Rejected', 'Rejected'],
  [418, 'Rejected', 'Rejected', 'Rejected', 'Rejected'],
  [422, 'Rejected', 'Rejected', 'Rejected', 'Rejected'],
  [423, 'Conflict', 'Busy', 'Conflict', 'Busy'],
  [424, 'DependencyNotReady', 'Busy', 'DependencyNotReady', 'Busy'],
  [425, 'Conflict', 'Busy', 'Conflict', 'Busy'],
  [429, 'RateLimited', 'RateLimited', 'RateLimited', 'RateLimited'],
  [451, 'Rejected', 'Rejected', 'Rejected', 'Rejected'],
  [500, 'OutcomeUnknown', 'Unknown', 'Unavailable', 'Unavailable'],
  [501, 'OutcomeUnknown', 'Unknown', 'Unavailable', 'Unavailable'],
  [502, 'OutcomeUnknown', 'Unknown', 'Unavailable', 'Unavailable'],
  [503, 'OutcomeUnknown', 'Unknown', 'Unavailable', 'Unavailable'],
  [504, 'OutcomeUnknown', 'Unknown', 'Unavailable', 'Unavailable'],
  [599, 'OutcomeUnknown', 'Unknown', 'Unavailable', 'Unavailable'],
  [777, 'UnexpectedResponse', 'Unknown', 'UnexpectedResponse', 'Unavailable'],
];

describe('judge', () => {
  it.each(TABLE)(
    'puts HTTP %i where the contract has it',
    (status, writeClass, writeOutcome, readClass, readOutcome) => {
      const reply = answer(status, { result: {} });
      expect(judge(reply, { write: true, of: 'pipe' })).toMatchObject({
        ok: false,
        failure: writeClass,
        outcome: writeOutcome,
      });
      expect(judge(reply, { write: false, of: 'record' })).toMatchObject({
        ok: false,
        failure: readClass,
        outcome: readOutcome,
      });
    },
  );

  it('succeeds on 200 with a result, also an empty one', () => {
    const verdict = judge(answer(200, { requestId: 'r-1', result: {} }), {
      write: true,
      of: 'pipe',
    });
    expect(verdict).toEqual({
      ok: true,
      outcome: 'Succeeded',
      httpStatus: 200,
      requestId: 'r-1',
      result: {},
    });
  });

  it.each<[string, Partial<Answer>]>([
    ['its body has no result', {}],
    ['its body carries an error', { result: {}, error: 'half done' }],
    ['its body carries an error', { result: {}, oddError: true }],
    ['its body is not JSON', { body: 'not-json' }],
    ['its body is empty', { body: 'empty' }],
    ['its body broke off', { body: 'truncated' }],
    ['its body is larger than 1 MiB', { body: 'too-large' }],
  ])('takes a 200 for no proof when %s', (words, more) => {
    const verdict = judge(answer(200, more), { write: true, of: 'pipe' });
    expect(verdict).toMatchObject({
      failure: 'UnexpectedResponse',
      outcome: 'Unknown',
      message: expect.stringContaining(words),
    });
  });

  it('knows the effect of a write that left without an answer to be unknown, of one that never left to be none', () => {
    const lost: Reply = { answered: false, sent: true, cause: 'no answer within 35s' };
    const unsent: Reply = {
      answered: false,
      sent: false,
      cause: 'connection refused by 127.0.0.1:1',
    };
    expect(judge(lost, { write: true, of: 'pipe' })).toMatchObject({
      failure: 'OutcomeUnknown',
      outcome: 'Unknown',
    });
    expect(judge(lost, { write: false, of: 'record' })).toMatchObject({
      failure: 'Unavailable',
      outcome: 'Unavailable',
    });
    expect(judge(unsent, { write: true, of: 'pipe' })).toMatchObject({
      failure: 'Unavailable',
      outcome: 'Unavailable',
    });
  });

  it('names the host of a redirect and marks it as one', () => {
    const verdict = judge(answer(302, { redirectHost: 'login.example' }), {
      write: true,
      of: 'pipe',
    });
    expect(verdict).toMatchObject({
      redirect: true,
      message: expect.stringContaining('to login.example (HTTP 302)'),
    });
    expect(judge(answer(400), { write: true, of: 'pipe' })).not.toHaveProperty('redirect');
  });

  it('says the status and the text of the API, and neither request id nor a changing wait', () => {
    const reply = answer(429, { error: 'TOO_MANY_REQUESTS', requestId: 'r-9', retryAfterMs: 4321 });
    const verdict = judge(reply, { write: true, of: 'pipe' });
    expect(verdict).toMatchObject({ requestId: 'r-9', retryAfterMs: 4321 });
    expect(verdict).toHaveProperty(
      'message',
      'Rate limit reached for this API key (HTTP 429): TOO_MANY_REQUESTS',
    );
  });

  it.each([
    [404, 'organization', 'Organization not found (HTTP 404)'],
    [409, 'pipe', 'The pipe is being changed by another operation (HTTP 409)'],
    [424, 'pipe', 'The service that the pipe depends on is not running (HTTP 424)'],
  ])('says of HTTP %i what it is about: %s', (status, of, message) => {
    expect(judge(answer(status), { write: true, of })).toHaveProperty('message', message);
  });

  it('hears a wish to wait on 429 and 503 only', () => {
    const waitOf = (status: number): unknown =>
      Reflect.get(
        judge(answer(status, { retryAfterMs: 5 }), { write: true, of: 'pipe' }),
        'retryAfterMs',
      );
    expect([429, 503, 500, 409, 400].map(waitOf)).toEqual([5, 5, undefined, undefined, undefined]);
  });
});
