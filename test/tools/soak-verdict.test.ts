import { describe, expect, test } from 'vitest';
import { type Holdings, judge, type Memory } from '../faults/load/soak-verdict.ts';
import { Draw } from '../simulation/engine/draw.ts';

const MINUTE = 60_000;
const WARM_UP_MS = 5 * MINUTE;

/**
 * Half an hour of a process that is busy: what it holds goes up and down, and grows by so much a
 * minute.
 */
function halfAnHour(
  growth: Partial<
    Record<'rssMb' | 'heapMb' | 'sockets' | 'timers' | 'listeners' | 'handles', number>
  >,
) {
  const draw = new Draw('figures');
  const at = (atMs: number, base: number, what: keyof typeof growth): number =>
    base + Math.floor(draw.fraction() * (base / 10)) + (atMs / MINUTE) * (growth[what] ?? 0);
  const memory: Memory[] = Array.from({ length: 180 }, (_, index) => {
    const atMs = (index + 1) * 10_000;
    return { atMs, rssMb: at(atMs, 120, 'rssMb') + (atMs < WARM_UP_MS ? 60 : 0) };
  });
  const holdings: Holdings[] = Array.from({ length: 15 }, (_, index) => {
    const atMs = (index + 1) * 2 * MINUTE;
    return {
      atMs,
      heapMb: at(atMs, 16, 'heapMb'),
      sockets: at(atMs, 14, 'sockets'),
      timers: at(atMs, 25, 'timers'),
      listeners: at(atMs, 400, 'listeners'),
      handles: at(atMs, 60, 'handles'),
    };
  });
  return judge({ memory, holdings, warmUpMs: WARM_UP_MS })
    .filter(({ flat }) => !flat)
    .map(({ what }) => what);
}

describe('Soak: the verdict', () => {
  test('ups and downs, and what happens while warming up, are no growth', () => {
    expect(halfAnHour({})).toEqual([]);
  });

  test.each([
    ['resident memory, MB', { rssMb: 0.5 }],
    ['heap after a collection, MB', { heapMb: 0.1 }],
    ['sockets', { sockets: 0.5 }],
    ['timers', { timers: 0.5 }],
    ['listeners', { listeners: 3 }],
    ['other handles', { handles: 0.5 }],
  ] as const)('%s that grow are found', (what, growth) => {
    expect(halfAnHour(growth)).toEqual([what]);
  });

  test('what was hardly looked at is not flat', () => {
    expect(judge({ memory: [], holdings: [], warmUpMs: 0 }).every(({ flat }) => !flat)).toBe(true);
  });
});
