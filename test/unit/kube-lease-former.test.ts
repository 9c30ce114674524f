import { describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { LEASE_PATH, leaderAndStandby, start } from '../support/lease-candidates.ts';
import { MemoryKube } from '../support/memory-kube.ts';

const HELD = { holderIdentity: 'a', leaseDurationSeconds: 15 };
const RELEASED = { holderIdentity: '', leaseDurationSeconds: 1 };

function versionNow(kube: MemoryKube): string | undefined {
  return kube.get(LEASE_PATH)?.metadata.resourceVersion;
}

describe('what a new leader must have read of a former one', () => {
  test('is all before our own write, where there is no Lease: somebody may have deleted it', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const { formerVersions } = start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    expect(formerVersions).toEqual([versionNow(kube)]);
  });

  test('is all before the release, where it was released: before this process began, or under its eyes', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const { metadata } = kube.set(LEASE_PATH, { spec: RELEASED });
    kube.set('/apis/x/v1/namespaces/pw/things/later', {});
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    const b = start(kube, clock, { identity: 'b', fate: () => ({ there: 100 }) });
    await clock.advance(1_000);
    a.stop.abort();
    await a.ended;
    const releasedAt = versionNow(kube);
    await clock.advance(1_000);
    expect([a.formerVersions, b.formerVersions]).toEqual([
      [metadata.resourceVersion],
      [releasedAt],
    ]);
  });

  test('is all before our own write, where its holder never gave it back', async () => {
    const { kube, clock, a, b } = await leaderAndStandby();
    a.clock.freeze();
    await clock.advance(10_000);
    const last = kube.set('/apis/x/v1/namespaces/pw/things/last', {}).metadata.resourceVersion;
    await clock.advance(5_000);
    expect(b.formerVersions).toHaveLength(1);
    expect(Number(b.formerVersions[0])).toBeGreaterThan(Number(last));
  });

  test.each([
    ['emptied it, as by hand', { holderIdentity: '', leaseDurationSeconds: 15 }],
    ['deleted it', undefined],
  ])('is all before our own write, where somebody %s', async (_, spec) => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    kube.set(LEASE_PATH, { spec: HELD });
    const b = start(kube, clock, { identity: 'b' });
    await clock.advance(1_000);
    if (spec) kube.set(LEASE_PATH, { spec });
    else kube.remove(LEASE_PATH);
    const last = kube.set('/apis/x/v1/namespaces/pw/things/last', {}).metadata.resourceVersion;
    await clock.advance(30_000);
    expect(b.formerVersions).toHaveLength(1);
    expect(Number(b.formerVersions[0])).toBeGreaterThan(Number(last));
  });

  test('is not forgotten when the answer to our own write is lost', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const { metadata } = kube.set(LEASE_PATH, { spec: RELEASED });
    let losses = 1;
    const { formerVersions } = start(kube, clock, {
      identity: 'b',
      fate: ({ method }) => (method === 'PUT' && losses-- > 0 ? { lost: 'reply' } : {}),
    });
    await clock.advance(10_000);
    expect(formerVersions).toHaveLength(1);
    expect(Number(formerVersions[0])).toBeGreaterThan(Number(metadata.resourceVersion));
  });
});
