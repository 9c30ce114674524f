import { describe, expect, test } from 'vitest';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { FakeClock } from '../support/fake-clock.ts';
import {
  LEASE_PATH,
  leaderAndStandby,
  record,
  start,
  writes,
} from '../support/lease-candidates.ts';
import { type Fate, MemoryKube } from '../support/memory-kube.ts';

describe('leading', () => {
  test('renews every two seconds with one write and nothing else', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    const before = kube.calls.length;
    await clock.advance(60_000);
    expect(kube.calls.slice(before).map((call) => call.method)).toEqual(
      Array.from({ length: 30 }, () => 'PUT'),
    );
    expect(record(kube)).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test('reads again and keeps the lead when somebody else changed the object', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    kube.set(LEASE_PATH, { ...kube.get(LEASE_PATH), metadata: { annotations: { note: 'mine' } } });
    await clock.advance(20_000);
    expect(a.told).toEqual(['started']);
    expect(kube.get(LEASE_PATH)?.metadata.annotations).toEqual({ note: 'mine' });
  });

  test('is over when no renewal succeeded for ten seconds since the start of the last good one, and only once', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let cut = false;
    const a = start(kube, clock, {
      identity: 'a',
      fate: () => (cut ? { lost: 'request' } : { there: 400, back: 400 }),
    });
    // Acquired by a request that began at 800 (after one read); renewed by requests that began at
    // 2,800 and 4,800.
    await clock.advance(6_000);
    cut = true;
    await clock.advance(8_799);
    expect([a.election.mayStartCall(), a.told]).toEqual([true, ['started']]);
    await clock.advance(1);
    expect([a.election.mayStartCall(), a.told]).toEqual([false, ['started', 'lost']]);
    cut = false;
    await clock.advance(60_000);
    expect([a.election.mayStartCall(), a.election.isLeader(), a.told]).toEqual([
      false,
      false,
      ['started', 'lost'],
    ]);
    await a.ended;
  });

  test('may start nothing in a process that wakes from a freeze past the deadline, before any timer of it ran', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(2_500);
    a.clock.freeze();
    await clock.advance(9_499);
    expect(a.election.mayStartCall()).toBe(true);
    await clock.advance(1);
    expect(a.election.mayStartCall()).toBe(false);
    const before = writes(kube).length;
    await a.clock.thawSlowly();
    await clock.advance(30_000);
    expect([a.election.mayStartCall(), a.told]).toEqual([false, ['started', 'lost']]);
    expect(writes(kube), 'no renewal, which would keep others waiting').toHaveLength(before);
  });

  test('takes no renewal whose answer is read after the deadline, though nobody else took the Lease', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let puts = 0;
    // Renewals begin at 2,010 and 5,010, which are lost, and at 8,010, which is answered at 9,960.
    const fate = (call: RequestCall): Fate => {
      if (call.method !== 'PUT') return { back: 10 };
      puts += 1;
      return puts < 3 ? { lost: 'request' } : { back: 1_950 };
    };
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(9_900);
    expect(a.election.mayStartCall()).toBe(true);
    a.clock.freeze();
    await clock.advance(200);
    await a.clock.thawSlowly();
    expect([a.election.mayStartCall(), a.told]).toEqual([false, ['started', 'lost']]);
  });

  test('begins with a fresh renewal when it was frozen while it took the Lease', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a', fate: () => ({ back: 10 }) });
    await clock.advance(15);
    a.clock.freeze();
    await clock.advance(12_000);
    await a.clock.thawSlowly();
    await clock.advance(100);
    expect([a.election.mayStartCall(), a.told]).toEqual([true, ['started']]);
  });

  test('survives renewals that hang, since each has its own end well before the deadline', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let puts = 0;
    const fate = (call: RequestCall): Fate =>
      call.method === 'PUT' && ++puts % 3 !== 0 ? { lost: 'request' } : {};
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(300_000);
    expect([a.election.mayStartCall(), a.told]).toEqual([true, ['started']]);
    expect(
      a.messages.filter((message) => message.includes('cannot use the leader election Lease'))
        .length,
    ).toBeGreaterThan(0);
  });

  test('ends at once when another holds the Lease', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    kube.set(LEASE_PATH, { spec: { holderIdentity: 'thief', leaseDurationSeconds: 15 } });
    await clock.advance(1_000);
    expect([a.election.mayStartCall(), a.told]).toEqual([false, ['started', 'lost']]);
    expect(record(kube).holderIdentity).toBe('thief');
  });

  test('makes a deleted Lease again as it was, before a standby that knew it takes it', async () => {
    const { kube, clock, a, b } = await leaderAndStandby();
    kube.remove(LEASE_PATH);
    await clock.advance(60_000);
    expect([a.told, b.told]).toEqual([['started'], []]);
    expect(record(kube)).toMatchObject({
      holderIdentity: 'a',
      acquireTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test.each([
    ['emptied', { holderIdentity: '', leaseDurationSeconds: 15 }],
    ['wiped', {}],
  ])('keeps a Lease that somebody else has %s, which tells its holder nothing', async (_, spec) => {
    const { kube, clock, a, b } = await leaderAndStandby();
    kube.set(LEASE_PATH, { spec });
    for (let second = 0; second < 30; second += 1) {
      await clock.advance(1_000);
      expect([a, b].filter(({ election }) => election.mayStartCall()).length).toBeLessThan(2);
    }
    expect([a.told, b.told, record(kube).holderIdentity]).toEqual([['started'], [], 'a']);
  });

  test('makes it again before a standby takes it that stood still until it was deleted', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    const b = start(kube, clock, { identity: 'b', watches: 'silent' });
    await clock.advance(1_000);
    b.clock.freeze();
    await clock.advance(60_000);
    kube.remove(LEASE_PATH);
    await b.clock.thawSlowly();
    await clock.advance(60_000);
    expect([a.told, b.told]).toEqual([['started'], []]);
  });

  test.each([
    ['names a standby of now', 'b'],
    ['nobody held', ''],
  ])(
    'is not shared where a restored cluster has a Lease that %s: whoever led until then has its time',
    async (_, holder) => {
      const kube = new MemoryKube();
      const clock = new FakeClock();
      let isCut = false;
      const a = start(kube, clock, {
        identity: 'a',
        fate: () => (isCut ? { lost: 'request' } : {}),
      });
      await clock.advance(0);
      const b = start(kube, clock, { identity: 'b' });
      await clock.advance(20_000);
      b.clock.freeze();
      await clock.advance(20_000);
      isCut = true;
      const spec = {
        holderIdentity: holder,
        leaseDurationSeconds: 15,
        renewTime: '2026-01-01T00:00:00.000000Z',
      };
      kube.rewind(
        LEASE_PATH,
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {}, spec },
        5,
      );
      await b.clock.thawSlowly();
      for (let second = 0; second < 30; second += 1) {
        await clock.advance(1_000);
        expect([a, b].filter(({ election }) => election.mayStartCall()).length).toBeLessThan(2);
      }
      expect(b.told).toEqual(['started']);
    },
  );

  test('moves with a jump of the wall clock in neither direction', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    const b = start(kube, clock, { identity: 'b' });
    for (const jump of [3_600_000, -7_200_000]) {
      await clock.advance(5_000);
      clock.jumpWall(jump);
      expect(a.election.mayStartCall()).toBe(true);
    }
    await clock.advance(30_000);
    expect([a.told, b.told]).toEqual([['started'], []]);
  });
});
