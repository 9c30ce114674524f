import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeFor, isBlocked } from '../../src/kinds/organization/change.ts';
import { type Reported, readList, standsFor } from '../../src/kinds/organization/endpoints.ts';
import { cleanupGoal, type Goal } from '../../src/kinds/organization/goal.ts';
import { openUntil, type Sent, settle, withoutRefusals } from '../../src/kinds/organization/ledger.ts';
import type { LedgerEntry } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { endpoints, ledger, tuple } from '../support/organization-model-arbitraries.ts';
import { holds, keyOf } from '../support/organization-model-laws.ts';

const LATER = '2026-03-01T12:00:40Z';
const e = (id: string, region = 'r1') => ({ id, cloudProvider: 'gcp', region });
const goal = (ids: readonly string[] | undefined, more: Partial<Goal> = {}): Goal => ({
  ...(ids && { endpoints: ids.map((id) => e(id)) }),
  adopt: false,
  mostRemovals: 5,
  ...more,
});
const entry = (id: string, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  ...e(id),
  origin: 'Added',
  state: 'Present',
  ...more,
});
const sent = (add: readonly string[], remove: readonly string[], more: Partial<Sent> = {}): Sent => ({
  pending: { time: '2026-03-01T12:00:00Z', add: add.map((id) => e(id)), remove: remove.map((id) => e(id)) },
  how: 'answered',
  blind: false,
  until: LATER,
  ...more,
});
const shortly = (entries: readonly LedgerEntry[]) => entries.map(({ id, origin, state }) => `${id} ${origin} ${state}`);
const settled = (evidence: {
  list: readonly string[];
  ledger?: readonly LedgerEntry[];
  goal: Goal;
  sent?: Sent;
  askedAt?: number;
}) => settle({ askedAt: T0, ledger: [], ...evidence, list: evidence.list.map((id) => e(id)) });

const reported: fc.Arbitrary<readonly Reported[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: tuple },
    tuple.map(({ id }) => ({ id })),
    tuple.map((one) => ({ ...one, description: 'x' })),
  ),
  { maxLength: 9 },
);
const anyGoal: fc.Arbitrary<Goal> = fc.oneof(
  fc
    .record({ endpoints: fc.option(endpoints, { nil: undefined }), adopt: fc.boolean(), mostRemovals: fc.nat(6) })
    .map(({ endpoints: listed, ...more }): Goal => ({ ...more, ...(listed && { endpoints: listed }) })),
  endpoints.map(cleanupGoal),
);

