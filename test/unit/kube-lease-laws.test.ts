import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createElection } from '../../src/kube/lease/election.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Candidate, LEASE_PATH, start } from '../support/lease-candidates.ts';
import { type Fate, MemoryKube, refused } from '../support/memory-kube.ts';
import { recordingLog } from '../support/recording-log.ts';

test('refuses times under which two could lead', () => {
  const { log } = recordingLog();
  const clock = new FakeClock();
  const client = new MemoryKube().client({ clock });
  const rest = {
    client,
    clock,
    log,
    namespace: 'a',
    name: 'b',
    identity: 'c',
    onStarted: () => {},
    onLost: () => {},
  };
  expect(() => createElection({ ...rest, leaseMs: 10_000, renewMs: 10_000 })).toThrow(RangeError);
});

describe('whatever happens to three processes', () => {
  const times = fc.integer({ min: 0, max: 40_000 });
  const spell = fc.record({
    who: fc.integer({ min: 0, max: 2 }),
    from: times,
    lengthMs: fc.integer({ min: 500, max: 25_000 }),
    what: fc.constantFrom(
      'freeze',
      'lose requests',
      'lose replies',
      'slow',
      'stop',
      'touch',
      'fail',
    ),
  });

  test('two never lead at once, and one does again when it is over', {
    timeout: 60_000,
  }, async () => {
    let elections = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(spell, { minLength: 1, maxLength: 8 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 6_000 })),
        async (spells, delays) => {
          elections += await live(spells, () => Number(delays.next().value));
        },
      ),
      { numRuns: 500 },
    );
    expect(elections).toBeGreaterThan(800);
  });

  interface Spell {
    readonly who: number;
    readonly from: number;
    readonly lengthMs: number;
    readonly what: string;
  }

  async function live(spells: readonly Spell[], delay: () => number): Promise<number> {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const all: Candidate[] = [];
    const present: Candidate[] = [];
    const on = new Set<Spell>();
    const together: string[] = [];
    let elections = 0;

    const fateOf = (who: number): Fate => {
      const mine = new Set([...on].filter((one) => one.who === who).map((one) => one.what));
      if (mine.has('lose requests')) return { lost: 'request' };
      if (mine.has('lose replies')) return { there: delay(), lost: 'reply' };
      if (mine.has('fail'))
        return { fail: refused({ method: 'PUT', path: LEASE_PATH }, 500, 'InternalError') };
      if (mine.has('slow')) return { there: delay(), back: delay() };
      return { there: 5, back: 5 };
    };

    const enter = (who: number): void => {
      const candidate = start(kube, clock, {
        identity: `p${who}-${all.length}`,
        skewMs: (who - 1) * 3_600_000,
        fate: () => fateOf(who),
        // Leadership of one process never comes back, so two lead at once only if they do when the
        // later one starts.
        onStarted: () => {
          elections += 1;
          const others = all.filter((one) => one !== candidate && one.election.mayStartCall());
          if (others.length > 0) together.push(`${clock.monotonic()} ms`);
        },
      });
      all.push(candidate);
      present[who] = candidate;
      void candidate.ended.then(() => clock.at(1_000, () => enter(who)));
    };

    const begin = (one: Spell): void => {
      on.add(one);
      if (one.what === 'freeze') present[one.who]?.clock.freeze();
      if (one.what === 'stop') present[one.who]?.stop.abort();
      if (one.what === 'touch' && kube.get(LEASE_PATH))
        kube.set(LEASE_PATH, {
          ...kube.get(LEASE_PATH),
          metadata: { labels: { touched: String(one.from) } },
        });
    };

    const end = (one: Spell): void => {
      on.delete(one);
      if (one.what === 'freeze') for (const candidate of all) candidate.clock.thaw();
    };

    for (const who of [0, 1, 2]) clock.at(who * 700, () => enter(who));
    for (const one of spells) {
      clock.at(one.from, () => begin(one));
      clock.at(one.from + one.lengthMs, () => end(one));
    }
    await clock.advance(70_000);
    await clock.advance(45_000);
    expect(together, 'two lead at once').toEqual([]);
    expect(all.filter((one) => one.election.mayStartCall())).toHaveLength(1);
    for (const one of all) one.stop.abort();
    await clock.advance(6_000);
    return elections;
  }
});
