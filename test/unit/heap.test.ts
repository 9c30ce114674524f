import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { createRestCollector } from '../../src/heap.ts';
import { FakeClock } from '../support/fake-clock.ts';

const MB = 2 ** 20;

function aCollector() {
  const clock = new FakeClock();
  const heap = { bytes: 40 * MB, collections: 0, growth: [] as number[] };
  const collector = createRestCollector({
    clock,
    heapBytes: () => heap.bytes,
    collect: () => {
      heap.collections += 1;
      heap.bytes = 20 * MB;
    },
    letGrow: (percent) => heap.growth.push(percent),
  });
  return { clock, heap, collector };
}

test('collects once, five seconds after the last activity of a burst', async () => {
  const { clock, heap, collector } = aCollector();
  for (let step = 0; step < 4; step += 1) {
    collector.active();
    await clock.advance(4_000);
  }
  expect(heap.collections).toBe(0);
  await clock.advance(1_000);
  expect(heap.collections).toBe(1);
});

test('a large heap may grow by 48 MB but not to more than double while there is work, a small or a huge one by a fifth', async () => {
  const { clock, heap, collector } = aCollector();
  const growths: (number | undefined)[] = [];
  for (const bytes of [31, 32, 48, 64, 96, 240, 1_000]) {
    heap.bytes = bytes * MB;
    for (let second = 0; second < 10; second += 1) {
      collector.active();
      await clock.advance(1_000);
    }
    growths.push(heap.growth.at(-1));
  }
  expect(growths).toEqual([20, 100, 100, 75, 50, 20, 20]);
  expect(heap.collections).toBe(0);
});

test('what a burst let the heap grow by is over with the burst', async () => {
  const { clock, heap, collector } = aCollector();
  collector.active();
  await clock.advance(4_000);
  collector.active();
  await clock.advance(1_000);
  expect(heap.growth).toEqual([100]);
  await clock.advance(5_000);
  expect([heap.growth.at(-1), heap.collections]).toEqual([20, 1]);
});

test('holds no timer at rest, and one however much happens', async () => {
  const { clock, collector } = aCollector();
  expect(clock.pending).toBe(0);
  for (let step = 0; step < 100; step += 1) collector.active();
  expect(clock.pending).toBe(1);
  await clock.advance(60_000);
  expect(clock.pending).toBe(0);
});

test('a small burst is not worth stopping everything for; small ones that add up are', async () => {
  const { clock, heap, collector } = aCollector();
  collector.active();
  await clock.advance(5_000);
  expect(heap.collections).toBe(1);
  for (const [bytes, collections] of [
    [28 * MB, 1],
    [35 * MB, 1],
    [36 * MB, 2],
  ] as const) {
    heap.bytes = bytes;
    collector.active();
    await clock.advance(5_000);
    expect(heap.collections).toBe(collections);
  }
});

test('the real collection gives the garbage of a burst back', async () => {
  // As in main.
  setFlagsFromString('--expose-gc');
  const clock = new FakeClock();
  const collector = createRestCollector({ clock });
  const before = process.memoryUsage().heapUsed;
  let burst: object[] = Array.from({ length: 500_000 }, (_, index) => ({ index }));
  expect(process.memoryUsage().heapUsed - before).toBeGreaterThan(10 * MB);
  burst = [];
  collector.active();
  await clock.advance(5_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 * MB);
  expect(burst).toEqual([]);
});

/**
 * What V8 says after a collection of the whole heap, in KB: what is in use, and how much may be
 * before the next one.
 */
async function limitAt(percent: number): Promise<{ used: number; limit: number }> {
  const module = pathToFileURL(join(import.meta.dirname, '../../src/v8.ts')).href;
  const script = `
    import { letHeapGrow } from '${module}';
    letHeapGrow(${percent});
    globalThis.kept = Array.from({ length: 300_000 }, (_, i) => ({ text: [i, i, i, i] }));
    gc();`;
  const args = ['--trace-gc-verbose', '--expose-gc', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const said = [
    ...stdout.matchAll(/\[HeapController\] Limit: old size: (\d+) KB, new limit: (\d+) KB/g),
  ];
  const [, used, limit] = said.at(-1)?.map(Number) ?? [];
  if (used === undefined || limit === undefined) throw new Error(`V8 says no limit: ${stdout}`);
  return { used, limit };
}

test('a heap that may grow by more has more room before it is collected', async () => {
  const [less, more] = await Promise.all([limitAt(20), limitAt(200)]);
  expect(less.used).toBeGreaterThan(10_000);
  expect(more.limit - less.limit).toBeGreaterThan(1.7 * less.used);
  expect(more.limit - less.limit).toBeLessThan(1.9 * less.used);
});
