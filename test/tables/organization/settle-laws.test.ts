import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanupGoal, goalOf } from '../../../src/kinds/organization/decide.ts';
import { settle } from '../../../src/kinds/organization/settle.ts';
import { at, HOUR, MINUTE, SECOND, T0 } from '../kinds/objects.ts';
import type { Entry, Evidence, Goal, Reported, Settlement, Tuple } from './endpoints.ts';
import { inventoryOf, keyOf, listing, SETTLE_MS, specOf } from './endpoints.ts';

const isOurs = ({ origin }: Entry) => origin === 'Added' || origin === 'Adopted';
const isListedIn = ({ privateEndpoints = [] }: Goal, tuple: Tuple) =>
  keysOf(privateEndpoints).has(keyOf(tuple));
const managesEndpoints = ({ privateEndpoints, isCleanup }: Goal) =>
  privateEndpoints !== undefined || isCleanup;

const unique = <T extends Tuple>(of: fc.Arbitrary<T>) =>
  fc.uniqueArray(of, { maxLength: 4, selector: keyOf });
/** When the list is asked for: on both sides of every time of the table. */
const asked = fc
  .constantFrom(0, 30 * SECOND, MINUTE, SETTLE_MS, 15 * MINUTE)
  .chain((time) => fc.constantFrom(time - SECOND, time, time + SECOND));
const tuple = fc.record({
  id: fc.constantFrom('a', 'A', 'b', ' b', 'c'),
  cloudProvider: fc.constantFrom('gcp', 'GCP'),
  region: fc.constantFrom('r1', 'r2'),
});
const reported: fc.Arbitrary<Reported> = fc.oneof(
  tuple,
  tuple.map(({ id }) => ({ id })),
);
const owned = ['Added', 'Adopted', 'Found'].flatMap((origin) =>
  ['Present', 'Missing', 'Removing'].map((state) => `x ${origin} ${state}`),
);
const added = ['x Added Unconfirmed', 'x Added Unconfirmed late', 'x – Refused refused'];
const known = fc
  .tuple(fc.constantFrom(...[...owned, ...added].flatMap(inventoryOf)), tuple)
  .map(([entry, key]): Entry => ({ ...entry, ...key }));
const goal = fc
  .tuple(fc.option(unique(tuple)), fc.boolean(), fc.boolean())
  .map(([listed, adoptPrivateEndpoints, isCleanup]) => {
    const spec = { ...specOf('absent'), adoptPrivateEndpoints };
    const whole = listed ? { ...spec, privateEndpoints: listed } : spec;
    return isCleanup ? cleanupGoal(whole, []) : goalOf(whole);
  });
const sent = fc.record({ add: unique(tuple), remove: unique(tuple), answered: fc.boolean() });

const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    inventory: unique(known),
    list: fc.array(reported, { maxLength: 5 }).map(listing),
    goal,
    asked,
    later: fc.constantFrom(0, 5 * SECOND),
    sent: fc.option(sent),
  })
  .map(({ inventory, sent, asked, later, ...given }) => {
    // Nothing is added that is there, but a list since may have shown an add that was sent.
    const there = keysOf(inventory.filter((entry) => !mayHaveBeenSent(entry)));
    const add = sent?.add.filter((one) => !there.has(keyOf(one))) ?? [];
    const [again, ours] = [keysOf(add), keysOf(inventory)];
    const remove = sent?.remove.filter((one) => ours.has(keyOf(one)) && !again.has(keyOf(one)));
    const change = { time: at(0), add, remove: remove ?? [] };
    return {
      ...given,
      // What is sent again was given up before that.
      inventory: inventory.map((entry) =>
        again.has(keyOf(entry)) && entry.state === 'Unconfirmed'
          ? { ...entry, since: at(-HOUR), nextAttemptTime: at(0) }
          : entry,
      ),
      sent: sent ? { change, answered: sent.answered } : undefined,
      askedAt: T0 + asked,
      now: T0 + asked + later,
      settleMs: SETTLE_MS,
      uid: 'uid-1',
    };
  });

function mayHaveBeenSent({ origin, state }: Entry): boolean {
  const isSeen = state === 'Present' && origin === 'Added';
  return isSeen || state === 'Unconfirmed' || state === 'Refused';
}

