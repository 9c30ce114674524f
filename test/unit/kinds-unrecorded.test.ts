import { expect, test } from 'vitest';
import { Unrecorded } from '../../src/kinds/unrecorded.ts';

test('a write that nobody is told of is owed to its target until the next call for it', () => {
  const unrecorded = new Unrecorded();
  unrecorded.sent('ingest/orders', 'pipe');
  unrecorded.lost('ingest/orders');
  expect(unrecorded.isOwed('pipe')).toBe(true);
  expect(unrecorded.isOwed('another pipe')).toBe(false);
  expect(unrecorded.isOwed(undefined)).toBe(false);
  unrecorded.paid('pipe');
  expect(unrecorded.isOwed('pipe')).toBe(false);
});

test('one that a status tells of is not owed, nor is a visit that sent nothing', () => {
  const unrecorded = new Unrecorded();
  unrecorded.sent('ingest/orders', 'pipe');
  unrecorded.told('ingest/orders');
  unrecorded.lost('ingest/orders');
  expect(unrecorded.isOwed('pipe')).toBe(false);
});

test('of a thousand targets at most, the oldest is forgotten first', () => {
  const unrecorded = new Unrecorded();
  for (let n = 0; n <= 1_000; n += 1) {
    unrecorded.sent(`ingest/${n}`, `pipe-${n}`);
    unrecorded.lost(`ingest/${n}`);
  }
  expect(unrecorded.isOwed('pipe-0')).toBe(false);
  expect(unrecorded.isOwed('pipe-1')).toBe(true);
  expect(unrecorded.isOwed('pipe-1000')).toBe(true);
});
