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

describe('stopping', () => {
  test('releases the Lease, and a standby takes it within two seconds', async () => {
    const { kube, clock, a, b } = await leaderAndStandby();
    a.stop.abort();
    await a.ended;
    expect(a.told).toEqual(['started']);
    await clock.advance(100);
    expect(b.election.isLeader()).toBe(true);
    expect(record(kube)).toMatchObject({
      holderIdentity: 'b',
      leaseTransitions: 1,
      leaseDurationSeconds: 15,
    });
  });

  test('empties the holder under the version that it knows, after a change of somebody else too', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    kube.set(LEASE_PATH, { ...kube.get(LEASE_PATH), metadata: { labels: { team: 'x' } } });
    a.stop.abort();
    await clock.advance(0);
    await a.ended;
    expect(record(kube)).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
    });
    expect(kube.get(LEASE_PATH)?.metadata.labels).toEqual({ team: 'x' });
  });

  test('takes nothing away from another holder', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    kube.set(LEASE_PATH, { spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
    a.stop.abort();
    await clock.advance(0);
    await a.ended;
    expect(record(kube).holderIdentity).toBe('b');
  });

  test('gives back a Lease that it may have got by a write under way', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const fate = (call: RequestCall): Fate => (call.method === 'POST' ? { lost: 'reply' } : {});
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(100);
    expect(record(kube).holderIdentity).toBe('a');
    a.stop.abort();
    await clock.advance(0);
    await a.ended;
    expect([record(kube).holderIdentity, a.told]).toEqual(['', []]);
  });

  test('ends within five seconds although the API server does not answer', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let cut = false;
    const a = start(kube, clock, { identity: 'a', fate: () => (cut ? { lost: 'request' } : {}) });
    await clock.advance(1_000);
    cut = true;
    a.stop.abort();
    let ended = false;
    void a.ended.then(() => {
      ended = true;
    });
    await clock.advance(5_000);
    expect([ended, a.election.mayStartCall()]).toEqual([true, false]);
  });

  test('writes nothing when it was a standby', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    kube.set(LEASE_PATH, { spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(3_000);
    a.stop.abort();
    await clock.advance(0);
    await a.ended;
    expect(writes(kube)).toEqual([]);
  });
});
