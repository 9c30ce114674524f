import { beforeEach, expect, test } from 'vitest';
import { Unrecorded } from '../../src/kinds/target/unrecorded.ts';

const ONE = { key: 'ingest/orders', uid: 'u-1', goesOn: true };
const WRITE = { ...ONE, target: 'pipe', isWrite: true };
let woken: string[];
let unrecorded: Unrecorded;

beforeEach(() => {
  woken = [];
  unrecorded = new Unrecorded(
    (target, but) => void woken.push(but === undefined ? target : `${target} but ${but}`),
  );
});

test('a write that nobody is told of is owed to its target until the next call for it', () => {
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  expect(woken).toEqual(['pipe']);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(true);
  expect(unrecorded.isOwed('another pipe', ONE)).toBe(false);
  expect(unrecorded.isOwed(undefined, ONE)).toBe(false);
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.told(ONE.key);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(false);
});

test('one that a status tells of is not owed, nor is a visit that sent nothing', () => {
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key);
  unrecorded.lost(ONE.key);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(false);
  expect(woken).toEqual([]);
});

test('a look that nobody is told of pays nothing, and owes nothing of its own', () => {
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.lost(ONE.key);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(false);
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.lost(ONE.key);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(true);
});

test('one whose attempt nobody goes on with is owed, and what was to pay for it owes it again', () => {
  unrecorded.begins(WRITE);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(false);
  expect(unrecorded.isOwed('pipe', { ...ONE, goesOn: false })).toBe(true);
  unrecorded.begins({ ...WRITE, isWrite: false });
  expect(unrecorded.isOwed('pipe', ONE)).toBe(false);
  expect(unrecorded.isOwed('pipe', { ...ONE, goesOn: false })).toBe(true);
  expect(woken).toEqual(['pipe but ingest/orders', 'pipe but ingest/orders']);
});

test('another object under the same name owes what the one before has left', () => {
  unrecorded.begins(WRITE);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(false);
  expect(unrecorded.isOwed('pipe', { ...ONE, uid: 'u-2' })).toBe(true);
});

test('of ten thousand targets at most, the oldest is forgotten first', () => {
  for (let n = 0; n <= 10_000; n += 1) {
    unrecorded.begins({ ...WRITE, key: `ingest/${n}`, target: `pipe-${n}` });
    unrecorded.lost(`ingest/${n}`);
  }
  expect(unrecorded.isOwed('pipe-0', ONE)).toBe(false);
  expect(unrecorded.isOwed('pipe-1', ONE)).toBe(true);
  expect(unrecorded.isOwed('pipe-10000', ONE)).toBe(true);
});

test('what one object has sent is paid by the next call for another one of its target, and owed again where that is not told', () => {
  const OTHER = { key: 'ingest/invoices', uid: 'u-3', goesOn: true };
  unrecorded.begins(WRITE);
  unrecorded.begins({ ...OTHER, target: 'pipe', isWrite: false });
  unrecorded.lost(ONE.key);
  expect(unrecorded.isOwed('pipe', OTHER)).toBe(false);
  unrecorded.lost(OTHER.key);
  expect(unrecorded.isOwed('pipe', OTHER)).toBe(true);
});

test('what was to pay and failed is owed to all of its target where that is not told either', () => {
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.failed(ONE.key);
  expect(woken).toEqual(['pipe']);
  unrecorded.lost(ONE.key);
  expect(woken).toEqual(['pipe', 'pipe']);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(true);
});

test('what the status of one object tells to itself alone is owed to the others of its target, until a call succeeds', () => {
  const OTHER = { key: 'ingest/invoices', uid: 'u-3', goesOn: true };
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key, true);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(false);
  expect(unrecorded.isOwed('pipe', OTHER)).toBe(true);
  unrecorded.begins(WRITE);
  unrecorded.failed(ONE.key);
  unrecorded.told(ONE.key);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(false);
  expect(unrecorded.isOwed('pipe', OTHER)).toBe(true);
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key);
  expect(unrecorded.isOwed('pipe', OTHER)).toBe(false);
});

test('what one object alone knows and what nobody does is owed to all', () => {
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key, true);
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  expect(unrecorded.isOwed('pipe', ONE)).toBe(true);
});

test('another process that has led meanwhile was told what one object alone knows, and not what nobody does', () => {
  const OTHER = { key: 'ingest/invoices', uid: 'u-3', goesOn: true };
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key, true);
  unrecorded.begins({ ...WRITE, target: 'another pipe', key: 'ingest/lost' });
  unrecorded.lost('ingest/lost');
  unrecorded.takeOver();
  expect(unrecorded.isOwed('pipe', OTHER)).toBe(false);
  expect(unrecorded.isOwed('another pipe', OTHER)).toBe(true);
});