/** How often a law was put to the test at all. */
const count = (seen: Map<string, number>, what: string) =>
  seen.set(what, (seen.get(what) ?? 0) + 1);

function always(law: (given: Evidence, after: Settlement) => void): void {
  fc.assert(
    fc.property(evidence, (given) => law(given, settle(given))),
    { numRuns: 2_000, seed: 43 },
  );
}

const keysOf = (tuples: readonly Tuple[] = []) => new Set(tuples.map(keyOf));

test('nothing becomes ours but by an add of ours or by adoption', () => {
  const seen = new Map<string, number>();
  always((given, after) => {
    const ours = keysOf(given.inventory.filter(isOurs));
    const sent = keysOf(given.sent?.change.add);
    for (const entry of after.inventory.filter(isOurs)) {
      const key = keyOf(entry);
      const isAdopted = given.goal.adoptPrivateEndpoints === true && isListedIn(given.goal, entry);
      const isNew = entry.origin === 'Adopted' ? isAdopted : sent.has(key);
      expect(ours.has(key) || isNew, key).toBe(true);
      count(seen, ours.has(key) ? 'before' : `${entry.origin} now`);
    }
  });
  expect(Math.min(...seen.values())).toBeGreaterThan(40);
  expect([...seen.keys()].toSorted()).toEqual(['Added now', 'Adopted now', 'before']);
});

test('what is ours leaves by a removal, an event, a second absence, or with adoption', () => {
  const seen = new Map<string, number>();
  always((given, after) => {
    const ours = keysOf(after.inventory.filter(isOurs));
    const removed = keysOf(after.removed);
    const events = keysOf(after.remarks.map((remark) => remark.tuple));
    for (const entry of given.inventory.filter(isOurs)) {
      const key = keyOf(entry);
      if (ours.has(key)) continue;
      const isTakenBack = entry.origin === 'Adopted' && !given.goal.adoptPrivateEndpoints;
      const wasSaid = entry.state === 'Unconfirmed' && entry.attempts === 1;
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
  const seen = new Map<string, number>();
  always((given, after) => {
    const sent = keysOf(given.sent?.change.remove);
    const removing = keysOf(given.inventory.filter(({ state }) => state === 'Removing'));
    for (const key of keysOf(after.removed)) expect(sent.has(key) || removing.has(key)).toBe(true);
    if (after.removed.length > 0) count(seen, 'removed');
    if (after.added.length > 0) count(seen, 'added');
    const added = keysOf(given.sent?.change.add);
    const open = keysOf(given.inventory.filter(({ state }) => state === 'Unconfirmed'));
    for (const key of keysOf(after.added)) expect(added.has(key) || open.has(key)).toBe(true);
  });
  expect(Math.min(...seen.values())).toBeGreaterThan(200);
  expect(seen.size).toBe(2);
});

test('the same list once more says nothing new, but what stays there', () => {
  const seen = new Map<string, number>();
  always((given, after) => {
    const { pendingChange } = after;
    const sent = pendingChange && { change: pendingChange, answered: false };
    const again = settle({ ...given, inventory: after.inventory, sent });
    const open = keysOf(pendingChange?.remove);
    const stays = (entry: Entry) =>
      open.has(keyOf(entry)) ||
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
  const seen = new Map<string, number>();
  always((given, { inventory }) => {
    expect(keysOf(inventory).size).toBe(inventory.length);
    for (const entry of inventory.filter(({ state }) => state === 'Present')) {
      expect(given.list.find(entry), entry.id).toBeDefined();
      count(seen, 'Present');
    }
  });
  expect(seen.get('Present')).toBeGreaterThan(1_000);
});

test('a change is open only as it was sent, unanswered, in time, with one that waits', () => {
  const seen = new Map<string, number>();
  always(({ sent, askedAt }, { pendingChange, inventory }) => {
    if (!pendingChange) return;
    count(seen, 'open');
    expect([pendingChange, sent?.answered]).toEqual([sent?.change, false]);
    expect(askedAt).toBeLessThan(Date.parse(pendingChange.time) + SETTLE_MS);
    expect(inventory.some(({ state }) => state === 'Unconfirmed' || state === 'Removing')).toBe(
      true,
    );
  });
  expect(seen.get('open')).toBeGreaterThan(100);
});
