import { expect, test } from 'vitest';
import type { Facts } from '../../src/kinds/organization/load.ts';
import { plan } from '../../src/kinds/organization/plan.ts';
import { report } from '../../src/kinds/organization/report.ts';
import { FINALIZER, type Organization } from '../../src/kinds/organization/resource.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const deleted: Organization = {
  metadata: {
    name: 'acme',
    namespace: 'ingest',
    uid: 'uid-1',
    resourceVersion: '7',
    generation: 2,
    creationTimestamp: '2026-03-01T11:00:00Z',
    deletionTimestamp: '2026-03-01T11:59:59Z',
    finalizers: [FINALIZER],
  },
  spec: {
    organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
    credentialsSecretRef: { name: 'api-key' },
    privateEndpoints: [],
    deletionPolicy: 'RemovePrivateEndpoints',
  },
};
const facts: Facts = {
  holder: { uid: 'uid-1', namespace: 'ingest', name: 'acme' },
  inherited: [],
  awaited: [],
  unclaimed: [],
  memo: {},
  secret: { state: 'unknown' },
  triedSecret: undefined,
  baseUrl: 'https://api.example.com',
  apiTimeoutMs: 35_000,
  cleanupDeadlineMs: 600_000,
};

test('a deleted object with nothing at the API is let go once, however late the store hears of its end', () => {
  const first = plan(deleted, facts, now);
  expect(first).toEqual({ do: 'release' });
  const { memo } = report(deleted, first, { got: 'finalizers' }, now);
  expect(plan(deleted, { ...facts, memo: memo ?? {} }, now)).toEqual({ do: 'nothing' });
});

test('where it was not let go, it is tried again, but not in a hurry: whoever changed it first has woken it', () => {
  const { memo, outcome } = report(deleted, { do: 'release' }, { got: 'nothing' }, now);
  expect(outcome).toMatchObject({ next: 'back-off' });
  expect(plan(deleted, { ...facts, memo: memo ?? {} }, now)).toEqual({ do: 'release' });
});
