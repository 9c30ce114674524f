import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, type Question } from '../../src/kinds/organization/attempt/next-step.ts';
import {
  type Listing,
  plain,
  sameKey,
  type Tuple,
  tupleKey,
} from '../../src/kinds/organization/endpoints/endpoints.ts';
import { cleanupGoal, isOurs } from '../../src/kinds/organization/goal.ts';
import { type Evidence, settle } from '../../src/kinds/organization/ledger/ledger.ts';
import type { LedgerEntry } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import {
  at,
  e,
  entry,
  goal,
  listing,
  refusedEntry,
  specOf,
} from '../support/organization-entries.ts';

const HOUR = 3_600_000;

function decided(question: Partial<Question> = {}) {
  return decide({
    goal: goal(['a']),
    ledger: [],
    list: listing(),
    name: undefined,
    unconfirmedChanges: new Map(),
    differences: undefined,
    now: T0,
    ...question,
  });
}

const ids = (tuples: readonly Tuple[]): string[] => tuples.map(({ id }) => id);
const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the name', () => {
  const named = goal(undefined, { name: 'Acme' });
  test.each([
    ['another one is there', 'Other', 'Acme'],
    ['none is shown', undefined, 'Acme'],
    ['it is there', 'Acme', undefined],
    ['one that only looks like it is there', 'Acme ', 'Acme'],
  ])('where %s', (_, name, to) => {
    expect(decided({ goal: named, name }).name).toBe(to);
  });

  test('is left alone where it is not declared, and on deletion', () => {
    expect(decided({ name: 'Other' })).not.toHaveProperty('name');
    expect(
      decided({ goal: cleanupGoal(specOf(['a'], { name: 'Acme' }), []), name: 'Other' }),
    ).not.toHaveProperty('name');
  });
});

describe('additions and removals', () => {
  test('are the difference between what is listed and what is there', () => {
    const ledger = ['kept', 'dropped'].map((id) => entry(id));
    const { add, remove } = decided({
      goal: goal(['kept', 'new']),
      ledger,
      list: listing('kept', 'dropped', 'theirs'),
    });
    expect([ids(add), ids(remove)]).toEqual([['new'], ['dropped']]);
  });

  test('are none where the list is not managed', () => {
    const nameOnly = goal(undefined, { name: 'Acme' });
    expect(decided({ goal: nameOnly, ledger: [entry('a')], list: listing('a') })).toMatchObject({
      add: [],
      remove: [],
    });
  });

  test.each([
    ['Found', { origin: 'Found' }],
    ['Missing', { state: 'Missing' }],
    ['Removing', { state: 'Removing' }],
    ['Unconfirmed', { state: 'Unconfirmed' }],
  ] as const)('take away nothing that is %s, and add nothing in its place', (_, more) => {
    const ledger = [entry('a', more)];
    expect(decided({ goal: goal([]), ledger, list: listing('a') })).toMatchObject({
      add: [],
      remove: [],
      retries: [],
    });
    expect(decided({ ledger })).toMatchObject({ add: [], remove: [], retries: [] });
  });

  test('never have one id in both: ours with another region goes first, and the next list lets the other in', () => {
    const moved = { id: 'a', cloudProvider: 'gcp', region: 'r2' };
    const wanted = goal([], { privateEndpoints: [moved] });
    const first = decided({ goal: wanted, ledger: [entry('a')], list: listing('a') });
    expect(first).toMatchObject({ add: [], remove: [{ id: 'a', region: 'r1' }] });
    expect(decided({ goal: wanted })).toMatchObject({ add: [moved], remove: [] });
  });

  test('three times in vain is enough', () => {
    const unconfirmed = (times: number) => ({
      unconfirmedChanges: new Map([[sameKey(e('a')), times]]),
    });
    expect(ids(decided(unconfirmed(2)).add)).toEqual(['a']);
    expect(decided(unconfirmed(3))).toMatchObject({ add: [], exhausted: [e('a')] });
    const going = { goal: goal([]), ledger: [entry('a')], list: listing('a') };
    expect(ids(decided({ ...going, ...unconfirmed(2) }).remove)).toEqual(['a']);
    expect(decided({ ...going, ...unconfirmed(3) })).toMatchObject({
      remove: [],
      exhausted: [{ id: 'a' }],
    });
  });

  test('leave an endpoint alone that the API keeps with other fields than were declared', () => {
    const kept = {
      ledger: [entry('a', { region: 'r2' })],
      list: listing(e('a', { region: 'r2' })),
    };
    const told = { field: 'privateEndpoints[a].region', declared: 'r1', reported: 'r2' };
    expect(decided({ ...kept, differences: [told] })).toMatchObject({
      add: [],
      remove: [],
      conflicts: [],
    });
    expect(ids(decided(kept).remove), 'where it is not known to').toEqual(['a']);
  });
});

