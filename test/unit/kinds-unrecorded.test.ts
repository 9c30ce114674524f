import { beforeEach, expect, test } from 'vitest';
import { Unrecorded } from '../../src/kinds/unrecorded.ts';

const ONE = { key: 'ingest/orders', uid: 'u-1', goesOn: true };
const WRITE = { ...ONE, target: 'pipe', isWrite: true };
let woken: string[];
let unrecorded: Unrecorded;

beforeEach(() => {
  woken = [];
  unrecorded = new Unrecorded((target, but) => void woken.push(but === undefined ? target : `${target} but ${but}`));
});

test('a write that nobody is told of is owed to its target until the next call for it', () => {
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  expect(woken).toEqual(['pipe']);
  expect(unrecorded.owed('pipe', ONE)).toBe('write');
  expect(unrecorded.owed('another pipe', ONE)).toBeUndefined();
  expect(unrecorded.owed(undefined, ONE)).toBeUndefined();
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.told(ONE.key);
  expect(unrecorded.owed('pipe', ONE)).toBeUndefined();
});

test('one that a status tells of is not owed, nor is a visit that sent nothing', () => {
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key);
  unrecorded.lost(ONE.key);
  expect(unrecorded.owed('pipe', ONE)).toBeUndefined();
  expect(woken).toEqual([]);
});

test('a look that nobody is told of pays nothing, and is owed itself: it may have shown what nobody else has seen', () => {
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.lost(ONE.key);
  expect(unrecorded.owed('pipe', ONE)).toBe('look');
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.lost(ONE.key);
  expect(unrecorded.owed('pipe', ONE)).toBe('write');
});

test('a look that a status tells of is not owed', () => {
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.told(ONE.key);
  unrecorded.lost(ONE.key);
  expect(unrecorded.owed('pipe', ONE)).toBeUndefined();
});

test('one whose attempt nobody goes on with is owed, and what was to pay for it owes it again', () => {
  unrecorded.begins(WRITE);
  expect(unrecorded.owed('pipe', ONE)).toBeUndefined();
  expect(unrecorded.owed('pipe', { ...ONE, goesOn: false })).toBe('write');
  unrecorded.begins({ ...WRITE, isWrite: false });
  expect(unrecorded.owed('pipe', ONE)).toBeUndefined();
  expect(unrecorded.owed('pipe', { ...ONE, goesOn: false })).toBe('write');
  expect(woken).toEqual(['pipe but ingest/orders', 'pipe but ingest/orders']);
});

test('another object under the same name owes what the one before has left', () => {
  unrecorded.begins(WRITE);
  expect(unrecorded.owed('pipe', ONE)).toBeUndefined();
  expect(unrecorded.owed('pipe', { ...ONE, uid: 'u-2' })).toBe('write');
});

test('of a thousand targets at most, the oldest is forgotten first', () => {
  for (let n = 0; n <= 1_000; n += 1) {
    unrecorded.begins({ ...WRITE, key: `ingest/${n}`, target: `pipe-${n}` });
    unrecorded.lost(`ingest/${n}`);
  }
  expect(unrecorded.owed('pipe-0', ONE)).toBeUndefined();
  expect(unrecorded.owed('pipe-1', ONE)).toBe('write');
  expect(unrecorded.owed('pipe-1000', ONE)).toBe('write');
});

test('what one object has sent is paid by the next call for another one of its target, and owed again where that is not told', () => {
  const OTHER = { key: 'ingest/invoices', uid: 'u-3', goesOn: true };
  unrecorded.begins(WRITE);
  unrecorded.begins({ ...OTHER, target: 'pipe', isWrite: false });
  unrecorded.lost(ONE.key);
  expect(unrecorded.owed('pipe', OTHER)).toBeUndefined();
  unrecorded.lost(OTHER.key);
  expect(unrecorded.owed('pipe', OTHER)).toBe('write');
});
