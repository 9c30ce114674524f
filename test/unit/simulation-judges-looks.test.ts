import { describe, expect, it } from 'vitest';
import { KEY, LOOK, OURS, organization, ready, shown } from '../simulation/by-hand/objects.ts';
import { CONTESTED } from '../simulation/scope/moves.ts';

describe('judge of looks', () => {
  /** A look is followed by a change more than two minutes later; meanwhile requests to the API server have no answer. */
  async function heldUp(way: 'add' | 'remove', hanging: string): Promise<string[]> {
    const record = organization({ privateEndpoints: way === 'add' ? [CONTESTED] : [] });
    const there = way === 'add' ? [] : [CONTESTED];
    const privateEndpoints = way === 'add' ? [] : [OURS];
    record.writes('one-1', KEY, { ...ready('NotConfirmed', 1), privateEndpoints });
    await record.until(10);
    record.calls('one-1', KEY, LOOK, shown('Old', ...there));
    for (const seconds of [60, 110, 150]) {
      await record.until(seconds);
      record.hangs(hanging, KEY);
    }
    await record.until(155);
    record.leaves('one-1', KEY, { privateEndpoints: { add: [], remove: [], [way]: [CONTESTED] } });
    return record.rulesSoFar().filter((rule) => rule.startsWith('I1'));
  }

  it.each(['add', 'remove'] as const)(
    'lets an attempt to %s wait while the API server does not answer',
    async (way) => {
      expect(await heldUp(way, 'one-1')).toEqual([]);
    },
  );

  it.each([
    ['add', 'I1 no-look'],
    ['remove', 'I1 unseen'],
  ] as const)('does not let it wait (%s) because another process has no answer', async (way, rule) => {
    expect(await heldUp(way, 'two-1')).toEqual([rule]);
  });
});
