import { expect, test } from 'vitest';
import { type World, waitsFor } from '../../src/kinds/engine/forecast.ts';
import type { KubeObject } from '../../src/kube/resource.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

const object = (name: string, status: object = {}, secret = 'api'): KubeObject => ({
  metadata: {
    name,
    namespace: 'ns',
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { credentialsSecretRef: { name: secret } },
  status,
});
const request = (outcome: string, ageMs: number, httpStatus?: number): object => ({
  lastRequest: { outcome, httpStatus, time: new Date(NOW - ageMs).toISOString() },
});
const worldOf = (all: readonly KubeObject[]): World => ({
  baseUrl: 'https://api.example.com',
  planOnly: false,
  apiTimeoutMs: 35_000,
  cleanupDeadlineMs: 600_000,
  now: NOW,
  others: all,
  all,
});
const own = object('own');
const NOTHING = /^$/;

test.each<[string, object, RegExp]>([
  ['has lost a write', request('Unknown', 3_600_000), /whose result is not known/],
  ['has one on record', { pendingChange: {} }, /whose result is not known/],
  ['was refused a moment ago', request('Rejected', 60_000, 400), /whose result is not known/],
  ['was refused long ago', request('Rejected', 600_000, 400), NOTHING],
  ['was answered', request('Succeeded', 1_000, 200), NOTHING],
])('where a rival %s', (_, status, told) => {
  const rival = object('rival', status, 'another');
  expect(waitsFor(own, worldOf([own, rival]), [own, rival]) ?? '').toMatch(told);
});

test('what an object has sent itself keeps it from nothing', () => {
  const itself = object('own', request('Unknown', 1_000));
  expect(waitsFor(itself, worldOf([itself]), [itself])).toBeUndefined();
});

test.each<[string, object, RegExp]>([
  ['was refused', request('Rejected', 3_600_000, 401), /has refused the key in the Secret "api"/],
  ['is paused', request('RateLimited', 60_000, 429), /rate limit of the key in the Secret "api"/],
  ['was paused an hour ago', request('RateLimited', 3_600_000, 429), NOTHING],
])('where the key %s for another object', (_, status, told) => {
  const of = (secret: string): string | undefined => {
    const other = object('other', status, secret);
    return waitsFor(own, worldOf([own, other]), []);
  };
  expect(of('api') ?? '').toMatch(told);
  expect(of('another')).toBeUndefined();
});