describe('a change, for any ledger, list and policy', () => {
  test('removes nothing that was found, adds nothing that nobody declared, and has no id in both lists', () => {
    const seen = { added: 0, removed: 0, conflicts: 0, undecided: 0 };
    fc.assert(
      fc.property(anyGoal, ledger, reported, fc.boolean(), (wanted, entries, list, complete) => {
        const change = changeFor(wanted, entries, { entries: list, complete });
        const origins = new Map(entries.map((one) => [keyOf(one), one]));
        const declared = new Set((wanted.endpoints ?? []).map(keyOf));
        for (const one of change.remove) {
          const { origin, state } = origins.get(keyOf(one)) ?? {};
          expect(wanted.adopt ? ['Added', 'Adopted'] : ['Added']).toContain(origin);
          expect(state).toBe('Present');
          expect(declared.has(keyOf(one))).toBe(false);
          // A server that matches by id alone must not take away an endpoint of others.
          const strangers = list.filter((other) => other.id === one.id && !standsFor(other, one));
          for (const stranger of strangers) {
            const mine = entries.some((own) => (own.origin === 'Added' || wanted.adopt) && standsFor(stranger, own));
            expect(mine).toBe(true);
          }
        }
        for (const one of change.add) {
          expect(declared.has(keyOf(one))).toBe(true);
          expect(list.some((other) => other.id === one.id)).toBe(false);
          expect(origins.has(keyOf(one))).toBe(false);
        }
        const both = change.add.filter((one) => change.remove.some(({ id }) => id === one.id));
        expect(both).toEqual([]);
        const { add, remove, conflicts } = change;
        holds(!wanted.only || add.length === 0, 'nothing is added on deletion', change);
        holds(complete || add.length + remove.length === 0, 'half a list decides nothing', change);
        holds(
          wanted.endpoints !== undefined || add.length + remove.length + conflicts.length === 0,
          'not managed',
          change,
        );
        expect(isBlocked(wanted, change)).toBe(change.remove.length > wanted.mostRemovals);
        if (change.add.length > 0) seen.added += 1;
        if (change.remove.length > 0) seen.removed += 1;
        if (change.conflicts.length > 0) seen.conflicts += 1;
        if (change.undecided) seen.undecided += 1;
      }),
      { numRuns: 4000, seed: 20 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(100);
  });

  test('is empty where the list has it all, in any order and any number', () => {
    const list = [e('b'), e('a'), e('b'), { id: 'a' }];
    expect(changeFor(goal(['a', 'b']), [], { entries: list, complete: true })).toMatchObject({ add: [], remove: [] });
  });
});

describe('what a list proves', () => {
  test('presence proves an add at once, and absence a removal', () => {
    const after = settled({ list: ['a'], ledger: [entry('b')], goal: goal(['a']), sent: sent(['a'], ['b']) });
    expect(shortly(after.ledger)).toEqual(['a Added Present']);
    expect(after).toMatchObject({ added: [e('a')], removed: [e('b')], vanished: [] });
  });

  test('the contrary counts only in a list asked for after its time', () => {
    const open = { list: ['b'], ledger: [entry('b')], goal: goal(['a']) };
    for (const how of ['answered', 'unknown'] as const) {
      const early = settled({ ...open, sent: sent(['a'], ['b'], { how }), askedAt: Date.parse(LATER) - 1 });
      expect(shortly(early.ledger)).toEqual(['a Added Unconfirmed', 'b Added Removing']);
      expect(early.ledger.map(({ nextAttemptTime }) => nextAttemptTime)).toEqual([LATER, LATER]);
    }
    const late = settled({ ...open, sent: sent(['a'], ['b'], { how: 'unknown' }), askedAt: Date.parse(LATER) });
    expect(shortly(late.ledger)).toEqual(['b Added Present']);
    const refused = settled({ ...open, sent: sent(['a'], ['b'], { how: 'refused' }) });
    expect(shortly(refused.ledger)).toEqual(['b Added Present']);
    expect([...late.vanished, ...refused.vanished]).toEqual([]);
  });

  test('an entry that is open keeps its time, and is given up after it', () => {
    const waiting = [
      entry('a', { state: 'Unconfirmed', nextAttemptTime: LATER }),
      entry('b', { state: 'Removing', nextAttemptTime: LATER }),
    ];
    const evidence = { list: ['b'], ledger: waiting, goal: goal(['a']) };
    expect(settled(evidence).ledger).toEqual(waiting);
    expect(shortly(settled({ ...evidence, askedAt: Date.parse(LATER) }).ledger)).toEqual(['b Added Present']);
  });

  test.each<[string, Partial<Sent>, readonly string[], string]>([
    ['one add answered with 4xx and then present was there before', { how: 'refused' }, ['a'], 'Found'],
    ['one of two adds answered with 4xx and then present is ours', { how: 'refused' }, ['a', 'b'], 'Added'],
    ['an add sent before any list was known may have been there', { blind: true }, ['a'], 'Found'],
    ['an add that was lost and is present is ours', { how: 'unknown' }, ['a'], 'Added'],
  ])('%s', (_, how, add, origin) => {
    const after = settled({ list: ['a'], goal: goal(['a', 'b']), sent: sent(add, [], how) });
    expect(after.ledger[0]).toMatchObject({ id: 'a', origin, state: 'Present' });
  });

  test('what was there before is found, adopted where the spec says so, and found again when that is taken back', () => {
    const found = settled({ list: ['a', 'x'], goal: goal(['a']) }).ledger;
    expect(shortly(found)).toEqual(['a Found Present']);
    const adopted = settled({ list: ['a'], ledger: found, goal: goal(['a'], { adopt: true }) }).ledger;
    expect(shortly(adopted)).toEqual(['a Adopted Present']);
    const back = settled({ list: ['a'], ledger: adopted, goal: goal(['a']) }).ledger;
    expect(shortly(back)).toEqual(['a Found Present']);
    expect(settled({ list: ['a'], ledger: found, goal: goal([]) }).ledger).toEqual([]);
    expect(shortly(settled({ list: ['a'], ledger: [entry('a')], goal: goal(['a'], { adopt: true }) }).ledger)).toEqual([
      'a Added Present',
    ]);
  });

  test('what is ours and gone without us is drift; what was found is not', () => {
    const entries = [entry('a'), entry('b', { origin: 'Adopted' }), entry('c', { origin: 'Found' })];
    const after = settled({ list: [], ledger: entries, goal: goal(['a', 'b', 'c'], { adopt: true }) });
    expect(after.vanished).toEqual([e('a'), e('b')]);
    expect(after.ledger).toEqual([]);
  });

  test('an absent list in spec keeps what is ours', () => {
    expect(
      shortly(settled({ list: ['a'], ledger: [entry('a')], goal: goal(undefined, { name: 'Acme' }) }).ledger),
    ).toEqual(['a Added Present']);
  });

  test('never makes ours what was found, whatever the evidence', () => {
    fc.assert(
      fc.property(
        anyGoal,
        ledger,
        reported,
        fc.array(tuple, { maxLength: 3 }),
        fc.constantFrom('answered', 'refused', 'unknown'),
        (wanted, entries, list, add, how) => {
          const intent = sent([], [], { how });
          const after = settle({
            ledger: entries,
            list,
            goal: wanted,
            askedAt: T0,
            sent: { ...intent, pending: { ...intent.pending, add } },
          });
          const asked = new Set(add.map(keyOf));
          const before = new Map(entries.map((one) => [keyOf(one), one]));
          for (const one of after.ledger) {
            const was = before.get(keyOf(one));
            const isOurs = was?.origin === 'Added' || asked.has(keyOf(one));
            holds(one.origin !== 'Added' || isOurs, 'ours only by an add of ours', { was, one });
            const isListed = list.some((other) => standsFor(other, one));
            holds(one.origin !== 'Adopted' || !isListed || wanted.adopt, 'adopted only where the spec says so', {
              was,
              one,
            });
            const wasFound = was && was.origin !== 'Added' && was.state === 'Present' && one.state === 'Present';
            holds(!wasFound || one.origin !== 'Added', 'found stays found', { was, one });
          }
        },
      ),
      { numRuns: 3000, seed: 21 },
    );
  });
});

describe('refusals', () => {
  const refused = (id: string, nextAttemptTime: string) =>
    entry(id, { origin: 'Found', state: 'Refused', lastError: { httpStatus: 400 }, nextAttemptTime });

  test('stand until their time, the user’s word or another spec', () => {
    const entries = [refused('a', '2026-03-01T12:00:00Z'), refused('b', LATER)];
    expect(withoutRefusals(entries, { now: T0, all: false }).map(({ id }) => id)).toEqual(['b']);
    expect(withoutRefusals(entries, { now: T0, all: true })).toEqual([]);
  });

  test('of a removal leave the endpoint ours when they end', () => {
    const entries = [entry('a', { state: 'Removing', lastError: { httpStatus: 400 }, nextAttemptTime: LATER })];
    expect(withoutRefusals(entries, { now: T0, all: false })).toEqual(entries);
    expect(withoutRefusals(entries, { now: Date.parse(LATER), all: false })).toEqual([entry('a')]);
  });

  test('an open entry without one is not touched', () => {
    const entries = [entry('a', { state: 'Unconfirmed', nextAttemptTime: '2026-03-01T11:00:00Z' })];
    expect(withoutRefusals(entries, { now: T0, all: true })).toEqual(entries);
  });
});

test('a list is unknown where it is absent, null or of another type; numbers are ids; entries without one say nothing', () => {
  for (const privateEndpoints of [undefined, null, 'a', {}, 5]) expect(readList({ privateEndpoints })).toBeUndefined();
  expect(readList(Object.create({ privateEndpoints: [] }) as Record<string, unknown>)).toBeUndefined();
  expect(readList({ privateEndpoints: [] })).toEqual([]);
  expect(readList({ privateEndpoints: [{ id: 7, region: 'r' }, null, {}, 'x', { id: null }] })).toEqual([
    { id: '7', region: 'r' },
  ]);
});

describe('what waits for something that was sent', () => {
  test('waits no longer than that can be at work, though its time is from before the clock was put back', () => {
    const beyond = '2026-03-01T13:00:40Z';
    const open = [
      entry('a', { state: 'Unconfirmed', nextAttemptTime: beyond }),
      entry('b', { state: 'Removing', nextAttemptTime: '2026-03-01T12:00:10Z' }),
    ];
    expect(openUntil(open, T0 + 40_000).map(({ nextAttemptTime }) => nextAttemptTime)).toEqual([
      LATER,
      '2026-03-01T12:00:10Z',
    ]);
  });

  test('is not what was refused: its class has longer waits', () => {
    const refused = entry('a', {
      state: 'Refused',
      lastError: { message: 'no' },
      nextAttemptTime: '2026-03-01T18:00:00Z',
    });
    expect(openUntil([refused, entry('b')], T0)).toEqual([refused, entry('b')]);
  });
});
