import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Listing, type Reported, sameKey, tupleKey } from '../../src/kinds/organization/endpoints.ts';
import { cleanupGoal, goalOf } from '../../src/kinds/organization/goal.ts';
import { type Evidence, type Sent, type Settlement, settle } from '../../src/kinds/organization/ledger.ts';
import type { LedgerEntry } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, entry, goal, listing, refusedEntry, shortly, specOf } from '../support/organization-entries.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type How = Sent['how'];
const sent = (how: How, change: Partial<Record<'add' | 'remove', string>>, more: Partial<Sent> = {}): Sent => ({
  pending: {
    time: at(0),
    add: change.add === undefined ? [] : [e(change.add)],
    remove: change.remove === undefined ? [] : [e(change.remove)],
  },
  how,
  ...more,
});
const add = (how: How, more: Partial<Sent> = {}) => sent(how, { add: 'a' }, more);
const remove = (how: How, more: Partial<Sent> = {}) => sent(how, { remove: 'a' }, more);
const REFUSAL: Partial<Sent> = {
  blamed: ({ id }) => id === 'a',
  refusal: { httpStatus: 422, requestId: 'r-1', message: 'no' },
  retryAt: T0 + 10 * MINUTE,
};

/** `now` is so long after T0; the settling of what is open lies 90 s after that unless it is over. */
function settled(evidence: Partial<Omit<Evidence, 'now'>> & { readonly now?: number }): Settlement {
  const { now = 0, settled: isSettled = false, ...more } = evidence;
  const settlesAt = T0 + now + (isSettled ? 0 : 90 * SECOND);
  return settle({
    ledger: [],
    list: listing(),
    goal: goal(['a']),
    settlesAt,
    settled: isSettled,
    ...more,
    now: T0 + now,
  });
}

interface Line {
  readonly line: string;
  readonly given: Parameters<typeof settled>[0];
  /** The ledger; nothing: forgotten. */
  readonly then?: string;
  readonly told?: string;
  /** More about the one entry. */
  readonly more?: Partial<LedgerEntry>;
}

const THERE = { list: listing('a') };
const missing = (more: Partial<LedgerEntry> = {}) => [
  entry('a', { state: 'Missing', nextAttemptTime: at(MINUTE), ...more }),
];
const adopting = goal(['a'], { adoptPrivateEndpoints: true });
const unlisted = goal([]);

