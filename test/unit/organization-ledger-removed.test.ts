import { holdLines, missing, REFUSAL, remove, THERE, unlisted } from '../support/ledger-lines.ts';
import { MINUTE, SECOND, T0 } from '../support/objects.ts';
import { at, entry } from '../support/organization-entries.ts';

/** What becomes of a remove, and of what is under way to be gone. */
holdLines([
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
]);
