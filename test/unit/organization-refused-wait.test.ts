import { expect, test } from 'vitest';
import { openSent } from '../../src/kinds/organization/attempt/refused-change.ts';
import { workOf } from '../../src/kinds/organization/attempt/session.ts';
import { goalOf } from '../../src/kinds/organization/goal.ts';
import { LIMITS } from '../../src/kinds/organization/limits.ts';
import type { OrganizationStatus } from '../../src/kinds/organization/resource.ts';
import { T0 } from '../support/objects.ts';
import { at, e, refusedEntry } from '../support/organization-entries.ts';
import { anOrganization, factsOf, parsedSpec } from '../support/organization-objects.ts';

const MINUTE = 60_000;

/** What was just refused, after so many failed attempts. */
function justRefused(more: OrganizationStatus) {
  const pendingChange = { time: at(0), add: [e('a')], remove: [], refused: { httpStatus: 400 } };
  const object = anOrganization({ ids: ['a'], status: { attempts: 9, pendingChange, ...more } });
  const spec = parsedSpec(object);
  const work = workOf(object, factsOf(object), {
    spec,
    goal: goalOf(spec),
    now: T0,
  });
  const sent = openSent({ object, work, now: T0 });
  return sent?.how === 'refused' ? sent.failure : undefined;
}

/** How many minutes it waits. */
function waits(more: OrganizationStatus): number {
  return (Date.parse(justRefused(more)?.nextAttemptTime ?? '') - T0) / MINUTE;
}

test('what is refused for the first time waits ten minutes, however long other things have failed', () => {
  expect(waits({})).toBeLessThanOrEqual(12);
});

test('what was refused before waits longer each time', () => {
  expect(waits({ privateEndpoints: [refusedEntry('a')] })).toBeGreaterThan(4 * 60);
});

test('what the API said of it is cut between two characters: the API server would replace half a one', () => {
  const message = `${'x'.repeat(LIMITS.ledgerMessage - 1)}😀`;
  const lastRequest = {
    operation: 'UpdateOrganization',
    httpStatus: 400,
    outcome: 'Rejected',
    time: at(0),
    message,
  } as const;
  for (const text of [message, `${message}y`]) {
    const said =
      justRefused({ lastRequest: { ...lastRequest, message: text } })?.lastError?.message ?? '';
    expect([said.isWellFormed(), [...said].length]).toEqual([true, LIMITS.ledgerMessage]);
  }
});
