import { describe, expect, test } from 'vitest';
import { Locks } from '../../src/kinds/target/locks.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { aPipeSettings } from '../support/objects.ts';

const TARGET = 'a pipe';
const AT_WORK_MS = 95_000;

function setUp() {
  let now = 0;
  const locks = new Locks({ monotonic: () => now, apiTimeoutMs: 35_000, onFree: () => undefined });
  const uid = aPipeSettings({}).metadata.uid;
  return {
    locks,
    uid,
    at: (ms: number) => {
      now = ms;
    },
    /** For how long another object has to wait. */
    left: () => locks.remainingMs(TARGET, 'another'),
  };
}

/** As its status tells of its last call. */
function tried(outcome: 'Unknown' | 'Rejected', second: number): KubeObject {
  const time = `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;
  return { ...aPipeSettings({}), status: { lastRequest: { outcome, time } } };
}

describe('a write of unknown outcome', () => {
  test('of another process keeps the others waiting from when this one first saw it, each by itself', () => {
    const { locks, at, left } = setUp();
    locks.see(TARGET, tried('Unknown', 1), undefined);
    expect(left()).toBe(AT_WORK_MS);
    at(60_000);
    expect(left()).toBe(AT_WORK_MS - 60_000);
    locks.see(TARGET, tried('Rejected', 2), tried('Unknown', 1));
    expect(left(), 'the first may still be at work').toBe(AT_WORK_MS - 60_000);
    locks.see(TARGET, tried('Unknown', 3), tried('Rejected', 2));
    expect(left(), 'and so may the second').toBe(AT_WORK_MS);
  });

  test('of this one does so from when it was sent, also when its status comes later', () => {
    const { locks, uid, at, left } = setUp();
    locks.begin(TARGET, uid);
    at(35_000);
    locks.see(TARGET, tried('Unknown', 1), undefined);
    locks.end(TARGET, uid, { isUnknown: true, isTold: true });
    expect(left()).toBe(AT_WORK_MS - 35_000);
    locks.see(TARGET, tried('Unknown', 1), tried('Unknown', 1));
    expect(left(), 'the watch tells of it too').toBe(AT_WORK_MS - 35_000);
  });

  test.each([
    { isUnknown: false, isTold: false },
    { isUnknown: true, isTold: false },
  ])(
    'of another process counts also while no status tells yet of a call that this one has made: $isUnknown',
    (how) => {
      const { locks, uid, at, left } = setUp();
      locks.begin(TARGET, uid);
      at(30_000);
      locks.see(TARGET, tried('Unknown', 1), undefined);
      locks.end(TARGET, uid, how);
      expect(left()).toBe(AT_WORK_MS);
    },
  );
});

test('what is about to be sent by its status keeps the others waiting, until that says so no more', () => {
  const { locks, at, left } = setUp();
  const intending = (pendingChange?: object): KubeObject => ({
    ...aPipeSettings({}),
    status: { pendingChange },
  });
  const intent = intending({ time: '2026-01-01T00:00:01Z' });
  locks.see(TARGET, intent, intending());
  at(60_000);
  expect(left()).toBe(AT_WORK_MS - 60_000);
  locks.see(TARGET, intending(), intent);
  expect(left()).toBeUndefined();
});
