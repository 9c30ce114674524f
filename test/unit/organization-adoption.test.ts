import { expect, test } from 'vitest';
import { decide } from '../../src/kinds/organization/attempt/next-step.ts';
import { T0 } from '../support/objects.ts';
import {
  at,
  entry,
  goal,
  listing,
  refusedEntry,
  sent,
  settled,
  shortly,
} from '../support/organization-entries.ts';

const MINUTE = 60_000;
const lost = sent('lost', { add: 'a' });
const refused = sent('refused', { add: 'a' });
const unconfirmed = entry('a', { state: 'Unconfirmed', nextAttemptTime: at(95_000) });
const late = { now: 6 * MINUTE, settled: true };

const THERE: readonly [string, Parameters<typeof settled>[0]][] = [
  ['was refused before', { ledger: [refusedEntry('a')] }],
  ['was refused just now', { sent: refused }],
  ['was lost long ago', { sent: lost, ...late }],
  ['was sent long ago', { ledger: [unconfirmed], ...late }],
];

test.each(THERE)(
  'what %s is adopted where it is listed only: or it would be removed, whoever has added it',
  (_, given) => {
    const nobodys = goal([], { adoptPrivateEndpoints: true });
    const { ledger } = settled({ ...given, list: listing('a'), goal: nobodys });
    expect(ledger.map(shortly)).toEqual(['a Found Present']);
    const question = {
      name: undefined,
      unconfirmedChanges: new Map(),
      differences: undefined,
      now: T0,
    };
    expect(decide({ ...question, goal: nobodys, ledger, list: listing('a') }).remove).toEqual([]);
  },
);

test.each(THERE)(
  'what %s, is there and listed, and adopted: no event says that it is nobody’s',
  (_, given) => {
    const adopting = goal(['a'], { adoptPrivateEndpoints: true });
    const { ledger, remarks } = settled({ ...given, list: listing('a'), goal: adopting });
    expect(ledger.map(shortly)).toEqual(['a Adopted Present']);
    expect(remarks).toEqual([]);
  },
);
