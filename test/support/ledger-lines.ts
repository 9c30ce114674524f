import { expect, test } from 'vitest';
import type { Sent } from '../../src/kinds/organization/ledger/ledger.ts';
import type { LedgerEntry } from '../../src/kinds/organization/resource.ts';
import { MINUTE, SECOND } from './objects.ts';
import { at, e, entry, goal, listing, sent, settled, shortly } from './organization-entries.ts';

type How = Sent['how'];
type More = Parameters<typeof sent>[2];
export const add = (how: How, more: More = {}) => sent(how, { add: 'a' }, more);
export const remove = (how: How, more: More = {}) => sent(how, { remove: 'a' }, more);
export const REFUSAL: More = {
  blamed: [e('a')],
  failure: {
    lastError: { httpStatus: 422, requestId: 'r-1', message: 'no' },
    nextAttemptTime: at(10 * MINUTE),
  },
};

/** One line of the table in the contract: what the ledger says after this evidence. */
export interface Line {
  readonly line: string;
  readonly given: Parameters<typeof settled>[0];
  /** The ledger; nothing: forgotten. */
  readonly says?: string;
  readonly told?: string;
  /** More about the one entry. */
  readonly more?: Partial<LedgerEntry>;
}

export const THERE = { list: listing('a') };
export const missing = (more: Partial<LedgerEntry> = {}) => [
  entry('a', { state: 'Missing', nextAttemptTime: at(MINUTE), ...more }),
];
/** Sent at T0: it is settled 95 s later. */
export const UNCONFIRMED = entry('a', { state: 'Unconfirmed', nextAttemptTime: at(95 * SECOND) });
export const adopting = goal(['a'], { adoptPrivateEndpoints: true });
export const unlisted = goal([]);

/** A test for each line; what the line leaves out is not there after it. */
export function holdLines(lines: readonly Line[]): void {
  test.each(lines)('$line', ({ given, says, told, more = {} }) => {
    const { ledger, remarks } = settled(given);
    expect(ledger.map(shortly)).toEqual(says === undefined ? [] : [says]);
    expect(remarks).toEqual(told === undefined ? [] : [{ remark: told, tuple: e('a') }]);
    const [first] = ledger;
    expect(first?.lastError).toEqual(more.lastError);
    expect(first?.nextAttemptTime).toEqual(more.nextAttemptTime);
  });
}