/** Each line of the table in the contract, with its times to the second. */
const TABLE: readonly Line[] = [
  { line: 'listed in spec | there', given: THERE, then: 'a Found Present' },
  { line: 'listed in spec, adopted | there', given: { ...THERE, goal: adopting }, then: 'a Adopted Present' },
  { line: 'listed in spec | not there', given: {} },

  { line: 'add answered | there', given: { ...THERE, sent: add('answered') }, then: 'a Added Present' },
  {
    line: 'add lost | there, 5 min later',
    given: { ...THERE, sent: add('lost'), now: 5 * MINUTE, settled: true },
    then: 'a Added Present',
  },
  {
    line: 'add lost | there, a second more',
    given: { ...THERE, sent: add('lost'), now: 5 * MINUTE + SECOND, settled: true },
    then: 'a Found Present',
    told: 'maybe-ours',
  },
  {
    line: 'add lost | there, at a time that lies in the future',
    given: { ...THERE, sent: add('lost'), now: -SECOND },
    then: 'a Found Present',
    told: 'maybe-ours',
  },
  {
    line: 'add refused | there',
    given: { ...THERE, sent: add('refused', REFUSAL) },
    then: 'a Found Present',
    told: 'refused-but-there',
  },
  {
    line: 'add refused | not there',
    given: { sent: add('refused', REFUSAL) },
    then: 'a – Refused',
    more: { lastError: { httpStatus: 422, requestId: 'r-1', message: 'no' }, nextAttemptTime: at(10 * MINUTE) },
  },
  { line: 'add refused, and not to blame | not there', given: { sent: add('refused') } },
  ...(['answered', 'lost'] as const).map((how) => ({
    line: `add ${how} | not there, not settled`,
    given: { sent: add(how) },
    then: 'a Added Unconfirmed',
    more: { nextAttemptTime: at(90 * SECOND) },
  })),
  { line: 'add lost | not there, settled', given: { sent: add('lost'), settled: true }, told: 'given-up' },
  {
    line: 'Unconfirmed | not there, settled',
    given: { ledger: [entry('a', { state: 'Unconfirmed' })], settled: true },
    told: 'given-up',
  },
  {
    line: 'Unconfirmed | not there, not settled',
    given: { ledger: [entry('a', { state: 'Unconfirmed', nextAttemptTime: at(MINUTE) })] },
    then: 'a Added Unconfirmed',
    more: { nextAttemptTime: at(MINUTE) },
  },
  {
    line: 'Unconfirmed | there',
    given: { ...THERE, ledger: [entry('a', { state: 'Unconfirmed' })] },
    then: 'a Added Present',
  },

  { line: 'Refused | there', given: { ...THERE, ledger: [refusedEntry('a')] }, then: 'a Found Present' },
  {
    line: 'Refused, adopted | there',
    given: { ...THERE, ledger: [refusedEntry('a')], goal: adopting },
    then: 'a Adopted Present',
  },
  {
    line: 'Refused | not there',
    given: { ledger: [refusedEntry('a', at(MINUTE))] },
    then: 'a – Refused',
    more: { lastError: { httpStatus: 400, message: 'no' }, nextAttemptTime: at(MINUTE) },
  },
  { line: 'Refused | no longer listed', given: { ledger: [refusedEntry('a')], goal: unlisted } },

  ...(['Added', 'Adopted', 'Found'] as const).flatMap((origin): Line[] => [
    {
      line: `${origin}, Present | not there`,
      given: { ledger: [entry('a', { origin })], goal: adopting },
      then: `a ${origin} Missing`,
      more: { nextAttemptTime: at(MINUTE) },
    },
    {
      line: `${origin}, Missing | there, a second before 2 min`,
      given: {
        ...THERE,
        ledger: missing({ origin }),
        goal: origin === 'Adopted' ? adopting : goal(['a']),
        now: 119 * SECOND,
      },
      then: `a ${origin} Present`,
    },
    {
      line: `${origin}, Missing | not there, a second before 60 s`,
      given: { ledger: missing({ origin }), goal: adopting, now: 59 * SECOND },
      then: `a ${origin} Missing`,
      more: { nextAttemptTime: at(MINUTE) },
    },
    {
      line: `${origin}, Missing | not there, 60 s later`,
      given: { ledger: missing({ origin }), goal: adopting, now: MINUTE },
      ...(origin !== 'Found' && { told: 'vanished' }),
    },
  ]),
  ...(['Added', 'Adopted'] as const).map((origin) => ({
    line: `${origin}, Missing | there, 2 min later`,
    given: {
      ...THERE,
      ledger: missing({ origin }),
      goal: origin === 'Adopted' ? adopting : goal(['a']),
      now: 2 * MINUTE,
    },
    then: 'a Found Present',
    told: 'came-back',
  })),
  {
    line: 'Found, Missing | there, much later',
    given: { ...THERE, ledger: missing({ origin: 'Found' }), now: 60 * MINUTE },
    then: 'a Found Present',
  },
  {
    line: 'Missing since a time that lies in the future | there',
    given: { ...THERE, ledger: missing(), now: -MINUTE },
    then: 'a Found Present',
    told: 'came-back',
  },
  {
    line: 'Missing since a time that lies in the future | not there',
    given: { ledger: missing(), now: -MINUTE },
    told: 'vanished',
  },

  { line: 'remove answered | not there', given: { ledger: [entry('a')], goal: unlisted, sent: remove('answered') } },
  {
    line: 'remove lost | not there',
    given: { ledger: [entry('a')], goal: unlisted, sent: remove('lost') },
    then: 'a Added Missing',
    more: { nextAttemptTime: at(MINUTE) },
  },
  ...(['answered', 'lost'] as const).map((how) => ({
    line: `remove ${how} | there, not settled`,
    given: { ...THERE, ledger: [entry('a')], goal: unlisted, sent: remove(how) },
    then: 'a Added Removing',
    more: { nextAttemptTime: at(90 * SECOND) },
  })),
  {
    line: 'remove lost | there, settled',
    given: { ...THERE, ledger: [entry('a')], goal: unlisted, sent: remove('lost'), now: 5 * MINUTE, settled: true },
    then: 'a Added Present',
  },
  {
    line: 'remove lost | there, more than 5 min later',
    given: {
      ...THERE,
      ledger: [entry('a')],
      goal: unlisted,
      sent: remove('lost'),
      now: 5 * MINUTE + SECOND,
      settled: true,
    },
    then: 'a Found Present',
    told: 'maybe-still-ours',
  },
  {
    line: 'remove lost | there, at a time that lies in the future',
    given: { ...THERE, ledger: [entry('a')], goal: unlisted, sent: remove('lost'), now: -SECOND },
    then: 'a Found Present',
    told: 'maybe-still-ours',
  },
  {
    line: 'Removing | there, settled',
    given: { ...THERE, ledger: [entry('a', { state: 'Removing' })], goal: unlisted, settled: true },
    then: 'a Added Present',
  },
  {
    line: 'Removing | there, not settled',
    given: { ...THERE, ledger: [entry('a', { state: 'Removing' })], goal: unlisted },
    then: 'a Added Removing',
    more: { nextAttemptTime: at(90 * SECOND) },
  },
  {
    line: 'Removing, listed again | there, settled',
    given: { ...THERE, ledger: [entry('a', { state: 'Removing' })], settled: true },
    then: 'a Added Present',
  },
  { line: 'Removing | not there', given: { ledger: [entry('a', { state: 'Removing' })], goal: unlisted } },
  {
    line: 'remove refused | there',
    given: { ...THERE, ledger: [entry('a')], goal: unlisted, sent: remove('refused', REFUSAL) },
    then: 'a Added Present',
    more: { lastError: { httpStatus: 422, requestId: 'r-1', message: 'no' }, nextAttemptTime: at(10 * MINUTE) },
  },
  {
    line: 'remove refused, and listed again | there',
    given: { ...THERE, ledger: [entry('a', { lastError: { httpStatus: 400 }, nextAttemptTime: at(MINUTE) })] },
    then: 'a Added Present',
  },

  {
    line: 'Found, to be adopted | there',
    given: { ...THERE, ledger: [entry('a', { origin: 'Found' })], goal: adopting },
    then: 'a Adopted Present',
  },
  {
    line: 'Added, to be adopted | there',
    given: { ...THERE, ledger: [entry('a')], goal: adopting },
    then: 'a Added Present',
  },
  {
    line: 'Adopted, taken back | there',
    given: { ...THERE, ledger: [entry('a', { origin: 'Adopted' })] },
    then: 'a Found Present',
  },
  {
    line: 'Adopted, taken back | not there',
    given: { ledger: [entry('a', { origin: 'Adopted' })] },
    then: 'a Found Missing',
    more: { nextAttemptTime: at(MINUTE) },
  },
  {
    line: 'Found, no longer listed | there',
    given: { ...THERE, ledger: [entry('a', { origin: 'Found' })], goal: unlisted },
    told: 'left',
  },
  {
    line: 'Added, the list absent from spec | there',
    given: { ...THERE, ledger: [entry('a')], goal: goal(undefined, { name: 'Acme' }) },
    then: 'a Added Present',
  },
];

