import * as fc from 'fast-check';
import type { Tuple } from '../../src/kinds/organization/endpoints.ts';
import type { LedgerEntry, OrganizationSpec } from '../../src/kinds/organization/resource.ts';
import { type Behaviour, type Entry, PLAIN } from './organization-model-server.ts';

/** Few ids and places, so that they meet. */
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
const region = fc.oneof({ weight: 5, arbitrary: fc.constant('r1') }, fc.constant('r2'));

export const tuple: fc.Arbitrary<Tuple> = fc.record({ id, cloudProvider: fc.constant('gcp'), region });

export const endpoints = fc.uniqueArray(
  fc.record(
    {
      id,
      cloudProvider: fc.constant('gcp'),
      region,
      description: fc.constantFrom('', 'one', 'two'),
    },
    { requiredKeys: ['id', 'cloudProvider', 'region'] },
  ),
  { selector: (endpoint) => endpoint.id, maxLength: 7 },
);

/** What a user may declare, but for the ids that are the same everywhere. */
export const spec: fc.Arbitrary<Partial<OrganizationSpec>> = fc
  .record(
    {
      name: fc.constantFrom('Acme', 'Beta'),
      privateEndpoints: endpoints,
      adoptPrivateEndpoints: fc.boolean(),
      maxPrivateEndpointRemovals: fc.constantFrom(0, 1, 3, 100),
      deletionPolicy: fc.constantFrom('Retain' as const, 'RemovePrivateEndpoints' as const),
    },
    { requiredKeys: [] },
  )
  .map((value) =>
    value.name === undefined && value.privateEndpoints === undefined ? { ...value, privateEndpoints: [] } : value,
  );

export const othersEntries: fc.Arbitrary<readonly Entry[]> = fc
  .uniqueArray(tuple, { selector: ({ id: name }) => name, maxLength: 4 })
  .map((tuples) => tuples.map((one) => ({ ...one, description: '', by: 'others' as const })));

/** Every behaviour that in the end lets the declared state be reached and says what there is; what disturbs wears off. */
export const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  addExisting: fc.constantFrom<Behaviour['addExisting'][]>('no-op', 'upsert', 'duplicate', 400, 409),
  removeAbsent: fc.constantFrom<Behaviour['removeAbsent'][]>(200, 400, 404),
  match: fc.constantFrom<Behaviour['match'][]>('id', 'tuple'),
  order: fc.constantFrom<Behaviour['order'][]>('remove-first', 'add-first'),
  partial: fc.boolean(),
  ignoredAdds: fc.constantFrom(0, 0, 1, 2),
  list: fc.constantFrom<Behaviour['list'][]>('plain', 'plain', 'reordered', 'doubled'),
  listless: fc.record({
    how: fc.constantFrom<Behaviour['listless']['how'][]>('absent', 'null'),
    count: fc.constantFrom(0, 0, 1, 2),
  }),
  stale: fc.constantFrom(0, 0, 1, 2),
  name: fc.constant('kept' as const),
  emptyLists: fc.constant(200 as const),
  fate: fc.array(
    fc.constantFrom<Behaviour['fate'][number][]>(
      'answered',
      'answered',
      'lost-done',
      'lost-undone',
      'late',
      'not-sent',
    ),
    {
      maxLength: 6,
    },
  ),
  refused: fc.constant(PLAIN.refused),
  quota: fc.constant(PLAIN.quota),
});

/** Any ledger at all, also one that no history leads to. */
export const ledger: fc.Arbitrary<readonly LedgerEntry[]> = fc.uniqueArray(
  fc.record(
    {
      id,
      cloudProvider: fc.constant('gcp'),
      region,
      origin: fc.constantFrom<LedgerEntry['origin'][]>('Added', 'Adopted', 'Found'),
      state: fc.constantFrom<LedgerEntry['state'][]>('Present', 'Present', 'Unconfirmed', 'Refused', 'Removing'),
      lastError: fc.constant({ httpStatus: 400, message: 'no' }),
      nextAttemptTime: fc.constantFrom('2026-03-01T11:59:00Z', '2026-03-01T12:05:00Z'),
    },
    { requiredKeys: ['id', 'cloudProvider', 'region', 'origin', 'state'] },
  ),
  { selector: (entry) => `${entry.id} ${entry.region}`, maxLength: 8 },
);
