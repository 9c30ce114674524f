import { describe, expect, it } from 'vitest';
import { judged } from './client.ts';

/** Class and outcome of a write, then of a read where they are others. The rest: ../kinds/failures. */
type Row = readonly [statuses: number[], failure: string, outcome: string, ...ofRead: string[]];
const TABLE: readonly Row[] = [
  [[201, 204, 302, 308, 777], 'UnexpectedResponse', 'Unknown', 'UnexpectedResponse', 'Unavailable'],
  [[400, 402, 405, 413, 415, 418, 422, 451], 'Rejected', 'Rejected'],
  [[408, 500, 501, 502, 503, 504, 599], 'OutcomeUnknown', 'Unknown', 'Unavailable', 'Unavailable'],
];
const CASES = TABLE.flatMap(([statuses, ...row]) => statuses.map((one) => [one, row] as const));

it.each(CASES)('HTTP %i is what the contract says, also with a result', async (status, row) => {
  const [failure, outcome, ofRead = failure, outcomeOfRead = outcome] = row;
  expect(await judged({ status })).toMatchObject({ ok: false, failure, outcome });
  const read = await judged({ status }, { write: false });
  expect(read).toMatchObject({ failure: ofRead, outcome: outcomeOfRead });
});

describe('a 200', () => {
  it('with a result is a success, also with an empty one', async () => {
    const body = { requestId: 'r-1', result: {}, message: 'OK', error: null };
    const success = { ok: true, outcome: 'Succeeded', httpStatus: 200, requestId: 'r-1' };
    expect(await judged({ body })).toEqual({ ...success, result: {} });
  });

  it.each<[string, unknown]>([
    ['its body is empty', ' \r\n'],
    ['its body is not JSON', '<html>504</html>'],
    ['its body is not JSON', `{"result":${'{"a":'.repeat(70)}1${'}'.repeat(71)}`],
    ['its body is not JSON', `{"result":${'['.repeat(100_000)}`],
    ...[[], null, '"text"', {}, { result: null }, { result: [] }, { result: 'x' }].map(
      (body): [string, unknown] => ['only 200 with a result and no error confirms it', body],
    ),
    ['no error confirms it', { result: {}, error: { code: 7 } }],
    ['no error confirms it): half done', { result: {}, error: { message: 'half done' } }],
  ])('confirms nothing where %s: %j', async (words, body) => {
    const message = expect.stringContaining(words) as string;
    const unknown = { failure: 'UnexpectedResponse', outcome: 'Unknown', message };
    expect(await judged({ body })).toMatchObject(unknown);
  });
});
