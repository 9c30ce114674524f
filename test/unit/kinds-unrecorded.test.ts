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

/** Whether the target has one when a reconcile of this object begins. */
function hasAtReconcile(target: string | undefined, object: typeof ONE): boolean {
  unrecorded.reconciles({ ...object, target });
  return unrecorded.has(target, object.uid);
}

test('a write that no status tells of is unrecorded for its target until the next call for it', () => {
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  expect(woken).toEqual(['pipe']);
  expect(hasAtReconcile('pipe', ONE)).toBe(true);
  expect(hasAtReconcile('another pipe', ONE)).toBe(false);
  expect(hasAtReconcile(undefined, ONE)).toBe(false);
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.told(ONE.key);
  expect(hasAtReconcile('pipe', ONE)).toBe(false);
});

test('one that a status tells of is recorded, and so is a reconcile that sent nothing', () => {
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key);
  unrecorded.lost(ONE.key);
  expect(hasAtReconcile('pipe', ONE)).toBe(false);
  expect(woken).toEqual([]);
});

test('a look that no status tells of makes up for nothing, and leaves nothing of its own', () => {
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.lost(ONE.key);
  expect(hasAtReconcile('pipe', ONE)).toBe(false);
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.lost(ONE.key);
  expect(hasAtReconcile('pipe', ONE)).toBe(true);
});

test('one whose attempt nobody goes on with is unrecorded, and so again where what was to make up for it is', () => {
  unrecorded.begins(WRITE);
  expect(hasAtReconcile('pipe', ONE)).toBe(false);
  expect(hasAtReconcile('pipe', { ...ONE, goesOn: false })).toBe(true);
  unrecorded.begins({ ...WRITE, isWrite: false });
  expect(hasAtReconcile('pipe', ONE)).toBe(false);
  expect(hasAtReconcile('pipe', { ...ONE, goesOn: false })).toBe(true);
  expect(woken).toEqual(['pipe but ingest/orders', 'pipe but ingest/orders']);
});

test('what an object has sent is unrecorded for another one under the same name', () => {
  unrecorded.begins(WRITE);
  expect(hasAtReconcile('pipe', ONE)).toBe(false);
  expect(hasAtReconcile('pipe', { ...ONE, uid: 'u-2' })).toBe(true);
});

test('of ten thousand targets at most, the oldest is forgotten first', () => {
  for (let n = 0; n <= 10_000; n += 1) {
    unrecorded.begins({ ...WRITE, key: `ingest/${n}`, target: `pipe-${n}` });
    unrecorded.lost(`ingest/${n}`);
  }
  expect(hasAtReconcile('pipe-0', ONE)).toBe(false);
  expect(hasAtReconcile('pipe-1', ONE)).toBe(true);
  expect(hasAtReconcile('pipe-10000', ONE)).toBe(true);
});

test('the next call for another object of the target makes up for what one has sent, unless no status tells of it', () => {
  const OTHER = { key: 'ingest/invoices', uid: 'u-3', goesOn: true };
  unrecorded.begins(WRITE);
  unrecorded.begins({ ...OTHER, target: 'pipe', isWrite: false });
  unrecorded.lost(ONE.key);
  expect(hasAtReconcile('pipe', OTHER)).toBe(false);
  unrecorded.lost(OTHER.key);
  expect(hasAtReconcile('pipe', OTHER)).toBe(true);
});

test('what was to make up for it and failed leaves it unrecorded for all of the target where no status tells of that either', () => {
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  unrecorded.begins({ ...WRITE, isWrite: false });
  unrecorded.failed(ONE.key);
  expect(woken).toEqual(['pipe']);
  unrecorded.lost(ONE.key);
  expect(woken).toEqual(['pipe', 'pipe']);
  expect(hasAtReconcile('pipe', ONE)).toBe(true);
});

test('what the status of one object tells to itself alone is unrecorded for the others of its target, until a call succeeds', () => {
  const OTHER = { key: 'ingest/invoices', uid: 'u-3', goesOn: true };
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key, true);
  expect(hasAtReconcile('pipe', ONE)).toBe(false);
  expect(hasAtReconcile('pipe', OTHER)).toBe(true);
  unrecorded.begins(WRITE);
  unrecorded.failed(ONE.key);
  unrecorded.told(ONE.key);
  expect(hasAtReconcile('pipe', ONE)).toBe(false);
  expect(hasAtReconcile('pipe', OTHER)).toBe(true);
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key);
  expect(hasAtReconcile('pipe', OTHER)).toBe(false);
});

test('what one object alone knows and what nobody does is unrecorded for all', () => {
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key, true);
  unrecorded.begins(WRITE);
  unrecorded.lost(ONE.key);
  expect(hasAtReconcile('pipe', ONE)).toBe(true);
});

test('another process that has led meanwhile was told what one object alone knows, and not what nobody does', () => {
  const OTHER = { key: 'ingest/invoices', uid: 'u-3', goesOn: true };
  unrecorded.begins(WRITE);
  unrecorded.told(ONE.key, true);
  unrecorded.begins({ ...WRITE, target: 'another pipe', key: 'ingest/lost' });
  unrecorded.lost('ingest/lost');
  unrecorded.takeOver();
  expect(hasAtReconcile('pipe', OTHER)).toBe(false);
  expect(hasAtReconcile('another pipe', OTHER)).toBe(true);
});
