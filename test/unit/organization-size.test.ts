import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../src/kinds/organization/limits.ts';
import { fitted } from '../../src/kinds/organization/readiness/size.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { at } from '../support/organization-entries.ts';

const KIB = 1_024;
/** Six bytes in JSON. */
const DEAR = '\u0001';
const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const long = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${prefix}${index}`.padEnd(LIMITS.id, 'x'),
    cloudProvider: 'p'.repeat(LIMITS.cloudProvider),
    region: 'r'.repeat(LIMITS.region),
  }));

type Ledger = NonNullable<OrganizationStatus['privateEndpoints']>;

/** What else a status has, at its largest. */
const rest: OrganizationStatus = {
  organization: {
    name: DEAR.repeat(LIMITS.name),
    privateEndpoints: long('other', 200).map((tuple) => ({
      ...tuple,
      description: DEAR.repeat(LIMITS.reportedDescription),
    })),
    privateEndpointsTotal: 10_000,
  },
  history: Array.from({ length: 10 }, () => ({
    time: at(0),
    generation: 1,
    requestId: 'r'.repeat(128),
    changes: Array.from({ length: LIMITS.historyChanges }, () => ({
      field: 'f'.repeat(LIMITS.field),
      to: DEAR.repeat(LIMITS.historyValue),
    })),
  })),
};
const [olds, news] = [long('old', 100), long('new', 100)];
const told = { description: DEAR.repeat(LIMITS.ledgerDescription), nextAttemptTime: at(0) };
const lastError = {
  httpStatus: 400,
  requestId: 'r'.repeat(128),
  message: DEAR.repeat(LIMITS.ledgerMessage),
};

/** A hundred of ours are replaced by a hundred others. */
const LARGEST: readonly {
  readonly what: string;
  readonly most: number;
  readonly status: OrganizationStatus;
}[] = [
  {
    // Both ledger and intent have all of the longest ids, uncut.
    most: 320 * KIB,
    what: 'no answer came, and a look shows the old ones still there and the new ones not yet',
    status: {
      ...rest,
      pendingChange: { time: at(0), add: news, remove: olds },
      privateEndpoints: [
        ...olds.map((tuple): Ledger[number] => ({
          ...tuple,
          ...told,
          origin: 'Added',
          state: 'Removing',
        })),
        ...news.map((tuple): Ledger[number] => ({
          ...tuple,
          ...told,
          origin: 'Added',
          state: 'Unconfirmed',
        })),
      ],
    },
  },
  {
    most: 256 * KIB,
    what: 'every one was refused, and the first is tried again',
    status: {
      ...rest,
      pendingChange: { time: at(0), add: news.slice(0, 1), remove: [] },
      privateEndpoints: [
        ...olds.map((tuple): Ledger[number] => ({
          ...tuple,
          ...told,
          origin: 'Added',
          state: 'Present',
          lastError,
        })),
        ...news.map((tuple): Ledger[number] => ({
          ...tuple,
          nextAttemptTime: at(0),
          state: 'Refused',
          lastError,
        })),
      ],
    },
  },
];

describe.each(LARGEST)('the largest status where $what', ({ status: full, most }) => {
  const cut = fitted(full);

  test('stays so small that the API server takes it', () => {
    expect(bytes(full)).toBeGreaterThan(most);
    expect(bytes(cut)).toBeLessThan(most);
  });

  test('keeps every entry of ours and the whole intent: without them the operator could not go on', () => {
    const facts = (status: OrganizationStatus) =>
      status.privateEndpoints?.map(({ id, origin, state, lastError: error }) => [
        id,
        origin,
        state,
        error?.httpStatus,
      ]);
    expect(facts(cut)).toEqual(facts(full));
    expect(cut.pendingChange).toEqual(full.pendingChange);
    expect(cut.organization?.privateEndpointsTotal).toBe(10_000);
  });
});

test('what only repeats replies is cut before found entries are', () => {
  const found = olds.map((tuple): Ledger[number] => ({
    ...tuple,
    ...told,
    origin: 'Found',
    state: 'Present',
  }));
  const cut = fitted({ ...rest, privateEndpoints: found });
  expect(cut.organization?.privateEndpoints?.length).toBeLessThan(200);
  expect(cut.privateEndpoints).toHaveLength(100);
  expect(bytes(cut)).toBeLessThan(256 * KIB);
});

test('a status of usual size is left alone', () => {
  const status: OrganizationStatus = {
    observedGeneration: 1,
    history: [],
    organization: { privateEndpoints: [] },
  };
  expect(fitted(status)).toBe(status);
});
