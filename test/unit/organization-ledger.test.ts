import { expect, test } from 'vitest';
import { sameKey } from '../../src/kinds/organization/endpoints/endpoints.ts';
import type { Sent } from '../../src/kinds/organization/ledger/ledger.ts';
import type { LedgerEntry } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import {
  at,
  e,
  entry,
  goal,
  listing,
  refusedEntry,
  sent,
  settled,
  shortly,
} from '../support/organization-entries.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type How = Sent['how'];
const add = (how: How, more: Partial<Sent> = {}) => sent(how, { add: 'a' }, more);
const remove = (how: How, more: Partial<Sent> = {}) => sent(how, { remove: 'a' }, more);
const REFUSAL: Partial<Sent> = {
  blamed: ({ id }) => id === 'a',
  refusal: { httpStatus: 422, requestId: 'r-1', message: 'no' },
  retryAt: T0 + 10 * MINUTE,
};

interface Line {
  readonly line: string;
  readonly given: Parameters<typeof settled>[0];
  /** The ledger; nothing: forgotten. */
  readonly says?: string;
  readonly told?: string;
  /** More about the one entry. */
  readonly more?: Partial<LedgerEntry>;
}

const THERE = { list: listing('a') };
const missing = (more: Partial<LedgerEntry> = {}) => [
  entry('a', { state: 'Missing', nextAttemptTime: at(MINUTE), ...more }),
];
/** Sent at T0: it is settled 95 s later. */
const UNCONFIRMED = entry('a', { state: 'Unconfirmed', nextAttemptTime: at(95 * SECOND) });
const adopting = goal(['a'], { adoptPrivateEndpoints: true });
const unlisted = goal([]);

