import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cleanupGoal,
  goalOf,
  isListedIn,
  isOurs,
  managesEndpoints,
} from '../../../src/kinds/organization/decide.ts';
import { Listing, sameKey } from '../../../src/kinds/organization/endpoints.ts';
import { settle } from '../../../src/kinds/organization/settle.ts';
import { at, HOUR, MINUTE, SECOND, T0 } from '../kinds/stage.ts';
import { type Entry, type Reported, SETTLE_MS, specOf, type Tuple } from './endpoints.ts';
import type { Evidence, Settlement } from './settlement.ts';

const one = <T extends string>(...words: readonly T[]) => fc.constantFrom<T>(...words);
const unique = <T extends Tuple>(of: fc.Arbitrary<T>) =>
  fc.uniqueArray(of, { maxLength: 4, selector: sameKey });
/** Ms before T0, on both sides of every time of the table. */
const past = fc
  .constantFrom(0, 30 * SECOND, MINUTE, SETTLE_MS, 15 * MINUTE, 16 * MINUTE)
  .chain((time) => fc.constantFrom(time - SECOND, time, time + SECOND));

const tuple = fc.record({
  id: one('a', 'A', 'b', ' b', 'c'),
  cloudProvider: one('gcp', 'GCP'),
  region: one('r1', 'r2'),
});
const reported: fc.Arbitrary<Reported> = fc.oneof(
  tuple,
  tuple.map(({ id }) => ({ id })),
);
const known: fc.Arbitrary<Entry> = fc
  .record({
    tuple,
    age: past,
    origin: one('Added', 'Adopted', 'Found'),
    state: one('Present', 'Missing', 'Removing', 'Unconfirmed', 'Refused'),
    saidBefore: fc.boolean(),
  })
  .map(({ tuple: key, origin, state, age, saidBefore }): Entry => {
    const since = at(-age);
    switch (state) {
      case 'Present':
        return { ...key, origin, state };
      case 'Refused':
        return { ...key, state, lastError: { httpStatus: 400 }, attempts: 1 };
      case 'Unconfirmed': {
        const nextAttemptTime = at(saidBefore ? HOUR : SETTLE_MS - age);
        return { ...key, origin: 'Added', state, since, nextAttemptTime };
      }
      case 'Missing':
      case 'Removing':
        return { ...key, origin, state, since };
    }
  });

const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    inventory: unique(known),
    list: fc.array(reported, { maxLength: 5 }).map((entries) => new Listing(entries)),
    goal: fc
      .tuple(fc.option(unique(tuple)), fc.boolean(), fc.boolean())
      .map(([listed, adoptPrivateEndpoints, isCleanup]) => {
        const listedOrNot = listed ? { privateEndpoints: listed } : {};
        const spec = { ...specOf('absent'), adoptPrivateEndpoints, ...listedOrNot };
        return isCleanup ? cleanupGoal(spec, []) : goalOf(spec);
      }),
    sent: fc.option(
      fc.record({
        change: fc.tuple(past, unique(tuple), unique(tuple)).map(([age, add, all]) => {
          const added = keysOf(add);
          return { time: at(-age), add, remove: all.filter((tuple) => !added.has(sameKey(tuple))) };
        }),
        answered: fc.boolean(),
      }),
      { nil: undefined },
    ),
    later: fc.constantFrom(0, 5 * SECOND),
  })
  .map(({ later, ...given }) => {
    // Nothing is added that is there, but a list since may have shown an add that was sent.
    const there = keysOf(given.inventory.filter((entry) => !mayHaveBeenSent(entry)));
    const add = given.sent?.change.add.filter((one) => !there.has(sameKey(one))) ?? [];
    // What is sent again was given up before that.
    const again = keysOf(add);
    const inventory = given.inventory.map((entry) =>
      again.has(sameKey(entry)) && entry.state === 'Unconfirmed'
        ? { ...entry, since: at(-HOUR), nextAttemptTime: given.sent?.change.time ?? '' }
        : entry,
    );
    const known = keysOf(given.inventory);
    const remove = given.sent?.change.remove.filter((one) => known.has(sameKey(one))) ?? [];
    const sent = given.sent && { ...given.sent, change: { ...given.sent.change, add, remove } };
    return {
      ...given,
      inventory,
      sent,
      askedAt: T0,
      now: T0 + later,
      settleMs: SETTLE_MS,
      uid: 'uid-1',
    };
  });

function mayHaveBeenSent({ origin, state }: Entry): boolean {
  const isSeen = state === 'Present' && origin === 'Added';
  return isSeen || state === 'Unconfirmed' || state === 'Refused';
}

