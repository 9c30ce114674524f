import { expect, test } from 'vitest';
import { previewOf } from '../../src/kinds/organization/preview.ts';
import type { InventoryEntry } from '../../src/kinds/organization/resource.ts';
import { API_HASH, HOUR } from '../support/objects.ts';
import { attemptOn } from '../support/organization-attempt.ts';
import { appliedStatus, at, e, entry } from '../support/organization-entries.ts';

/** What an object had at another `--api-url`. */
const inventory: InventoryEntry[] = [
  entry('a'),
  entry('b', { origin: 'Adopted' }),
  entry('c', { origin: 'Found' }),
  { ...e('d'), state: 'Refused', lastError: { httpStatus: 400 }, nextAttemptTime: at(HOUR) },
];
const status = appliedStatus(inventory, {
  verified: { time: at(-HOUR), apiHash: 'sha256:elsewhere' },
  organization: { name: 'Elsewhere' },
  pendingChange: { time: at(0), add: [e('x')], remove: [] },
});

test('what was ours at another API is not ours here: it is Found, never removed, and an event names it', async () => {
  const rig = attemptOn({ ids: ['a'], held: ['a', 'b', 'x'], status });
  const { result } = await rig.run();
  expect(rig.requests).toEqual(['observe']);
  expect(rig.object.status?.privateEndpoints).toMatchObject([{ id: 'a', origin: 'Found' }]);
  const lost = result.events?.find(({ reason }) => reason === 'OwnershipLost');
  expect(lost?.note).toMatch(
    /: a \(gcp\/r1\), b \(gcp\/r1\), x \(gcp\/r1\)\. They stay at the API/,
  );
});

test('what another API said of name and change counts no more', async () => {
  const rig = attemptOn({ ids: ['d'], spec: { name: 'Here' }, name: 'Here', status });
  await rig.run();
  expect(rig.requests, 'the refusal was of the other one').toEqual(['observe', '+d']);
  expect(rig.object.status?.drift).toBeUndefined();
});

test('with adoption what is listed and there is ours here too', async () => {
  const spec = { adoptPrivateEndpoints: true };
  const rig = attemptOn({ ids: ['a'], held: ['a', 'b'], status, spec });
  await rig.run();
  expect(rig.object.status?.privateEndpoints).toMatchObject([{ id: 'a', origin: 'Adopted' }]);
});

test.each([503, 401, 'not-sent', 'lost'] as const)(
  'an address that answers %s makes nobody lose what is theirs',
  async (mishap) => {
    const rig = attemptOn({ ids: ['a'], status, mishaps: { observe: [mishap] } });
    const { result } = await rig.run();
    const { privateEndpoints, pendingChange, verified } = rig.object.status ?? {};
    expect({ privateEndpoints, pendingChange, verified }).toEqual({
      privateEndpoints: inventory,
      pendingChange: status.pendingChange,
      verified: status.verified,
    });
    expect(result.events?.map(({ reason }) => reason)).not.toContain('OwnershipLost');
  },
);

test('a plan for this API knows nothing of what another one showed', () => {
  const organization = { name: 'Elsewhere', privateEndpoints: [e('a')], privateEndpointsTotal: 1 };
  const known = { ...status, organization, pendingChange: undefined };
  const { object, goal } = attemptOn({ ids: ['a'], spec: { name: 'Elsewhere' }, status: known });
  expect(previewOf(object, goal, 0, 'sha256:elsewhere').basis).toBe('LastResponse');
  expect(previewOf(object, goal, 0, API_HASH)).toMatchObject({ basis: 'Unknown', isEmpty: false });
});