describe('an id that stands in the list with other fields, and not as ours', () => {
  const theirs = e('A', { region: 'r2' });

  test('is a conflict, and is not added', () => {
    expect(decided({ list: listing(theirs) })).toMatchObject({ add: [], conflicts: [e('a')] });
  });

  test('keeps ours of that id from being removed: an API that goes by ids alone would touch the other', () => {
    const going = { goal: goal([]), ledger: [entry('a')], list: listing('a', theirs) };
    expect(decided(going)).toMatchObject({ remove: [], conflicts: [{ id: 'a', region: 'r1' }] });
  });

  test('is one for what was refused before, too: that is not tried again beside it', () => {
    const refused = decided({ ledger: [refusedEntry('a')], list: listing(theirs) });
    expect(refused).toMatchObject({ add: [], retries: [], conflicts: [e('a')] });
  });

  test('is no conflict where it is the same endpoint in another case, which was found', () => {
    const ledger = [entry('A', { origin: 'Found' })];
    expect(decided({ ledger, list: listing(e('A')) })).toMatchObject({ add: [], conflicts: [] });
  });
});

describe('more removals than the cap allows', () => {
  const going = (count: number, more: Partial<LedgerEntry> = {}) => {
    const ledger = many('x', count).map((id) => entry(id, more));
    return { ledger, list: listing(...ids(ledger)) };
  };

  test.each([
    [undefined, 5],
    [0, 0],
    [7, 7],
  ])('with a cap of %s', (cap, most) => {
    const wanted = goal(['new'], cap === undefined ? {} : { maxPrivateEndpointRemovals: cap });
    expect(decided({ goal: wanted, ...going(most) }).blocked).toBeUndefined();
    expect(decided({ goal: wanted, ...going(most + 1) }).blocked).toHaveLength(most + 1);
  });

  test('count those that were refused, in vain or missing too: that may be a glitch', () => {
    expect(decided({ goal: goal([]), ...going(6, { state: 'Missing' }) }).blocked).toHaveLength(6);
    const refusal = { lastError: { httpStatus: 400 }, nextAttemptTime: at(HOUR) };
    const both = [...going(3).ledger, ...many('y', 3).map((id) => entry(id, refusal))];
    expect(
      decided({ goal: goal([]), ledger: both, list: listing(...ids(both)) }).blocked,
    ).toHaveLength(6);
    const { ledger } = going(6);
    const unconfirmedChanges = new Map(ledger.map((one) => [sameKey(one), 3]));
    expect(decided({ goal: goal([]), ...going(6), unconfirmedChanges }).blocked).toHaveLength(6);
  });

  test('do not count what is found, and nothing on deletion', () => {
    expect(decided({ goal: goal([]), ...going(6, { origin: 'Found' }) }).blocked).toBeUndefined();
    const { blocked, remove } = decided({ goal: cleanupGoal(specOf(['new']), []), ...going(9) });
    expect([blocked, remove.length]).toEqual([undefined, 9]);
  });
});

