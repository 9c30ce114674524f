import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cleanupGoal, type Goal } from '../../src/kinds/organization/goal.ts';
import type { Sent } from '../../src/kinds/organization/ledger/ledger.ts';
import type { LedgerEntry } from '../../src/kinds/organization/resource.ts';
import { ENDPOINT_STATES, ORIGINS } from '../../src/kinds/organization/status.ts';
import { MINUTE, SECOND } from '../support/objects.ts';
import {
  at,
  e,
  entry,
  goal,
  listing,
  sent,
  settled,
  specOf,
} from '../support/organization-entries.ts';

const page = readFileSync('deploy/guides/concepts.md', 'utf8');

/** The arrows of the state diagram that has this word, as `from --> to`. */
function arrows(word: string): string[] {
  const diagrams = [...page.matchAll(/```mermaid\nstateDiagram-v2\n([^]*?)```/g)];
  const drawn = diagrams.map(([, text = '']) => text).filter((text) => text.includes(word));
  expect(drawn, word).toHaveLength(1);
  const lines = (drawn[0] ?? '').trimEnd().split('\n');
  return lines.map((line) => /^ {2}(\S+ --> [^:\s]+): \S.*$/.exec(line)?.[1] ?? `unread: ${line}`);
}

/** Every way in which one endpoint can stand in the ledger. */
const BEFORE: readonly (LedgerEntry | undefined)[] = [
  undefined,
  { ...e('a'), state: 'Refused' },
  entry('a', { state: 'Unconfirmed', nextAttemptTime: at(95 * SECOND) }),
  ...(['Added', 'Adopted', 'Found'] as const).flatMap((origin) => [
    entry('a', { origin }),
    entry('a', { origin, state: 'Missing', nextAttemptTime: at(MINUTE) }),
    ...(origin === 'Found'
      ? []
      : [entry('a', { origin, state: 'Removing', nextAttemptTime: at(95 * SECOND) })]),
  ]),
];

const GOALS: readonly Goal[] = [false, true].flatMap((adoptPrivateEndpoints) => [
  goal(['a'], { adoptPrivateEndpoints }),
  goal([], { adoptPrivateEndpoints }),
  cleanupGoal(specOf(['a'], { adoptPrivateEndpoints }), []),
]);

/** What may have been sent for it: an add of what is not there, a removal of what is ours. */
function sentFor(before: LedgerEntry | undefined): (Sent | undefined)[] {
  if (before?.state === 'Unconfirmed') return [undefined, sent('lost', { add: 'a' })];
  if (before?.origin === 'Found') return [undefined];
  const isThere = before !== undefined && before.state !== 'Refused';
  const change = isThere ? { remove: 'a' } : { add: 'a' };
  return [
    undefined,
    sent('answered', change),
    sent('lost', change),
    sent('refused', change),
    sent('refused', change, { blamed: [e('a')], failure: {} }),
  ];
}

/** All that the table of the ledger makes of all of that, whatever the list shows and the time is. */
function reached(partOf: (one: LedgerEntry | undefined) => string): Set<string> {
  const found = new Set<string>();
  for (const before of BEFORE)
    for (const wanted of GOALS)
      for (const intent of sentFor(before))
        for (const list of [listing(), listing('a')])
          for (const now of [0, 61 * SECOND, 3 * MINUTE, 6 * MINUTE])
            for (const isSettled of [false, true]) {
              const ledger = before ? [before] : [];
              const after = settled({
                ledger,
                list,
                goal: wanted,
                now,
                settled: isSettled,
                ...(intent && { sent: intent }),
              }).ledger[0];
              if (partOf(before) !== partOf(after))
                found.add(`${partOf(before)} --> ${partOf(after)}`);
            }
  return found;
}

describe.each([
  ['origin', 'Adopted', ORIGINS],
  ['state', 'Unconfirmed', ENDPOINT_STATES],
] as const)('the diagram of the %s of an endpoint', (part, word, words) => {
  test('has the arrows that the ledger can go, and no others', () => {
    expect(arrows(word).sort()).toEqual([...reached((one) => one?.[part] ?? '[*]')].sort());
  });

  test.each(Object.keys(words))('is explained in a table: %s', (name) => {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\|.{20,}\\|.{5,}\\|$`, 'm'));
  });
});