test.each(TABLE)('$line', ({ given, then, told, more = {} }) => {
  const { ledger, remarks } = settled(given);
  expect(ledger.map(shortly)).toEqual(then === undefined ? [] : [then]);
  expect(remarks).toEqual(told === undefined ? [] : [{ remark: told, tuple: e('a') }]);
  const [first] = ledger;
  expect(first?.lastError).toEqual(more.lastError);
  expect(first?.nextAttemptTime).toEqual(more.nextAttemptTime);
});

test('what came and went as wanted is said, and so is what was in vain', () => {
  expect(settled({ ...THERE, sent: add('answered') })).toMatchObject({ added: [e('a')], removed: [], inVain: [] });
  const gone = settled({ ledger: [entry('a')], goal: unlisted, sent: remove('answered') });
  expect(gone).toMatchObject({ added: [], removed: [e('a')], inVain: [] });
  const lost = { sent: add('lost'), settled: true };
  expect(settled(lost)).toMatchObject({ added: [], inVain: [sameKey(e('a'))] });
  const stays = { ...THERE, ledger: [entry('a', { state: 'Removing' })], goal: unlisted, settled: true };
  expect(settled(stays)).toMatchObject({ removed: [], inVain: [sameKey(e('a'))] });
});

describe('an endpoint is the same in another case and with blanks around', () => {
  const SPELLINGS: readonly Reported[] = [
    { id: 'A', cloudProvider: 'GCP', region: 'R1' },
    { id: ' a ', cloudProvider: ' gcp', region: 'r1  ' },
    { id: 'a' },
  ];
  test.each(SPELLINGS)('a declared one that the list has as %o is found, and kept as reported', (reported) => {
    const { ledger } = settled({ list: new Listing([reported]) });
    expect(ledger).toEqual([{ ...e('a'), ...reported, origin: 'Found', state: 'Present' }]);
  });

  test.each(SPELLINGS)('one that was added and comes back as %o is ours, as reported', (reported) => {
    const { ledger, added } = settled({ list: new Listing([reported]), sent: add('answered') });
    expect(ledger).toEqual([{ ...e('a'), ...reported, origin: 'Added', state: 'Present' }]);
    expect(added).toEqual([{ ...e('a'), ...reported }]);
    const again = settled({ ledger, list: new Listing([reported]) });
    expect(again.ledger).toEqual(ledger);
  });

  test('but an entry of the ledger is there only to the byte: what is spelled otherwise is somebody else’s', () => {
    const list = listing(e('A'));
    const first = settled({ ledger: [entry('a')], list });
    expect(first.ledger.map(shortly)).toEqual(['a Added Missing']);
    const second = settled({ ledger: first.ledger, list, now: MINUTE });
    expect(second.ledger.map(shortly)).toEqual(['A Found Present']);
    expect(second.remarks).toEqual([{ remark: 'vanished', tuple: e('a') }]);
  });

  test('other letters and blanks within are other endpoints', () => {
    for (const id of ['á', 'a\u00a0', 'ａ', 'a b']) expect(settled({ list: listing(e(id)) }).ledger).toEqual([]);
  });
});