describe('what was refused', () => {
  test.each([
    ['is due', at(0), true],
    ['has no time', undefined, true],
    ['is not due', at(1_000), false],
    ['is not due for the longest wait', at(7.2 * HOUR), false],
    ['has a time from before the clock was put back', at(8 * HOUR), true],
  ])('and %s', (_, time, goes) => {
    const adding = decided({ ledger: [refusedEntry('a', time)] });
    expect(adding).toMatchObject({ add: [], retries: goes ? [{ add: [e('a')], remove: [] }] : [] });
    const failed = {
      lastError: { httpStatus: 400 },
      ...(time !== undefined && { nextAttemptTime: time }),
    };
    const going = [entry('a', failed)];
    const removing = decided({ goal: goal([]), ledger: going, list: listing('a') });
    expect(removing).toMatchObject({
      remove: [],
      retries: goes ? [{ add: [], remove: going }] : [],
    });
  });

  test('goes by itself, apart from the rest', () => {
    const ledger = [refusedEntry('a'), refusedEntry('b')];
    const { add, retries } = decided({ goal: goal(['a', 'b', 'c']), ledger });
    expect(ids(add)).toEqual(['c']);
    expect(retries.map((change) => ids(change.add))).toEqual([['a'], ['b']]);
  });
});

test('on deletion all of ours goes but what others list, and nothing is added', () => {
  const ledger = [
    entry('a'),
    entry('b', { origin: 'Adopted' }),
    entry('c', { origin: 'Found' }),
    entry('d'),
  ];
  const wanted = cleanupGoal(specOf(['a', 'new']), [e('D')]);
  expect(ids(decided({ goal: wanted, ledger, list: listing('a', 'b', 'c', 'd') }).remove)).toEqual([
    'a',
    'b',
  ]);
  expect(decided({ goal: wanted }).add).toEqual([]);
});

describe('for any ledger, list and goal', () => {
  const word = (...words: readonly string[]) => fc.constantFrom(...words);
  const tuple = fc.record({
    id: word('a', 'A', 'b', 'c', 'd'),
    cloudProvider: word('gcp'),
    region: word('r1', 'r2'),
  });
  const many = <T extends Tuple>(one: fc.Arbitrary<T>, key: (value: T) => string) =>
    fc.uniqueArray(one, { maxLength: 5, selector: key });
  const known = fc
    .tuple(tuple, word('Added', 'Adopted', 'Found'), word('Present', 'Missing', 'Removing'))
    .map(
      ([key, origin, state]): LedgerEntry => ({
        ...key,
        origin: origin as NonNullable<LedgerEntry['origin']>,
        state: state as LedgerEntry['state'],
      }),
    );
  const evidence = fc.record({
    ledger: many(known, tupleKey),
    list: fc.array(tuple, { maxLength: 5 }).map((entries) => listing(...entries)),
    goal: fc
      .tuple(
        many(tuple, ({ id }) => plain(id)),
        fc.boolean(),
        fc.option(many(tuple, tupleKey)),
      )
      .map(([privateEndpoints, adoptPrivateEndpoints, listedByOthers]) => {
        const spec = specOf([], {
          privateEndpoints,
          adoptPrivateEndpoints,
          maxPrivateEndpointRemovals: 100,
        });
        return listedByOthers ? cleanupGoal(spec, listedByOthers) : goal([], { ...spec });
      }),
  });

  test('only what the list lacks is added, only what is ours and there is removed, and no id is in both', () => {
    const seen = { added: 0, removed: 0, conflicts: 0 };
    const isThere = (list: Listing, id: string) => list.withId(id).length > 0;
    fc.assert(
      fc.property(evidence, ({ goal: wanted, list, ledger: stored }) => {
        const settling: Evidence = {
          ledger: stored,
          list,
          goal: wanted,
          now: T0,
          settlesAt: T0,
          entrySettlesAt: () => T0,
          missedAt: () => undefined,
          atWorkMs: 95_000,
        };
        const { ledger } = settle(settling);
        const { add, remove, conflicts } = decided({ goal: wanted, list, ledger });
        for (const one of add) {
          expect(isThere(list, one.id)).toBe(false);
          expect(wanted.isCleanup).toBe(false);
        }
        for (const one of remove) {
          expect(isOurs(one)).toBe(true);
          expect(list.has(one)).toBe(true);
          const strangers = list
            .withId(one.id)
            .filter(
              (other) =>
                !ledger.some(
                  (own) => isOurs(own) && own.id === other.id && own.region === other.region,
                ),
            );
          expect(strangers).toEqual([]);
          expect(add.some(({ id }) => plain(id) === plain(one.id))).toBe(false);
        }
        seen.added += add.length;
        seen.removed += remove.length;
        seen.conflicts += conflicts.length;
      }),
      { numRuns: 4_000, seed: 12 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(300);
  });
});
