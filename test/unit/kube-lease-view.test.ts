import { describe, expect, test } from 'vitest';
import type { Lease } from '../../src/kube/lease/lease-record.ts';
import { LeaseView } from '../../src/kube/lease/lease-view.ts';
import { FakeClock } from '../support/fake-clock.ts';

const LEASE_MS = 15_000;
let version = 1;

function lease(spec: Lease['spec']): Lease {
  version += 1;
  const resourceVersion = String(version);
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const metadata = {
    namespace: 'ingest',
    name: 'pipewright',
    uid: 'uid',
    resourceVersion,
    creationTimestamp,
  };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, ...(spec && { spec }) };
}

const held = { holderIdentity: 'a', leaseDurationSeconds: 15 };
const emptied = { holderIdentity: '', leaseDurationSeconds: 15 };

describe('a Lease', () => {
  test.each([
    ['held', [held], LEASE_MS],
    ['given back', [held, { holderIdentity: '', leaseDurationSeconds: 1 }], 0],
    ['emptied by somebody else', [held, emptied], LEASE_MS],
    [
      'emptied, and touched once more',
      [held, emptied, { ...emptied, leaseTransitions: 7 }],
      LEASE_MS,
    ],
    ['found empty', [emptied], 0],
  ])(
    'that is %s may be taken when nobody can believe any more to hold it',
    (_name, specs, expected) => {
      const clock = new FakeClock();
      const view = new LeaseView({ identity: 'b', leaseMs: LEASE_MS, clock });
      for (const spec of specs) view.observe(lease(spec));
      expect(view.freeInMs()).toBe(expected);
    },
  );
});
