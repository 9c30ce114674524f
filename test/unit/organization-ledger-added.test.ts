import {
  add,
  adopting,
  holdLines,
  REFUSAL,
  THERE,
  UNCONFIRMED,
  unlisted,
} from '../support/ledger-lines.ts';
import { MINUTE, SECOND, T0 } from '../support/objects.ts';
import { at, entry, refusedEntry } from '../support/organization-entries.ts';

/** What becomes of an add, and of what waits to be seen or was refused. */
holdLines([
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
]);
