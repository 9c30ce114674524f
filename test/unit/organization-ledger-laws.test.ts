import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  Listing,
  type Reported,
  sameKey,
  tupleKey,
} from '../../src/kinds/organization/endpoints/endpoints.ts';
import { cleanupGoal, goalOf } from '../../src/kinds/organization/goal.ts';
import type { Sent } from '../../src/kinds/organization/ledger/ledger.ts';
import type { LedgerEntry } from '../../src/kinds/organization/resource.ts';
import { at, sent, settled, specOf } from '../support/organization-entries.ts';

const SECOND = 1_000;

type How = Sent['how'];

describe('whatever the evidence', () => {
  const word = (...words: readonly string[]) => fc.constantFrom(...words);
  const tuple = fc.record({
    id: word('a', 'A', 'b', ' b', 'c'),
    cloudProvider: word('gcp', 'GCP'),
    region: word('r1', 'r2'),
  });
  const reported: fc.Arbitrary<Reported> = fc.oneof(
    tuple,
    tuple.map(({ id }) => ({ id })),
  );
  const known: fc.Arbitrary<LedgerEntry> = fc
    .record({
      tuple,
      origin: word('Added', 'Adopted', 'Found'),
      state: word('Present', 'Missing', 'Removing'),
      in: fc.nat(200),
    })
    .map(({ tuple: key, origin, state, in: seconds }): LedgerEntry => {
      const base = {
        ...key,
        origin: origin as NonNullable<LedgerEntry['origin']>,
        state: state as LedgerEntry['state'],
      };
      return state === 'Present' ? base : { ...base, nextAttemptTime: at(seconds * SECOND) };
    });
  const unique = <T>(one: fc.Arbitrary<T>, key: (value: T) => string) =>
    fc.uniqueArray(one, { maxLength: 4, selector: key });
  const evidence = fc.record({
    ledger: unique(known, tupleKey),
    list: fc.array(reported, { maxLength: 5 }).map((entries) => new Listing(entries)),
    goal: fc
      .tuple(unique(tuple, sameKey), fc.boolean(), fc.boolean())
      .map(([privateEndpoints, adoptPrivateEndpoints, isOver]) => {
        const spec = specOf([], { privateEndpoints, adoptPrivateEndpoints });
        return isOver ? cleanupGoal(spec, []) : goalOf(spec);
      }),
    sent: fc.option(
      fc.record({
        how: fc.constantFrom<How>('answered', 'lost', 'refused'),
        add: unique(tuple, sameKey),
        remove: unique(tuple, tupleKey),
      }),
    ),
    now: fc.integer({ min: -400, max: 400 }).map((seconds) => seconds * SECOND),
    settled: fc.boolean(),
  });

  test('what was found is never ours but by adoption, and what was ours goes only by absence or with a word', () => {
    const seen = { ours: 0, lost: 0, told: 0 };
    fc.assert(
      fc.property(evidence, ({ sent: intent, ...given }) => {
        const change = intent && {
          ...sent(intent.how, {}),
          pending: { time: at(0), add: intent.add, remove: intent.remove },
        };
        const after = settled({ ...given, ...(change && { sent: change }) });
        const before = new Map(given.ledger.map((one) => [tupleKey(one), one]));
        const asked = new Set(intent?.add.map(({ id }) => id.trim().toLowerCase()));
        for (const one of after.ledger) {
          if (one.origin !== 'Added') continue;
          seen.ours += 1;
          const was = before.get(tupleKey(one));
          expect(was?.origin === 'Added' || asked.has(one.id.trim().toLowerCase())).toBe(true);
          expect(intent?.how === 'refused' && was?.origin !== 'Added').toBe(false);
        }
        const kept = new Map(after.ledger.map((one) => [tupleKey(one), one]));
        const named = new Set([
          ...after.remarks.map((remark) => tupleKey(remark.tuple)),
          ...after.removed.map(tupleKey),
        ]);
        for (const one of given.ledger.filter(({ origin }) => origin === 'Added')) {
          if (kept.get(tupleKey(one))?.origin === 'Added') continue;
          if (named.has(tupleKey(one))) seen.told += 1;
          expect(named.has(tupleKey(one)), JSON.stringify(one)).toBe(true);
          seen.lost += 1;
        }
        expect(new Set(after.ledger.map(tupleKey)).size, 'no entry twice').toBe(
          after.ledger.length,
        );
      }),
      { numRuns: 5_000, seed: 11 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(300);
  });
});
