import { describe, expect, test } from 'vitest';
import { Listing, type Reported } from '../../src/kinds/organization/endpoints/endpoints.ts';
import type { Sent } from '../../src/kinds/organization/ledger/ledger.ts';
import { e, entry, listing, sent, settled, shortly } from '../support/organization-entries.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type How = Sent['how'];
const add = (how: How, more: Parameters<typeof sent>[2] = {}) => sent(how, { add: 'a' }, more);

describe('an endpoint is the same in another case and with blanks around', () => {
  const SPELLINGS: readonly Reported[] = [
    { id: 'A', cloudProvider: 'GCP', region: 'R1' },
    { id: ' a ', cloudProvider: ' gcp', region: 'r1  ' },
    { id: 'a' },
  ];
  test.each(SPELLINGS)(
    'a declared one that the list has as %o is found, and kept as reported',
    (reported) => {
      const { ledger } = settled({ list: new Listing([reported]) });
      expect(ledger).toEqual([{ ...e('a'), ...reported, origin: 'Found', state: 'Present' }]);
    },
  );

  test.each(SPELLINGS)(
    'one that was added and comes back as %o is ours, as reported',
    (reported) => {
      const { ledger, added } = settled({ list: new Listing([reported]), sent: add('answered') });
      expect(ledger).toEqual([{ ...e('a'), ...reported, origin: 'Added', state: 'Present' }]);
      expect(added).toEqual([{ ...e('a'), ...reported }]);
      const again = settled({ ledger, list: new Listing([reported]) });
      expect(again.ledger).toEqual(ledger);
    },
  );

  test('but an entry of the ledger is there only to the byte: what is spelled otherwise is somebody else’s', () => {
    const list = listing(e('A'));
    const first = settled({ ledger: [entry('a')], list });
    expect(first.ledger.map(shortly)).toEqual(['a Added Missing']);
    const second = settled({ ledger: first.ledger, list, now: MINUTE });
    expect(second.ledger.map(shortly)).toEqual(['A Found Present']);
    expect(second.remarks).toEqual([{ remark: 'vanished', tuple: e('a') }]);
  });

  test('other letters and blanks within are other endpoints', () => {
    for (const id of ['á', 'a\u00a0', 'ａ', 'a b'])
      expect(settled({ list: listing(e(id)) }).ledger).toEqual([]);
  });
});

describe('other fields than were sent', () => {
  const moved = e('a', { region: 'r2' });

  test('a new entry with a sent id is ours as reported', () => {
    const { ledger, altered } = settled({
      list: listing(moved),
      sent: add('answered', { before: listing() }),
    });
    expect(ledger.map(shortly)).toEqual(['a gcp/r2 Added Present']);
    expect(altered).toEqual([{ sent: e('a'), entry: ledger[0] }]);
  });

  test.each([
    ['which the look had', add('answered', { before: listing(moved) })],
    ['where no look is at hand', add('answered')],
  ])('an entry with a sent id, %s, is not', (_, given) => {
    expect(settled({ list: listing(moved), sent: given }).ledger.map(shortly)).toEqual([
      'a Added Unconfirmed',
    ]);
  });
});

test('descriptions are cut, and an empty one is none', () => {
  const described = (description: string) =>
    settled({ list: listing({ ...e('a'), description }) }).ledger[0];
  expect(described('d'.repeat(100))?.description).toHaveLength(64);
  expect(described('')).not.toHaveProperty('description');
});
