import { describe, expect, test } from 'vitest';
import { tupleOf } from '../../src/kinds/organization/endpoints.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { fitted } from '../../src/kinds/organization/size.ts';
import { anOrganization, organizationLoop } from '../support/organization-model.ts';
import { keyOf } from '../support/organization-model-laws.ts';

const MOST = 256 * 1024;
/** Six bytes in JSON. */
const DEAR = '\u0001';
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const long = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${prefix}${index}`.padEnd(512, 'x'),
    cloudProvider: 'p'.repeat(64),
    region: 'r'.repeat(64),
    description: DEAR.repeat(512),
  }));

describe('the largest specs and replies', () => {
  const others = long('other', 200).map((entry) => ({ ...entry, by: 'others' as const }));
  const there = long('a', 100).map((entry) => ({ ...entry, by: 'others' as const }));
  const name = DEAR.repeat(256);
  const wide = { maxPrivateEndpointRemovals: 100, name };

  test.each([
    ['added by the object', {}, [], 100],
    ['found', {}, there, 100],
    ['adopted', { adoptPrivateEndpoints: true }, there, 100],
  ])('leave a status under 256 KiB at every step, with all that is ours in it: %s', (_, more, before, owned) => {
    let most = 0;
    const loop = organizationLoop({
      entries: [...others, ...before],
      object: anOrganization({ ...wide, ...more, privateEndpoints: long('a', 100) }),
      watch: (_pass, self) => {
        most = Math.max(most, bytes(self.status()));
        expect(bytes(self.status())).toBeLessThan(MOST);
      },
    });
    loop.run();
    const ours = (letter: string) => (loop.status().privateEndpoints ?? []).filter(({ id }) => id.startsWith(letter));
    expect(ours('a')).toHaveLength(owned);
    loop.edit({ privateEndpoints: long('b', 100), mode: 'Plan' });
    loop.run();
    loop.edit({ privateEndpoints: long('b', 100), mode: 'Apply' });
    loop.run();
    expect(ours('b')).toHaveLength(100);
    expect(loop.reason()).toBe('Applied');
    expect(loop.server.entries().filter(({ id }) => id.startsWith('other'))).toHaveLength(200);
    expect(most).toBeGreaterThan(100 * 1024);
  });

  test('leave room for refusals of every endpoint and for what is on its way', () => {
    const status: OrganizationStatus = {
      privateEndpoints: long('a', 100).map((entry) => ({
        ...tupleOf(entry),
        origin: 'Added' as const,
        state: 'Removing' as const,
        lastError: { httpStatus: 400, requestId: 'r'.repeat(128), message: '🙂'.repeat(200) },
        nextAttemptTime: '2026-03-01T12:00:00Z',
      })),
      pendingChange: {
        time: '2026-03-01T12:00:00Z',
        add: [],
        remove: long('a', 100).map(tupleOf),
      },
      organization: {
        privateEndpoints: others.map((entry) => ({ ...tupleOf(entry), description: DEAR.repeat(64) })),
        privateEndpointsTotal: 200,
      },
    };
    const cut = fitted(status);
    expect(cut.privateEndpoints?.map(keyOf)).toEqual(status.privateEndpoints?.map(keyOf));
    expect(cut.pendingChange).toEqual(status.pendingChange);
    expect(bytes(cut)).toBeLessThan(MOST);
  });
});

test('a status of usual size is left alone', () => {
  const status: OrganizationStatus = {
    observedGeneration: 1,
    history: [],
    organization: { privateEndpoints: [], privateEndpointsTotal: 0 },
  };
  expect(fitted(status)).toBe(status);
});

test('the list that was cut says how many there are, so that nothing is decided from what is left of it', () => {
  const reported = long('a', 200).map((entry) => ({ ...entry, description: DEAR.repeat(64) }));
  const cut = fitted({ organization: { privateEndpoints: reported, privateEndpointsTotal: 200 } });
  expect(cut.organization?.privateEndpoints?.length).toBeLessThan(200);
  expect(cut.organization?.privateEndpointsTotal).toBe(200);
});
