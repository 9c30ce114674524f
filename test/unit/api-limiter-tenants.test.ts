import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Permit, RateLimiter } from '../../src/api/limiter/contract.ts';
import { createRateLimiter } from '../../src/api/limiter/rate-limiter.ts';
import type { Lane } from '../../src/waiting-queue.ts';
import { FakeClock } from '../support/fake-clock.ts';

const RATE_MS = 5_000;
const MOST_LATENCY_MS = 1_000;
const MOST_DELAY_MS = 200;

/** An object of a tenant, and what its Secret holds. */
interface Actor {
  readonly tenant: string;
  readonly lane: Lane;
  readonly arrivesMs: number;
  readonly latencyMs: number;
  /** From a wake-up to its reconcile, and from the permit to the first byte. */
  readonly delayMs: number;
  readonly secret: /** `onRecord`: a status says that it has worked. */
    | { readonly is: 'good'; readonly onRecord: boolean }
    | { readonly is: 'bogus' }
    /** Another value, which does not work either, again and again. */
    | { readonly is: 'flips'; readonly everyMs: number }
    /** It works once and is refused from then on. */
    | { readonly is: 'revoked' };
}

const actor: fc.Arbitrary<Actor> = fc.record({
  tenant: fc.constantFrom('one', 'two', 'three'),
  lane: fc.constantFrom<Lane>('user', 'scheduled'),
  arrivesMs: fc.nat({ max: 10_000 }),
  latencyMs: fc.integer({ min: 1, max: MOST_LATENCY_MS }),
  delayMs: fc.nat({ max: MOST_DELAY_MS }),
  secret: fc.oneof(
    fc.record({ is: fc.constant('good' as const), onRecord: fc.boolean() }),
    fc.record({ is: fc.constant('bogus' as const) }),
    fc.record({ is: fc.constant('flips' as const), everyMs: fc.integer({ min: 50, max: 3_000 }) }),
    fc.record({ is: fc.constant('revoked' as const) }),
  ),
});

interface Started {
  readonly actor: Actor;
  readonly at: number;
  readonly status: number;
  endedAt: number;
}

/** Every one of them wants to call all the time, and asks again whenever anything happens. */
class World {
  readonly clock = new FakeClock();
  readonly started: Started[] = [];
  readonly limiter: RateLimiter;
  readonly #actors: readonly Actor[];
  readonly #calling = new Set<number>();
  readonly #worked = new Set<number>();

  constructor(actors: readonly Actor[], rate: { calls: number }) {
    this.#actors = actors;
    this.limiter = createRateLimiter({
      rate: { calls: rate.calls, perMs: RATE_MS },
      rateTotal: { calls: 0, perMs: 1_000 },
      inFlight: 4,
      clock: this.clock,
      wake: (key) => this.#later(Number(key), this.#actors[Number(key)]?.delayMs ?? 0),
    });
    actors.forEach(({ arrivesMs, secret }, id) => {
      this.#later(id, arrivesMs);
      if (secret.is === 'flips') this.#flip(id, arrivesMs, secret.everyMs);
    });
  }

  #later(id: number, delayMs: number): void {
    this.clock.at(delayMs, () => this.#reconcile(id));
  }

  #flip(id: number, delayMs: number, everyMs: number): void {
    this.clock.at(delayMs, () => {
      this.#reconcile(id);
      this.#flip(id, everyMs, everyMs);
    });
  }

  #reconcile(id: number): void {
    const own = this.#actors[id];
    if (!own || this.#calling.has(id)) return;
    const { secret } = own;
    const version = secret.is === 'flips' ? Math.floor(this.clock.monotonic() / secret.everyMs) : 0;
    const answer = this.limiter.tryStart({
      credential: `${id} ${version}`,
      key: String(id),
      tenant: own.tenant,
      target: String(id),
      lane: own.lane,
      isProven: secret.is === 'good' && secret.onRecord,
      // The user asks for a try all the time.
      probe: true,
    });
    if ('start' in answer) {
      this.#calling.add(id);
      this.clock.at(own.delayMs, () => this.#call(id, own, answer.start));
      return;
    }
    this.limiter.release(String(id));
  }

  #call(id: number, own: Actor, permit: Permit): void {
    if (!permit.begin()) {
      this.#end(id);
      return;
    }
    const isTaken =
      own.secret.is === 'good' || (own.secret.is === 'revoked' && !this.#worked.has(id));
    const call: Started = {
      actor: own,
      at: this.clock.monotonic(),
      status: isTaken ? 200 : 401,
      endedAt: Number.POSITIVE_INFINITY,
    };
    this.started.push(call);
    this.clock.at(own.latencyMs, () => {
      call.endedAt = this.clock.monotonic();
      if (isTaken) this.#worked.add(id);
      permit.finish({ answered: true, httpStatus: call.status });
      this.#end(id);
      this.#later(id, 500);
    });
  }

  #end(id: number): void {
    this.#calling.delete(id);
    this.limiter.release(String(id));
  }
}

function mostWithin(calls: readonly Started[], ms: number): number {
  const after = ({ at }: Started): number =>
    calls.filter((other) => other.at >= at && other.at < at + ms).length;
  return Math.max(0, ...calls.map(after));
}

/**
 * How long the first call of a good key may wait. Before it go, in the worst case, one call of each
 * tenant that waits for each key of its own tenant, and five times as many where they are users'
 * and its own is not. So many start in each window, which may open a call and two delays late.
 */
function longestWaitMs({ tenant }: Actor, actors: readonly Actor[], calls: number): number {
  const tenants = new Set(actors.map((other) => other.tenant)).size;
  const ofTenant = actors.filter((other) => other.tenant === tenant).length;
  const before = 5 * tenants * ofTenant;
  return Math.ceil(before / calls + 1) * (RATE_MS + MOST_LATENCY_MS + 2 * MOST_DELAY_MS);
}

it('answers of 401 are within one rate for all that have never worked, and no good key waits for ever', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(actor, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 4 }),
      async (actors, calls) => {
        const world = new World(actors, { calls });
        await world.clock.advance(10 * 60_000);
        const refused = world.started.filter(({ status }) => status === 401);
        const never = refused.filter((call) => call.actor.secret.is !== 'revoked');
        expect(mostWithin(never, RATE_MS)).toBeLessThanOrEqual(calls);
        const callsOf = (one: Actor): readonly Started[] =>
          world.started.filter((call) => call.actor === one);
        for (const one of actors.filter(({ secret }) => secret.is === 'revoked')) {
          // One probe at a time, at the pace of its own key.
          const own = callsOf(one);
          expect(mostWithin(own, RATE_MS)).toBeLessThanOrEqual(calls);
          for (const [n, call] of own.entries())
            expect(call.at).toBeGreaterThanOrEqual(own[n - 1]?.endedAt ?? 0);
        }
        for (const one of actors) {
          const { secret, arrivesMs, delayMs } = one;
          if (secret.is !== 'good') continue;
          const waited = (callsOf(one)[0]?.at ?? Number.POSITIVE_INFINITY) - arrivesMs;
          const most = secret.onRecord ? delayMs : longestWaitMs(one, actors, calls);
          expect(waited).toBeLessThanOrEqual(most);
        }
        world.limiter.close();
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);
