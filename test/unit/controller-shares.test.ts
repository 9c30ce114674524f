import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lanes } from '../../src/controller/lanes.ts';
import { type Lane, Queue } from '../../src/controller/queue.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';

/** Workers whose reconciles end only when they are told to. */
class Workers {
  readonly queue = new Queue({ clock: new FakeClock() });
  /** Keys in hand, in the order in which they were taken. */
  readonly held: string[] = [];
  readonly #ends = new Map<string, () => void>();
  readonly #stop = new AbortController();
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
    for (let index = 0; index < count; index += 1) void this.#work();
  }

  get free(): number {
    return this.#count - this.held.length;
  }

  heldOf(namespace: string): number {
    return this.held.filter((key) => namespaceOf(key) === namespace).length;
  }

  async end(key: string): Promise<void> {
    this.#ends.get(key)?.();
    await settle();
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    for (
      let key = await this.queue.take(signal);
      key !== undefined;
      key = await this.queue.take(signal)
    ) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.held.push(key);
      this.#ends.set(key, resolve);
      await promise;
      this.held.splice(this.held.indexOf(key), 1);
      this.queue.done(key);
    }
  }
}

function namespaceOf(key: string): string {
  return key.split('/')[1] ?? '';
}

function add({ queue }: Workers, namespace: string, count: number, lane: Lane = 'user'): void {
  for (let index = 0; index < count; index += 1) queue.add(`Kind/${namespace}/${index}`, lane);
}

describe('workers', () => {
  test('are all used by one namespace where there is no other', async () => {
    const workers = new Workers(10);
    add(workers, 'only', 100);
    await settle();
    expect(workers.free).toBe(0);
  });

  test('are half held by a namespace whose reconciles hang, where there is another one', async () => {
    const workers = new Workers(10);
    add(workers, 'other', 1, 'scheduled');
    await settle();
    await workers.end('Kind/other/0');
    add(workers, 'hangs', 100);
    await settle();
    expect([workers.heldOf('hangs'), workers.free]).toEqual([5, 5]);
    add(workers, 'hangs too', 100);
    await settle();
    expect([workers.heldOf('hangs too'), workers.free]).toEqual([3, 2]);
    for (let round = 0; round < 20; round += 1) {
      workers.queue.add(`Kind/other/${round}`, 'scheduled');
      await settle();
      expect(workers.heldOf('other')).toBe(1);
      await workers.end(`Kind/other/${round}`);
    }
  });

  test.each([1, 2, 3])('of whom there are %i serve every namespace', async (count) => {
    const workers = new Workers(count);
    for (const namespace of ['a', 'b', 'c']) add(workers, namespace, 5);
    await settle();
    const served: string[] = [];
    for (let [first] = workers.held; first !== undefined; [first] = workers.held) {
      served.push(first);
      await workers.end(first);
    }
    expect(served).toHaveLength(15);
  });

  test('are never kept from a namespace that holds none, nor taken beyond half by one that does', async () => {
    const namespace = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const lane = fc.constantFrom<Lane>('user', 'scheduled');
    const step = fc.oneof(
      fc.record({
        do: fc.constant('add' as const),
        namespace,
        name: fc.nat({ max: 9 }),
        lane,
      }),
      fc.record({ do: fc.constant('end' as const), which: fc.nat({ max: 20 }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(step, { maxLength: 60 }),
        async (count, steps) => {
          const workers = new Workers(count);
          // Another namespace has been seen.
          for (const other of ['x', 'y']) add(workers, other, 1);
          await settle();
          for (const other of ['x', 'y', 'x', 'y']) await workers.end(`Kind/${other}/0`);
          const waiting = new Set<string>();
          for (const each of steps) {
            if (each.do === 'add') {
              const key = `Kind/${each.namespace}/${each.name}`;
              if (workers.held.includes(key)) continue;
              waiting.add(key);
              workers.queue.add(key, each.lane);
              await settle();
            } else await workers.end(workers.held[each.which % workers.held.length] ?? '');
            for (const key of workers.held) waiting.delete(key);
            expect(workers.queue.depth).toBe(waiting.size);
            for (const key of workers.held)
              expect(workers.heldOf(namespaceOf(key))).toBeLessThanOrEqual(Math.ceil(count / 2));
            if (workers.free === 0) continue;
            for (const key of waiting)
              expect(workers.heldOf(namespaceOf(key))).toBeGreaterThanOrEqual(1);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('the order of keys', () => {
  test('gives each of 1,000 namespaces its turn, and within one the oldest goes first', () => {
    const lanes = new Lanes();
    for (let namespace = 0; namespace < 1_000; namespace += 1)
      for (let index = 0; index < 10; index += 1) lanes.push(`Kind/n${namespace}/${index}`, 'user');
    for (let round = 0; round < 10; round += 1) {
      const keys = Array.from({ length: 1_000 }, () => lanes.shift() ?? '');
      expect(new Set(keys.map(namespaceOf)).size).toBe(1_000);
      expect(keys.every((key) => key.endsWith(`/${round}`))).toBe(true);
    }
    expect(lanes.size).toBe(0);
  });

  test('lets a namespace with one key wait for one key of each other one, not for all of them', () => {
    const lanes = new Lanes();
    for (let index = 0; index < 5_000; index += 1) lanes.push(`Kind/many/${index}`, 'user');
    for (const namespace of ['b', 'c']) lanes.push(`Kind/${namespace}/0`, 'user');
    const first = Array.from({ length: 3 }, () => namespaceOf(lanes.shift() ?? ''));
    expect(first).toEqual(['many', 'b', 'c']);
  });
});