/** Each line of the table in the contract, with its times to the second. */
const TABLE: readonly Line[] = [
  { line: 'listed in spec | there', given: THERE, says: 'a Found Present' },
  {
    line: 'listed in spec, adopted | there',
    given: { ...THERE, goal: adopting },
    says: 'a Adopted Present',
  },
  { line: 'listed in spec | not there', given: {} },

  {
    line: 'add answered | there',
    given: { ...THERE, sent: add('answered') },
    says: 'a Added Present',
  },
  {
    line: 'add lost | there, long after it was sent by a clock that was put back since',
    given: { ...THERE, sent: add('lost'), now: MINUTE, settled: true, settlesAt: T0 - 4 * MINUTE },
    says: 'a Found Present',
    told: 'maybe-ours',
  },
  {
    line: 'add lost | there, 5 min later',
    given: { ...THERE, sent: add('lost'), now: 5 * MINUTE, settled: true },
    says: 'a Added Present',
  },
  {
    line: 'add lost | there, a second more',
    given: { ...THERE, sent: add('lost'), now: 5 * MINUTE + SECOND, settled: true },
    says: 'a Found Present',
    told: 'maybe-ours',
  },
  {
    line: 'add lost | there, at a time that lies in the future',
    given: { ...THERE, sent: add('lost'), now: -SECOND },
    says: 'a Found Present',
    told: 'maybe-ours',
  },
  {
    line: 'add lost | there, before its time, which was rounded up',
    given: { ...THERE, sent: add('lost'), now: 1 - SECOND },
    says: 'a Added Present',
  },
  {
    line: 'add refused | there',
    given: { ...THERE, sent: add('refused', REFUSAL) },
    says: 'a Found Present',
    told: 'refused-but-there',
  },
  {
    line: 'add refused | not there',
    given: { sent: add('refused', REFUSAL) },
    says: 'a – Refused',
    more: {
      lastError: { httpStatus: 422, requestId: 'r-1', message: 'no' },
      nextAttemptTime: at(10 * MINUTE),
    },
  },
  { line: 'add refused, and not to blame | not there', given: { sent: add('refused') } },
  ...(['answered', 'lost'] as const).map((how) => ({
    line: `add ${how} | not there, not settled`,
    given: { sent: add(how) },
    says: 'a Added Unconfirmed',
    more: { nextAttemptTime: at(90 * SECOND) },
  })),
  {
    line: 'add lost | not there, settled',
    given: { sent: add('lost'), settled: true },
    told: 'given-up',
  },
  {
    line: 'Unconfirmed | not there, settled',
    given: { ledger: [entry('a', { state: 'Unconfirmed' })], settled: true },
    told: 'given-up',
  },
  {
    line: 'Unconfirmed | not there, not settled',
    given: { ledger: [entry('a', { state: 'Unconfirmed', nextAttemptTime: at(MINUTE) })] },
    says: 'a Added Unconfirmed',
    more: { nextAttemptTime: at(MINUTE) },
  },
  {
    line: 'Unconfirmed | not there, settled, while another one sent later is not',
    given: { ledger: [UNCONFIRMED], now: 95 * SECOND, entrySettlesAt: () => T0 + 95 * SECOND },
    told: 'given-up',
  },
  {
    line: 'Unconfirmed | not there, not settled, while another one is',
    given: { ledger: [UNCONFIRMED], settled: true, entrySettlesAt: () => T0 + 95 * SECOND },
    says: 'a Added Unconfirmed',
    more: { nextAttemptTime: at(95 * SECOND) },
  },
  {
    line: 'Unconfirmed | there, 5 min after it was sent',
    given: { ...THERE, ledger: [UNCONFIRMED], now: 5 * MINUTE, settled: true },
    says: 'a Added Present',
  },
  {
    line: 'Unconfirmed | there, two seconds more',
    given: { ...THERE, ledger: [UNCONFIRMED], now: 5 * MINUTE + 2 * SECOND, settled: true },
    says: 'a Found Present',
    told: 'maybe-ours',
  },
  {
    line: 'Unconfirmed | there, long after it was sent by a clock that was put back since',
    given: {
      ...THERE,
      ledger: [UNCONFIRMED],
      now: 2 * MINUTE,
      settled: true,
      entrySettlesAt: () => T0 - 4 * MINUTE,
    },
    says: 'a Found Present',
    told: 'maybe-ours',
  },

  {
    line: 'Refused | there',
    given: { ...THERE, ledger: [refusedEntry('a')] },
    says: 'a Found Present',
  },
  {
    line: 'Refused, adopted | there',
    given: { ...THERE, ledger: [refusedEntry('a')], goal: adopting },
    says: 'a Adopted Present',
  },
  {
    line: 'Refused | not there',
    given: { ledger: [refusedEntry('a', at(MINUTE))] },
    says: 'a – Refused',
    more: { lastError: { httpStatus: 400, message: 'no' }, nextAttemptTime: at(MINUTE) },
  },
  { line: 'Refused | no longer listed', given: { ledger: [refusedEntry('a')], goal: unlisted } },

  ...(['Added', 'Adopted', 'Found'] as const).flatMap((origin): Line[] => [
    {
      line: `${origin}, Present | not there`,
      given: { ledger: [entry('a', { origin })], goal: adopting },
      says: `a ${origin} Missing`,
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
      says: `a ${origin} Present`,
    },
    {
      line: `${origin}, Missing | not there, a second before 60 s`,
      given: { ledger: missing({ origin }), goal: adopting, now: 59 * SECOND },
      says: `a ${origin} Missing`,
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
    says: 'a Found Present',
    told: 'came-back',
  })),
  {
    line: 'Missing | there, a minute later by a clock that was put back since',
    given: { ...THERE, ledger: missing(), now: MINUTE, missedAt: () => T0 - MINUTE },
    says: 'a Found Present',
    told: 'came-back',
  },
  {
    line: 'Found, Missing | there, much later',
    given: { ...THERE, ledger: missing({ origin: 'Found' }), now: 60 * MINUTE },
    says: 'a Found Present',
  },
  {
    line: 'Missing since a time that lies in the future | there',
    given: { ...THERE, ledger: missing(), now: -MINUTE },
    says: 'a Found Present',
    told: 'came-back',
  },
  {
    line: 'Missing since a time that lies in the future | not there',
    given: { ledger: missing(), now: -MINUTE },
    told: 'vanished',
  },

  {
    line: 'remove answered | not there',
    given: { ledger: [entry('a')], goal: unlisted, sent: remove('answered') },
  },
  {
    line: 'remove lost | not there',
    given: { ledger: [entry('a')], goal: unlisted, sent: remove('lost') },
    says: 'a Added Missing',
    more: { nextAttemptTime: at(MINUTE) },
  },
  ...(['answered', 'lost'] as const).map((how) => ({
    line: `remove ${how} | there, not settled`,
    given: { ...THERE, ledger: [entry('a')], goal: unlisted, sent: remove(how) },
    says: 'a Added Removing',
    more: { nextAttemptTime: at(90 * SECOND) },
  })),
  {
    line: 'remove lost | there, settled',
    given: {
      ...THERE,
      ledger: [entry('a')],
      goal: unlisted,
      sent: remove('lost'),
      now: 5 * MINUTE,
      settled: true,
    },
    says: 'a Added Present',
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
    says: 'a Found Present',
    told: 'maybe-still-ours',
  },
  {
    line: 'remove lost | there, more than 5 min later, not settled for this process',
    given: {
      ...THERE,
      ledger: [entry('a')],
      goal: unlisted,
      sent: remove('lost'),
      now: 5 * MINUTE + SECOND,
    },
    says: 'a Added Removing',
    more: { nextAttemptTime: at(5 * MINUTE + 91 * SECOND) },
  },
  {
    line: 'remove lost | there, at a time that lies in the future',
    given: {
      ...THERE,
      ledger: [entry('a')],
      goal: unlisted,
      sent: remove('lost'),
      now: -SECOND,
      settled: true,
    },
    says: 'a Found Present',
    told: 'maybe-still-ours',
  },
  {
    line: 'remove lost | there, before its time, which was rounded up',
    given: {
      ...THERE,
      ledger: [entry('a')],
      goal: unlisted,
      sent: remove('lost'),
      now: 1 - SECOND,
      settled: true,
    },
    says: 'a Added Present',
  },
  {
    line: 'remove lost, Missing | there, 2 min later, not settled for this process',
    given: { ...THERE, ledger: missing(), goal: unlisted, sent: remove('lost'), now: 2 * MINUTE },
    says: 'a Added Missing',
    more: { nextAttemptTime: at(MINUTE) },
  },
  {
    line: 'remove lost, Missing | there, a second before 2 min',
    given: {
      ...THERE,
      ledger: missing(),
      goal: unlisted,
      sent: remove('lost'),
      now: 2 * MINUTE - SECOND,
      settled: true,
    },
    says: 'a Added Present',
  },
  {
    line: 'remove lost, Missing | there, 2 min later',
    given: {
      ...THERE,
      ledger: missing(),
      goal: unlisted,
      sent: remove('lost'),
      now: 2 * MINUTE,
      settled: true,
    },
    says: 'a Found Present',
    told: 'maybe-still-ours',
  },
  {
    line: 'Removing | there, settled',
    given: { ...THERE, ledger: [entry('a', { state: 'Removing' })], goal: unlisted, settled: true },
    says: 'a Added Present',
  },
  {
    line: 'Removing | there, not settled',
    given: { ...THERE, ledger: [entry('a', { state: 'Removing' })], goal: unlisted },
    says: 'a Added Removing',
    more: { nextAttemptTime: at(90 * SECOND) },
  },
  {
    line: 'Removing | there, settled, while another one sent later is not',
    given: {
      ...THERE,
      ledger: [entry('a', { state: 'Removing' })],
      goal: unlisted,
      entrySettlesAt: () => T0,
    },
    says: 'a Added Present',
  },
  {
    line: 'Removing, listed again | there, settled',
    given: { ...THERE, ledger: [entry('a', { state: 'Removing' })], settled: true },
    says: 'a Added Present',
  },
  {
    line: 'Removing | not there',
    given: { ledger: [entry('a', { state: 'Removing' })], goal: unlisted },
  },
  {
    line: 'remove refused | there',
    given: { ...THERE, ledger: [entry('a')], goal: unlisted, sent: remove('refused', REFUSAL) },
    says: 'a Added Present',
    more: {
      lastError: { httpStatus: 422, requestId: 'r-1', message: 'no' },
      nextAttemptTime: at(10 * MINUTE),
    },
  },
  {
    line: 'remove refused, and listed again | there',
    given: {
      ...THERE,
      ledger: [entry('a', { lastError: { httpStatus: 400 }, nextAttemptTime: at(MINUTE) })],
    },
    says: 'a Added Present',
  },

  {
    line: 'Found, to be adopted | there',
    given: { ...THERE, ledger: [entry('a', { origin: 'Found' })], goal: adopting },
    says: 'a Adopted Present',
  },
  {
    line: 'Added, to be adopted | there',
    given: { ...THERE, ledger: [entry('a')], goal: adopting },
    says: 'a Added Present',
  },
  {
    line: 'Adopted, taken back | there',
    given: { ...THERE, ledger: [entry('a', { origin: 'Adopted' })] },
    says: 'a Found Present',
  },
  {
    line: 'Adopted, taken back | not there',
    given: { ledger: [entry('a', { origin: 'Adopted' })] },
    says: 'a Found Missing',
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
    says: 'a Added Present',
  },
];

