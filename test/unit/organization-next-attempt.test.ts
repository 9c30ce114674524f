import { describe, expect, test } from 'vitest';
import type { InventoryEntry } from '../../src/kinds/organization/resource.ts';
import { astray, HOUR, MINUTE, SECOND } from '../support/objects.ts';
import { type AttemptRig, type AttemptWish, attemptOn } from '../support/organization-attempt.ts';
import { appliedStatus, at, e, entry } from '../support/organization-entries.ts';
import { ours, told } from '../support/organization-told.ts';
import { SETTLE_MS } from '../support/settlement.ts';

const READY = {
  type: 'Ready',
  status: 'False',
  message: 'as before',
  observedGeneration: 1,
  lastTransitionTime: at(-HOUR),
} as const;

describe('the next attempt', () => {
  /** By how much a wait misses ±20 %. */
  const off = (wait: number | undefined, ms: number) => astray(wait ?? 0, ms);
  const later = (rig: AttemptRig, ms: number) => {
    rig.now += ms;
    return told(rig);
  };
  const pending = { time: at(0), add: [e('a')], remove: [] };

  test('is none where all is as declared, but for a re-assert', async () => {
    expect((await told(attemptOn({}))).wait).toBeUndefined();
    expect(
      off((await told(attemptOn({ spec: { reassertInterval: '24h' } }))).wait, 24 * HOUR),
    ).toBe(0);
  });

  test('is when what is missing counts as gone', async () => {
    const rig = attemptOn({ ...ours('a'), held: [] });
    const waits = [(await told(rig)).wait, (await later(rig, 10 * SECOND)).wait];
    expect(Math.max(...waits.map(Number))).toBeLessThanOrEqual(MINUTE);
    expect((await later(rig, 45 * SECOND)).wait, '55 s after it was first missed').toBe(5 * SECOND);
  });

  test('is when an add that is not shown is over, however long the class would wait', async () => {
    const rig = attemptOn({ mishaps: { '+a': ['idle'] } });
    await rig.run();
    for (const ms of [10 * SECOND, 60 * SECOND]) await later(rig, ms);
    expect((await later(rig, 20 * SECOND)).wait).toBe(SETTLE_MS - 90 * SECOND);
  });

  test.each<readonly [string, AttemptWish['mishaps']]>([
    ['the API answers 429', { observe: [429] }],
    ['the key is refused', { observe: [401] }],
    ['the list is left out', { observe: ['no-list'] }],
  ])('is when a lost change is over, also while %s', async (_, mishaps = {}) => {
    const rig = attemptOn({ status: appliedStatus([], { pendingChange: pending }), mishaps });
    expect((await later(rig, SETTLE_MS - 3 * SECOND)).wait).toBeLessThanOrEqual(3 * SECOND);
  });

  test.each<readonly [string, AttemptWish['mishaps'], number]>([
    ['an outage', { observe: Array.from({ length: 12 }, () => 503) }, 5 * MINUTE],
    [
      'a list that is not shown',
      { observe: Array.from({ length: 12 }, () => 'odd-list' as const) },
      5 * MINUTE,
    ],
  ])('backs off in %s that outlasts a lost change', async (_, mishaps = {}, ms) => {
    const rig = attemptOn({ status: appliedStatus([], { pendingChange: pending }), mishaps });
    let last: number | undefined;
    for (let round = 0; round < 12; round += 1) last = (await later(rig, 10 * MINUTE)).wait;
    expect(off(last, ms)).toBe(0);
  });

  test('is when what was refused is due', async () => {
    const rig = attemptOn({
      ids: ['a', 'b'],
      mishaps: { '+a +b': [422], '+a': [400], '+b': [409] },
    });
    expect(off((await told(rig)).wait, MINUTE)).toBe(0);
  });

  test('is when a lost change is over, however often it was asked for', async () => {
    const ready = { ...READY, reason: 'OutcomeUnknown' } as const;
    const status = appliedStatus([], { pendingChange: pending, conditions: [ready], attempts: 9 });
    const rig = attemptOn({ status });
    expect((await later(rig, SETTLE_MS - 20 * SECOND)).wait).toBe(20 * SECOND);
  });

  test('is when what was refused is due, also while another one waits for hours', async () => {
    const ready = { ...READY, reason: 'NotConfirmed' } as const;
    const refused = { lastError: { httpStatus: 423 }, nextAttemptTime: at(50 * SECOND) };
    const inventory: InventoryEntry[] = [
      entry('a', { state: 'Unconfirmed', since: at(-HOUR), nextAttemptTime: at(5 * HOUR) }),
      { ...e('b'), state: 'Refused', ...refused },
    ];
    const status = appliedStatus(inventory, { conditions: [ready], attempts: 7 });
    expect((await told(attemptOn({ ids: ['a', 'b'], status }))).wait).toBe(50 * SECOND);
  });

  test('is not every second where what was refused is kept back by a conflict', async () => {
    const rig = attemptOn({ mishaps: { '+a': [400] } });
    await rig.run();
    rig.held.push(e('a', { region: 'r2' }));
    expect((await later(rig, HOUR)).wait).toBeGreaterThan(5 * MINUTE);
  });
});
