import { describe, expect, test } from 'vitest';
import { driftNotices } from '../../src/kinds/organization/attempt/history.ts';
import {
  counted,
  fieldOf,
  names,
  placeOf,
  shownName,
} from '../../src/kinds/organization/endpoints/wording.ts';
import type { Remark } from '../../src/kinds/organization/ledger/ledger.ts';
import { namingAll, remarkNotices } from '../../src/kinds/organization/ledger/notices.ts';
import { e } from '../support/organization-entries.ts';

/**
 * Notes of events.k8s.io/v1 may have 1,024 characters, with room for what others put around them.
 */
const MOST = 1_024;
const many = (count: number, length = 12) =>
  Array.from({ length: count }, (_, index) =>
    e(`${index}-`.padEnd(length, 'x'), { region: 'r'.repeat(Math.min(64, length)) }),
  );
const words = {
  type: 'Warning',
  reason: 'CleanupAbandoned',
  before: 'Left:',
  after: 'Remove them',
} as const;

describe('notes that name endpoints', () => {
  test.each([
    ['one', many(1)],
    ['a hundred', many(100)],
    ['a hundred with the longest ids', many(100, 512)],
  ])('name every one in full, of %s, in as many notes as that takes', (_, tuples) => {
    const notes = namingAll(tuples, words);
    for (const { note } of notes) {
      expect([...note].length).toBeLessThanOrEqual(MOST);
      expect(note).toMatch(/^Left: .*\. Remove them$/);
    }
    const all = notes.map(({ note }) => note).join('\n');
    for (const tuple of tuples) expect(all).toContain(`${tuple.id} (${placeOf(tuple)})`);
    expect(notes.length).toBeLessThanOrEqual(
      Math.max(1, Math.ceil((tuples.length * 600) / 700)) + tuples.length / 2,
    );
  });

  test('are none where there is nothing to name', () => {
    expect(namingAll([], words)).toEqual([]);
  });
});

const REMARKS: readonly [Remark, RegExp][] = [
  [
    'maybe-ours',
    /^Warning OwnershipUnknown: .*that request or somebody else may have added it.*psc-1.*adoptPrivateEndpoints/,
  ],
  [
    'refused-but-there',
    /^Warning OwnershipUnknown: .*refused.*that request may have added it.*psc-1.*adoptPrivateEndpoints/,
  ],
  ['given-up', /^Warning AddNotConfirmed: .*psc-1.*does not belong to this object/],
  [
    'came-back',
    /^Warning OwnershipUnknown: .*is listed again.*somebody else.*psc-1.*adoptPrivateEndpoints/,
  ],
  ['maybe-still-ours', /^Warning OwnershipUnknown: .*Still listed.*psc-1.*adoptPrivateEndpoints/],
  ['vanished', /^Warning DriftDetected: .*not by the operator.*psc-1.*added again/],
  ['left', /^Normal EndpointLeft: .*psc-1.*stays at the API/],
];

test.each(REMARKS)('%s is told with name, place and what helps', (remark, says) => {
  const [notice, ...more] = remarkNotices([{ remark, tuple: e('psc-1') }]);
  expect(more).toEqual([]);
  expect(`${notice?.type} ${notice?.reason}: ${notice?.note}`).toMatch(says);
  expect(notice?.note).toContain('psc-1 (gcp/r1)');
});

test('things of one sort are told together, and nothing where nothing was seen', () => {
  const remarks = ['a', 'b'].map((id) => ({ remark: 'vanished' as const, tuple: e(id) }));
  expect(remarkNotices(remarks)).toHaveLength(1);
  expect(remarkNotices([])).toEqual([]);
  expect(driftNotices([])).toEqual([]);
  expect(driftNotices([{ field: 'name', from: 'A', to: 'B' }])[0]?.note).toContain('name A → B');
});

test('a message names four and counts the rest, with the ends of long ids', () => {
  const tuples = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => e(id));
  expect(names(tuples.slice(0, 4))).toBe('a, b, c, d');
  expect(names(tuples)).toBe('a, b, c, d and 2 more');
  expect(names([e(`${'a'.repeat(100)}${'b'.repeat(100)}`)])).toBe(
    `${'a'.repeat(32)}…${'b'.repeat(32)}`,
  );
  expect([counted(1), counted(2)]).toEqual(['1 private endpoint', '2 private endpoints']);
  expect(fieldOf(e('a'), '.region')).toBe('privateEndpoints[a].region');
  expect(fieldOf(e('x'.repeat(512)), '.cloudProvider').length).toBeLessThanOrEqual(160);
  expect(shownName('a "b"\n')).toBe('"a \\"b\\"\\n"');
});
