import { describe, expect, test } from 'vitest';
import type { InventoryEntry } from '../../src/kinds/organization/resource.ts';
import { cleanup, decided, type Given, many, type Row, said } from '../support/decision.ts';
import { MINUTE, SECOND } from '../support/objects.ts';
import { at, e, entry, goal } from '../support/organization-entries.ts';

describe('what is removed', () => {
  const own = (more: Partial<InventoryEntry>) => ({
    goal: goal([]),
    inventory: [entry('a', more)],
  });
  test.each<Row>([
    ['is what is ours and no longer listed', own({}), '-a'],
    ['is what was adopted and is no longer listed', own({ origin: 'Adopted' }), '-a'],
    ['is never what was found', own({ origin: 'Found' }), 'nothing'],
    ['is never what others have', { goal: goal([]), list: ['x', 'y'] }, 'nothing'],
    ['is not what is Missing', own({ state: 'Missing' }), 'nothing'],
    ['is not what is being removed', own({ state: 'Removing' }), 'nothing'],
    ['is not what is not there yet', own({ state: 'Unconfirmed' }), 'nothing'],
    ['is not what was refused and has to wait', own({ nextAttemptTime: at(SECOND) }), 'nothing'],
    ['is what was refused and has waited', own({ nextAttemptTime: at(0), lastError: {} }), '-a'],
    [
      'is nothing where the list is absent in spec',
      { ...own({}), goal: goal(undefined, { name: 'A' }), name: 'A' },
      'nothing',
    ],
    ['is nothing where the list of the API is unknown', { ...own({}), list: null }, 'nothing'],
    [
      'is on deletion all that is ours, listed or not',
      { goal: cleanup(['a']), inventory: [entry('a'), entry('b')] },
      '-a; -b',
    ],
    [
      'is on deletion the same where spec has no list',
      { goal: cleanup(undefined), inventory: [entry('a')] },
      '-a',
    ],
    [
      'is on deletion not what others list',
      { goal: cleanup(['a'], undefined, ['A']), inventory: [entry('a'), entry('b')] },
      '-b',
    ],
  ])('%s', holds);

  test('is named as the API writes it', () => {
    const { remove } = decided({ goal: goal([]), inventory: [entry(' A', { region: 'R1' })] });
    expect(remove).toMatchObject([{ id: ' A', region: 'R1' }]);
  });
});

describe('the same id with another provider or region', () => {
  const moved = goal([], { privateEndpoints: [e('a', { region: 'r2' })] });
  test.each<Row>([
    ['is a conflict where it is not ours', { list: [e('a', { region: 'r2' })] }, 'conflict a'],
    ['is one in another case, too', { list: [e('A', { cloudProvider: 'aws' })] }, 'conflict a'],
    [
      'keeps back that endpoint alone',
      { goal: goal(['a', 'b']), list: [e('a', { region: 'r2' })] },
      '+b; conflict a',
    ],
    ['goes first where it is ours', { goal: moved, inventory: [entry('a')] }, '-a'],
    [
      'is waited for while its removal is on its way',
      { goal: moved, inventory: [entry('a', { state: 'Removing' })] },
      'nothing',
    ],
    [
      'is waited for while it may come back',
      { goal: moved, inventory: [entry('a', { state: 'Missing' })], list: [] },
      'nothing',
    ],
    ['lets the other in once the list lacks it', { goal: moved }, '+a/r2'],
    [
      'is a conflict where ours and another one have it',
      { goal: goal([]), inventory: [entry('a')], list: ['a', e('a', { region: 'r3' })] },
      'conflict a',
    ],
    [
      'is none where the inventory has found it',
      { goal: moved, inventory: [entry('a', { region: 'r2', origin: 'Found' })] },
      'nothing',
    ],
    [
      'is a conflict where spec moved away from what was only found',
      { goal: moved, list: ['a'] },
      'conflict a',
    ],
  ])('%s', holds);
});

describe('more removals than spec allows', () => {
  const wants = (most?: number) =>
    goal(['new'], {
      name: 'Acme',
      ...(most !== undefined && { maxPrivateEndpointRemovals: most }),
    });
  test.each([
    [undefined, 5],
    [0, 0],
    [7, 7],
    [100, 100],
  ])('are blocked: maxPrivateEndpointRemovals %s allows %i', (most, allowed) => {
    expect(decided({ goal: wants(most), inventory: many(allowed) }).blocked).toBeUndefined();
    expect(decided({ goal: wants(most), inventory: many(allowed + 1) }).blocked).toHaveLength(
      allowed + 1,
    );
  });

  test.each<Row>([
    [
      'count what is Missing: it may be in the next list',
      { goal: wants(), inventory: many(6, { state: 'Missing' }) },
      '+new; name Acme; blocked 6',
    ],
    [
      'count what has to wait',
      { goal: wants(), inventory: many(6, { nextAttemptTime: at(MINUTE) }) },
      '+new; name Acme; blocked 6',
    ],
    [
      'count before any list is known',
      { goal: wants(), inventory: many(6), list: null },
      'name Acme; blocked 6',
    ],
    [
      'do not count what was found',
      { goal: wants(), inventory: many(6, { origin: 'Found' }) },
      '+new; name Acme',
    ],
    [
      'do not count what is on its way out',
      { goal: wants(), inventory: many(6, { state: 'Removing' }) },
      '+new; name Acme',
    ],
  ])('%s', (_, given, says) => {
    expect(said(decided(given)).split('; ').toSorted()).toEqual(says.split('; ').toSorted());
  });

  test('do not matter on deletion', () => {
    const { blocked, remove } = decided({ goal: cleanup([]), inventory: many(120) });
    expect([blocked, remove.length]).toEqual([undefined, 120]);
  });
});

function holds(_: string, given: Given, says: string): void {
  expect(said(decided(given))).toBe(says);
}
