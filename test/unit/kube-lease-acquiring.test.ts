import { describe, expect, test } from 'vitest';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { LEASE_PATH, record, start } from '../support/lease-candidates.ts';
import { type Fate, forbidden, MemoryKube, refused } from '../support/memory-kube.ts';

describe('acquiring', () => {
  test('takes a Lease that does not exist at once, with six digits in its times', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    expect(a.election.isLeader()).toBe(true);
    expect(a.election.mayStartCall()).toBe(true);
    expect(record(kube)).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test('leaves a holder alone for the whole lease since it was last seen to renew, whatever its clock says', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const held = {
      holderIdentity: 'b',
      leaseDurationSeconds: 15,
      renewTime: '1999-01-01T00:00:00.000000Z',
    };
    kube.set(LEASE_PATH, { spec: { ...held, leaseTransitions: 7 } });
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(10_000);
    kube.set(LEASE_PATH, {
      spec: { ...held, renewTime: '1999-01-01T00:00:02.000000Z', leaseTransitions: 7 },
    });
    await clock.advance(14_999);
    expect(a.election.isLeader()).toBe(false);
    await clock.advance(1);
    expect(a.election.isLeader()).toBe(true);
    expect(record(kube)).toMatchObject({
      holderIdentity: 'a',
      leaseTransitions: 8,
      acquireTime: '2026-01-01T00:00:25.000000Z',
    });
  });

  test.each([[undefined], ['silent' as const]])(
    'takes over after the storage went back to an older version, and asks no more than at other times (watch: %s)',
    async (watches) => {
      const kube = new MemoryKube();
      const clock = new FakeClock();
      const leader = start(kube, clock, { identity: 'a' });
      await clock.advance(0);
      const standby = start(kube, clock, { identity: 'b', ...(watches && { watches }) });
      const backup = kube.get(LEASE_PATH) ?? {};
      await clock.advance(31_000);
      leader.clock.freeze();
      kube.rewind(LEASE_PATH, backup, 14);
      const before = kube.calls.length;
      await clock.advance(20_000);
      expect(standby.election.isLeader()).toBe(true);
      expect(kube.calls.length - before).toBeLessThan(20);
    },
  );

  test('takes a change of labels for no sign of life', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const spec = { holderIdentity: 'b', leaseDurationSeconds: 15 };
    kube.set(LEASE_PATH, { spec });
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(14_000);
    kube.set(LEASE_PATH, { spec, metadata: { labels: { team: 'x' } } });
    await clock.advance(1_000);
    expect(a.election.isLeader()).toBe(true);
    expect(kube.get(LEASE_PATH)?.metadata.labels).toEqual({ team: 'x' });
  });

  test('believes the holder about a longer lease than our own', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    kube.set(LEASE_PATH, { spec: { holderIdentity: 'b', leaseDurationSeconds: 60 } });
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(59_999);
    expect(a.election.isLeader()).toBe(false);
    await clock.advance(1);
    expect(a.election.isLeader()).toBe(true);
  });

  test('reads nothing while the watch of a living leader talks', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    start(kube, clock, { identity: 'b' });
    await clock.advance(100);
    const before = kube.calls.filter(
      (call) => call.method === 'GET' && call.path === LEASE_PATH,
    ).length;
    await clock.advance(50_000);
    expect(
      kube.calls.filter((call) => call.method === 'GET' && call.path === LEASE_PATH),
    ).toHaveLength(before);
  });

  test.each([['silent' as const], [forbidden('watch', 'leases', 'pw')]])(
    'takes over within 20 s of the last renewal although the watch is %s',
    async (watches) => {
      const kube = new MemoryKube();
      const clock = new FakeClock();
      const a = start(kube, clock, { identity: 'a' });
      await clock.advance(0);
      const b = start(kube, clock, { identity: 'b', watches });
      await clock.advance(31_000);
      a.clock.freeze();
      await clock.advance(20_000);
      expect(b.election.isLeader()).toBe(true);
      const complaints = b.messages.filter((message) =>
        message.includes('cannot use the leader election Lease'),
      );
      expect(complaints).toHaveLength(watches === 'silent' ? 0 : 1);
    },
  );

  test('names the missing rule once when it may not use the Lease, and leads when it may', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let may = false;
    const fate = (): Fate =>
      may ? {} : { fail: forbidden('get', 'leases', 'pw', 'coordination.k8s.io') };
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(60_000);
    expect(
      a.messages.filter((message) => message.includes('cannot use the leader election Lease')),
    ).toHaveLength(1);
    expect(a.messages.join()).toContain(
      '{apiGroups: ["coordination.k8s.io"], resources: ["leases"], resourceNames: ["pipewright"], verbs: ["get", "list", "watch", "update"]}',
    );
    may = true;
    await clock.advance(2_000);
    expect(a.election.isLeader()).toBe(true);
  });

  test('says once that the namespace of its Lease does not exist, and leads when it does', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let isThere = false;
    const fate = (call: RequestCall): Fate =>
      call.method === 'POST' && !isThere ? { fail: refused(call, 404, 'NotFound') } : {};
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(60_000);
    expect(a.election.isLeader()).toBe(false);
    expect(
      a.messages.filter((message) => message.includes('cannot use the leader election Lease')),
    ).toHaveLength(1);
    isThere = true;
    await clock.advance(2_000);
    expect(a.election.isLeader()).toBe(true);
  });

  test('takes a Lease whose write was answered into the void for its own', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let losses = 1;
    const fate = (call: RequestCall): Fate =>
      call.method === 'POST' && losses-- > 0 ? { lost: 'reply' } : {};
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(6_000);
    expect(a.election.isLeader()).toBe(true);
    expect(record(kube)).toMatchObject({
      leaseTransitions: 0,
      acquireTime: '2026-01-01T00:00:00.000000Z',
    });
  });
});