describe('other fields than were sent', () => {
  const moved = e('a', { region: 'r2' });

  test('a new entry with a sent id is ours as reported', () => {
    const { ledger, altered } = settled({ list: listing(moved), sent: add('answered', { before: listing() }) });
    expect(ledger.map(shortly)).toEqual(['a gcp/r2 Added Present']);
    expect(altered).toEqual([{ sent: e('a'), entry: ledger[0] }]);
  });

  test.each([
    ['which the look had', add('answered', { before: listing(moved) })],
    ['where no look is at hand', add('answered')],
  ])('an entry with a sent id, %s, is not', (_, given) => {
    expect(settled({ list: listing(moved), sent: given }).ledger.map(shortly)).toEqual(['a Added Unconfirmed']);
  });
});

test('descriptions are cut, and an empty one is none', () => {
  const described = (description: string) => settled({ list: listing({ ...e('a'), description }) }).ledger[0];
  expect(described('d'.repeat(100))?.description).toHaveLength(64);
  expect(described('')).not.toHaveProperty('description');
});

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
        const change = intent && { how: intent.how, pending: { time: at(0), add: intent.add, remove: intent.remove } };
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
        expect(new Set(after.ledger.map(tupleKey)).size, 'no entry twice').toBe(after.ledger.length);
      }),
      { numRuns: 5_000, seed: 11 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(300);
  });
});