/** How often a law was put to the test at all. */
const counts = () => new Map<string, number>();
const count = (seen: Map<string, number>, what: string) =>
  seen.set(what, (seen.get(what) ?? 0) + 1);

function always(law: (given: Evidence, after: Settlement) => void): void {
  fc.assert(
    fc.property(evidence, (given) => law(given, settle(given))),
    { numRuns: 2_000, seed: 43 },
  );
}

const keysOf = (tuples: readonly Tuple[] = []) => new Set(tuples.map(sameKey));

test('nothing becomes ours but by an add of ours or by adoption', () => {
  const seen = counts();
  always((given, after) => {
    const ours = keysOf(given.inventory.filter(isOurs));
    const sent = keysOf(given.sent?.change.add);
    for (const entry of after.inventory.filter(isOurs)) {
      const key = sameKey(entry);
      const isAdopted = given.goal.adoptPrivateEndpoints === true && isListedIn(given.goal, entry);
      const isNew = entry.origin === 'Adopted' ? isAdopted : sent.has(key);
      expect(ours.has(key) || isNew, key).toBe(true);
      count(seen, ours.has(key) ? 'before' : `${entry.origin} now`);
    }
  });
  expect(Math.min(...seen.values())).toBeGreaterThan(40);
  expect([...seen.keys()].toSorted()).toEqual(['Added now', 'Adopted now', 'before']);
});

test('what is ours leaves by a removal of ours, an event, a second absence, or with adoption', () => {
  const seen = counts();
  always((given, after) => {
    const ours = keysOf(after.inventory.filter(isOurs));
    const removed = keysOf(after.removed);
    const events = keysOf(after.remarks.map((remark) => remark.tuple));
    for (const entry of given.inventory.filter(isOurs)) {
      const key = sameKey(entry);
      if (ours.has(key)) continue;
      const isTakenBack = entry.origin === 'Adopted' && !given.goal.adoptPrivateEndpoints;
      const wasSaid = entry.nextAttemptTime === at(HOUR);
      const why = [removed.has(key) && 'removed', events.has(key) && 'event'];
      const reason = [...why, isTakenBack && 'adoption', wasSaid && 'said before'].find(Boolean);
      expect(reason, JSON.stringify(entry)).toBeTypeOf('string');
      count(seen, String(reason));
    }
  });
  expect(Math.min(...seen.values())).toBeGreaterThan(12);
  expect(seen.size).toBe(4);
});

test('nothing counts as removed that was not sent to be removed', () => {
  always((given, after) => {
    const sent = keysOf(given.sent?.change.remove);
    const removing = keysOf(given.inventory.filter(({ state }) => state === 'Removing'));
    for (const key of keysOf(after.removed)) expect(sent.has(key) || removing.has(key)).toBe(true);
    const added = keysOf(given.sent?.change.add);
    const open = keysOf(given.inventory.filter(({ state }) => state === 'Unconfirmed'));
    for (const key of keysOf(after.added)) expect(added.has(key) || open.has(key)).toBe(true);
  });
});

test('the same list once more says nothing new, but that what is found now and not listed stays there', () => {
  const seen = counts();
  always((given, after) => {
    const { pendingChange } = after;
    const sent = pendingChange && { change: pendingChange, answered: false };
    const again = settle({ ...given, inventory: after.inventory, sent });
    const open = keysOf(pendingChange?.remove);
    const stays = (entry: Entry) =>
      open.has(sameKey(entry)) ||
      entry.origin !== 'Found' ||
      !managesEndpoints(given.goal) ||
      isListedIn(given.goal, entry);
    expect(again).toMatchObject({ pendingChange, added: [], removed: [] });
    expect(again.inventory).toEqual(after.inventory.filter(stays));
    expect(again.remarks.every(({ remark }) => remark === 'left')).toBe(true);
    count(seen, pendingChange ? 'open' : 'settled');
  });
  expect(Math.min(...seen.values())).toBeGreaterThan(120);
});

test('no endpoint is in the inventory twice, and what is Present is in the list', () => {
  always((given, { inventory }) => {
    expect(keysOf(inventory).size).toBe(inventory.length);
    for (const entry of inventory.filter(({ state }) => state === 'Present'))
      expect(given.list.find(entry), entry.id).toBeDefined();
  });
});

test('a change is open only as it was sent, without an answer, before its time, with an endpoint that waits', () => {
  always(({ sent, askedAt }, { pendingChange, inventory }) => {
    if (!pendingChange) return;
    expect([pendingChange, sent?.answered]).toEqual([sent?.change, false]);
    expect(askedAt).toBeLessThan(Date.parse(pendingChange.time) + SETTLE_MS);
    expect(inventory.some(({ state }) => state === 'Unconfirmed' || state === 'Removing')).toBe(
      true,
    );
  });
});
