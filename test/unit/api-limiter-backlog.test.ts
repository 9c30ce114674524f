import { expect, test } from 'vitest';
import { createRateLimiter } from '../../src/api/limiter/rate-limiter.ts';
import { type Lane, Queue } from '../../src/controller/queue.ts';
import { FakeClock } from '../support/fake-clock.ts';

const CALLS = 10;
const RATE_MS = 10_000;
const WORKERS = 10;
const RECONCILE_MS = 20;
const LATENCY_MS = 50;

/** The real queue and the real limiter, with workers that do what a reconcile does with them. */
class World {
  readonly clock = new FakeClock();
  /** When each key asked first, and when its call started. */
  readonly asked = new Map<string, number>();
  readonly started = new Map<string, number>();
  readonly #queue = new Queue({ clock: this.clock });
  readonly #limiter = createRateLimiter({
    rate: { calls: CALLS, perMs: RATE_MS },
    rateTotal: { calls: 0, perMs: 1_000 },
    inFlight: 4,
    clock: this.clock,
    wake: (key, lane, holdsSlot) => this.#queue.add(key, lane, holdsSlot),
  });
  readonly #lane: Lane;
  readonly #stop = new AbortController();

  constructor(lane: Lane) {
    this.#lane = lane;
    for (let index = 0; index < WORKERS; index += 1) void this.#work();
  }

  add(namespace: string, name: string, count = 1): void {
    for (let index = 0; index < count; index += 1)
      this.#queue.add(`K/${namespace}/${name}${index}`, this.#lane);
  }

  end(): void {
    this.#stop.abort();
    this.#limiter.close();
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    const take = (): Promise<string | undefined> => this.#queue.take(signal);
    for (let key = await take(); key !== undefined; key = await take()) {
      await this.#wait(RECONCILE_MS);
      // What makes no call is wanted again at once.
      if (key.includes('/busy')) this.#queue.add(key, this.#lane);
      else await this.#call(key);
      this.#queue.done(key);
    }
  }

  /** With a key of its own, which has never worked. */
  async #call(key: string): Promise<void> {
    const tenant = key.split('/')[1] ?? '';
    if (!this.asked.has(key)) this.asked.set(key, this.clock.monotonic());
    const own = { credential: key, key, tenant, target: key, lane: this.#lane };
    const answer = this.#limiter.tryStart(own);
    if ('start' in answer && answer.start.begin()) {
      this.started.set(key, this.clock.monotonic());
      await this.#wait(LATENCY_MS);
      answer.start.finish({ answered: true, httpStatus: 401 });
    }
    this.#limiter.release(key);
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.at(ms, resolve));
  }
}

test.each<Lane>(['user', 'scheduled'])(
  'a first call waits for one window, however many keys of another namespace wait for workers (%s)',
  async (lane) => {
    const world = new World(lane);
    // Two namespaces are at work, and one has more keys to try than one window has slots.
    world.add('good', 'warm');
    world.add('hostile', 'untried', 10 * CALLS);
    await world.clock.advance(500);
    world.add('hostile', 'busy', 3_000);
    // The next window: its slots are the hostile namespace's, whose keys are woken for them.
    await world.clock.advance(RATE_MS);
    world.add('good', 'first');
    await world.clock.advance(60_000);
    const asked = world.asked.get('K/good/first0') ?? 0;
    const started = world.started.get('K/good/first0') ?? Number.POSITIVE_INFINITY;
    // Those slots are used one after another at worst, and come free one window after their calls.
    expect(started - asked).toBeLessThanOrEqual(RATE_MS + CALLS * (RECONCILE_MS + LATENCY_MS));
    world.end();
  },
  60_000,
);