test.each(TABLE)('$line', ({ given, says, told, more = {} }) => {
  const { ledger, remarks } = settled(given);
  expect(ledger.map(shortly)).toEqual(says === undefined ? [] : [says]);
  expect(remarks).toEqual(told === undefined ? [] : [{ remark: told, tuple: e('a') }]);
  const [first] = ledger;
  expect(first?.lastError).toEqual(more.lastError);
  expect(first?.nextAttemptTime).toEqual(more.nextAttemptTime);
});

test('what came and went as wanted is said, and so is what was in vain', () => {
  expect(settled({ ...THERE, sent: add('answered') })).toMatchObject({
    added: [e('a')],
    removed: [],
    unconfirmedChanges: [],
  });
  const gone = settled({ ledger: [entry('a')], goal: unlisted, sent: remove('answered') });
  expect(gone).toMatchObject({ added: [], removed: [e('a')], unconfirmedChanges: [] });
  const lost = { sent: add('lost'), settled: true };
  expect(settled(lost)).toMatchObject({ added: [], unconfirmedChanges: [sameKey(e('a'))] });
  const stays = {
    ...THERE,
    ledger: [entry('a', { state: 'Removing' })],
    goal: unlisted,
    settled: true,
  };
  expect(settled(stays)).toMatchObject({ removed: [], unconfirmedChanges: [sameKey(e('a'))] });
});
