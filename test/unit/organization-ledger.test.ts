import { expect, test } from 'vitest';
import { sameKey } from '../../src/kinds/organization/endpoints/endpoints.ts';
import {
  add,
  adopting,
  holdLines,
  type Line,
  missing,
  remove,
  THERE,
  unlisted,
} from '../support/ledger-lines.ts';
import { MINUTE, SECOND, T0 } from '../support/objects.ts';
import { at, e, entry, goal, settled } from '../support/organization-entries.ts';

/** What becomes of what was found, adopted or missed. */
holdLines([
  { line: 'listed in spec | there', given: THERE, says: 'a Found Present' },
  {
    line: 'listed in spec, adopted | there',
    given: { ...THERE, goal: adopting },
    says: 'a Adopted Present',
  },
  { line: 'listed in spec | not there', given: {} },

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
]);

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
