import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cancel, Clock } from '../../src/clock.ts';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { createElection, type Election } from '../../src/kube/lease/election.ts';
import { LEASE, type Lease } from '../../src/kube/lease/lease-record.ts';
import { objectPath } from '../../src/kube/resource.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { type Fate, forbidden, type Link, MemoryKube, refused } from '../support/memory-kube.ts';
import { recordingLog } from '../support/recording-log.ts';

const path = objectPath(LEASE, 'pw', 'pipewright');

/** A process's own view of time: it can be frozen, and its wall clock may be wrong. */
class ProcessClock implements Clock {
  readonly #base: Clock;
  readonly #skewMs: number;
  #frozen = false;
  readonly #due: (() => void)[] = [];

  constructor(base: Clock, skewMs = 0) {
    this.#base = base;
    this.#skewMs = skewMs;
  }

  now(): number {
    return this.#base.now() + this.#skewMs;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  at(delayMs: number, run: () => void): Cancel {
    let cancelled = false;
    const cancel = this.#base.at(delayMs, () => {
      if (this.#frozen) this.#due.push(() => !cancelled && run());
      else run();
    });
    return () => {
      cancelled = true;
      cancel();
    };
  }

  freeze(): void {
    this.#frozen = true;
  }

  /** Everything that fell due runs before anything that follows from it. */
  thaw(): void {
    this.#frozen = false;
    for (const run of this.#due.splice(0)) run();
  }

  /** What follows from one thing that fell due runs before the next. */
  async thawSlowly(): Promise<void> {
    this.#frozen = false;
    for (const run of this.#due.splice(0)) {
      run();
      await settle();
    }
  }
}

interface Candidate {
  readonly election: Election;
  readonly clock: ProcessClock;
  readonly stop: AbortController;
  readonly told: string[];
  readonly messages: string[];
  readonly ended: Promise<void>;
}

interface Start extends Partial<Pick<Link, 'fate' | 'watches'>> {
  readonly identity: string;
  readonly skewMs?: number;
  readonly onStarted?: () => void;
}

function start(kube: MemoryKube, base: Clock, options: Start): Candidate {
  const clock = new ProcessClock(base, options.skewMs);
  const stop = new AbortController();
  const told: string[] = [];
  const { log, messages } = recordingLog();
  const election = createElection({
    client: kube.client({ clock, ...options }),
    clock,
    log,
    namespace: 'pw',
    name: 'pipewright',
    identity: options.identity,
    onStarted: () => {
      told.push('started');
      options.onStarted?.();
    },
    onLost: () => told.push('lost'),
  });
  return { election, clock, stop, told, messages, ended: election.run(stop.signal) };
}

function record(kube: MemoryKube): NonNullable<Lease['spec']> {
  return (kube.get(path) as Lease | undefined)?.spec ?? {};
}

function writes(kube: MemoryKube): RequestCall[] {
  return kube.calls.filter((call) => call.method !== 'GET');
}

async function leaderAndStandby() {
  const kube = new MemoryKube();
  const clock = new FakeClock();
  const a = start(kube, clock, { identity: 'a' });
  await clock.advance(0);
  const b = start(kube, clock, { identity: 'b' });
  await clock.advance(1_000);
  return { kube, clock, a, b };
}

describe('acquiring', () => {
  test('takes a Lease that does not exist at once, with six digits in its times', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    expect(a.election.isLeader()).toBe(true);
    expect(a.election.mayStartCall()).toBe(true);
    expect(record(kube)).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test('leaves a holder alone for the whole lease since it was last seen to renew, whatever its clock says', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const held = {
      holderIdentity: 'b',
      leaseDurationSeconds: 15,
      renewTime: '1999-01-01T00:00:00.000000Z',
    };
    kube.set(path, { spec: { ...held, leaseTransitions: 7 } });
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(10_000);
    kube.set(path, {
      spec: { ...held, renewTime: '1999-01-01T00:00:02.000000Z', leaseTransitions: 7 },
    });
    await clock.advance(14_999);
    expect(a.election.isLeader()).toBe(false);
    await clock.advance(1);
    expect(a.election.isLeader()).toBe(true);
    expect(record(kube)).toMatchObject({
      holderIdentity: 'a',
      leaseTransitions: 8,
      acquireTime: '2026-01-01T00:00:25.000000Z',
    });
  });

  test.each([[undefined], ['silent' as const]])(
    'takes over after the storage went back to an older version, and asks no more than at other times (watch: %s)',
    async (watches) => {
      const kube = new MemoryKube();
      const clock = new FakeClock();
      const leader = start(kube, clock, { identity: 'a' });
      await clock.advance(0);
      const standby = start(kube, clock, { identity: 'b', ...(watches && { watches }) });
      const backup = kube.get(path) ?? {};
      await clock.advance(31_000);
      leader.clock.freeze();
      kube.rewind(path, backup, 14);
      const before = kube.calls.length;
      await clock.advance(20_000);
      expect(standby.election.isLeader()).toBe(true);
      expect(kube.calls.length - before).toBeLessThan(20);
    },
  );

  test('takes a change of labels for no sign of life', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const spec = { holderIdentity: 'b', leaseDurationSeconds: 15 };
    kube.set(path, { spec });
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(14_000);
    kube.set(path, { spec, metadata: { labels: { team: 'x' } } });
    await clock.advance(1_000);
    expect(a.election.isLeader()).toBe(true);
    expect(kube.get(path)?.metadata.labels).toEqual({ team: 'x' });
  });

  test('believes the holder about a longer lease than our own', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    kube.set(path, { spec: { holderIdentity: 'b', leaseDurationSeconds: 60 } });
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(59_999);
    expect(a.election.isLeader()).toBe(false);
    await clock.advance(1);
    expect(a.election.isLeader()).toBe(true);
  });

  test('reads nothing while the watch of a living leader talks', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    start(kube, clock, { identity: 'b' });
    await clock.advance(100);
    const before = kube.calls.filter((call) => call.method === 'GET' && call.path === path).length;
    await clock.advance(50_000);
    expect(kube.calls.filter((call) => call.method === 'GET' && call.path === path)).toHaveLength(
      before,
    );
  });

  test.each([['silent' as const], [forbidden('watch', 'leases', 'pw')]])(
    'takes over within 20 s of the last renewal although the watch is %s',
    async (watches) => {
      const kube = new MemoryKube();
      const clock = new FakeClock();
      const a = start(kube, clock, { identity: 'a' });
      await clock.advance(0);
      const b = start(kube, clock, { identity: 'b', watches });
      await clock.advance(31_000);
      a.clock.freeze();
      await clock.advance(20_000);
      expect(b.election.isLeader()).toBe(true);
      const complaints = b.messages.filter((message) =>
        message.includes('cannot use the leader election Lease'),
      );
      expect(complaints).toHaveLength(watches === 'silent' ? 0 : 1);
    },
  );

  test('names the missing rule once when it may not use the Lease, and leads when it may', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let may = false;
    const fate = (): Fate =>
      may ? {} : { fail: forbidden('get', 'leases', 'pw', 'coordination.k8s.io') };
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(60_000);
    expect(
      a.messages.filter((message) => message.includes('cannot use the leader election Lease')),
    ).toHaveLength(1);
    expect(a.messages.join()).toContain(
      '{apiGroups: ["coordination.k8s.io"], resources: ["leases"], resourceNames: ["pipewright"], verbs: ["get", "list", "watch", "update"]}',
    );
    may = true;
    await clock.advance(2_000);
    expect(a.election.isLeader()).toBe(true);
  });

  test('takes a Lease whose write was answered into the void for its own', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let losses = 1;
    const fate = (call: RequestCall): Fate =>
      call.method === 'POST' && losses-- > 0 ? { lost: 'reply' } : {};
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(6_000);
    expect(a.election.isLeader()).toBe(true);
    expect(record(kube)).toMatchObject({
      leaseTransitions: 0,
      acquireTime: '2026-01-01T00:00:00.000000Z',
    });
  });
});

describe('leading', () => {
  test('renews every two seconds with one write and nothing else', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    const before = kube.calls.length;
    await clock.advance(60_000);
    expect(kube.calls.slice(before).map((call) => call.method)).toEqual(
      Array.from({ length: 30 }, () => 'PUT'),
    );
    expect(record(kube)).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:01:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test('reads again and keeps the lead when somebody else changed the object', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    kube.set(path, { ...kube.get(path), metadata: { annotations: { note: 'mine' } } });
    await clock.advance(20_000);
    expect(a.told).toEqual(['started']);
    expect(kube.get(path)?.metadata.annotations).toEqual({ note: 'mine' });
  });

  test('is over when no renewal succeeded for ten seconds since the start of the last good one, and only once', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let cut = false;
    const a = start(kube, clock, {
      identity: 'a',
      fate: () => (cut ? { lost: 'request' } : { there: 400, back: 400 }),
    });
    // Acquired by a request that began at 800 (after one read); renewed by requests that began at
    // 2,800 and 4,800.
    await clock.advance(6_000);
    cut = true;
    await clock.advance(8_799);
    expect([a.election.mayStartCall(), a.told]).toEqual([true, ['started']]);
    await clock.advance(1);
    expect([a.election.mayStartCall(), a.told]).toEqual([false, ['started', 'lost']]);
    cut = false;
    await clock.advance(60_000);
    expect([a.election.mayStartCall(), a.election.isLeader(), a.told]).toEqual([
      false,
      false,
      ['started', 'lost'],
    ]);
    await a.ended;
  });

  test('may start nothing in a process that wakes from a freeze past the deadline, before any timer of it ran', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(2_500);
    a.clock.freeze();
    await clock.advance(9_499);
    expect(a.election.mayStartCall()).toBe(true);
    await clock.advance(1);
    expect(a.election.mayStartCall()).toBe(false);
    const before = writes(kube).length;
    await a.clock.thawSlowly();
    await clock.advance(30_000);
    expect([a.election.mayStartCall(), a.told]).toEqual([false, ['started', 'lost']]);
    expect(writes(kube), 'no renewal, which would keep others waiting').toHaveLength(before);
  });

  test('takes no renewal whose answer is read after the deadline, though nobody else took the Lease', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let puts = 0;
    // Renewals begin at 2,010 and 5,010, which are lost, and at 8,010, which is answered at 9,960.
    const fate = (call: RequestCall): Fate => {
      if (call.method !== 'PUT') return { back: 10 };
      puts += 1;
      return puts < 3 ? { lost: 'request' } : { back: 1_950 };
    };
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(9_900);
    expect(a.election.mayStartCall()).toBe(true);
    a.clock.freeze();
    await clock.advance(200);
    await a.clock.thawSlowly();
    expect([a.election.mayStartCall(), a.told]).toEqual([false, ['started', 'lost']]);
  });

  test('begins with a fresh renewal when it was frozen while it took the Lease', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a', fate: () => ({ back: 10 }) });
    await clock.advance(15);
    a.clock.freeze();
    await clock.advance(12_000);
    await a.clock.thawSlowly();
    await clock.advance(100);
    expect([a.election.mayStartCall(), a.told]).toEqual([true, ['started']]);
  });

  test('survives renewals that hang, since each has its own end well before the deadline', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let puts = 0;
    const fate = (call: RequestCall): Fate =>
      call.method === 'PUT' && ++puts % 3 !== 0 ? { lost: 'request' } : {};
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(300_000);
    expect([a.election.mayStartCall(), a.told]).toEqual([true, ['started']]);
    expect(
      a.messages.filter((message) => message.includes('cannot use the leader election Lease'))
        .length,
    ).toBeGreaterThan(0);
  });

  test('ends at once when another holds the Lease', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    kube.set(path, { spec: { holderIdentity: 'thief', leaseDurationSeconds: 15 } });
    await clock.advance(1_000);
    expect([a.election.mayStartCall(), a.told]).toEqual([false, ['started', 'lost']]);
    expect(record(kube).holderIdentity).toBe('thief');
  });

  test('makes a deleted Lease again as it was, before a standby that knew it takes it', async () => {
    const { kube, clock, a, b } = await leaderAndStandby();
    kube.remove(path);
    await clock.advance(60_000);
    expect([a.told, b.told]).toEqual([['started'], []]);
    expect(record(kube)).toMatchObject({
      holderIdentity: 'a',
      acquireTime: '2026-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  test.each([
    ['emptied', { holderIdentity: '', leaseDurationSeconds: 15 }],
    ['wiped', {}],
  ])('keeps a Lease that somebody else has %s, which tells its holder nothing', async (_, spec) => {
    const { kube, clock, a, b } = await leaderAndStandby();
    kube.set(path, { spec });
    for (let second = 0; second < 30; second += 1) {
      await clock.advance(1_000);
      expect([a, b].filter(({ election }) => election.mayStartCall()).length).toBeLessThan(2);
    }
    expect([a.told, b.told, record(kube).holderIdentity]).toEqual([['started'], [], 'a']);
  });

  test('makes it again before a standby takes it that stood still until it was deleted', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    const b = start(kube, clock, { identity: 'b', watches: 'silent' });
    await clock.advance(1_000);
    b.clock.freeze();
    await clock.advance(60_000);
    kube.remove(path);
    await b.clock.thawSlowly();
    await clock.advance(60_000);
    expect([a.told, b.told]).toEqual([['started'], []]);
  });

  test.each([
    ['names a standby of now', 'b'],
    ['nobody held', ''],
  ])(
    'is not shared where a restored cluster has a Lease that %s: whoever led until then has its time',
    async (_, holder) => {
      const kube = new MemoryKube();
      const clock = new FakeClock();
      let isCut = false;
      const a = start(kube, clock, {
        identity: 'a',
        fate: () => (isCut ? { lost: 'request' } : {}),
      });
      await clock.advance(0);
      const b = start(kube, clock, { identity: 'b' });
      await clock.advance(20_000);
      b.clock.freeze();
      await clock.advance(20_000);
      isCut = true;
      const spec = {
        holderIdentity: holder,
        leaseDurationSeconds: 15,
        renewTime: '2026-01-01T00:00:00.000000Z',
      };
      kube.rewind(
        path,
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {}, spec },
        5,
      );
      await b.clock.thawSlowly();
      for (let second = 0; second < 30; second += 1) {
        await clock.advance(1_000);
        expect([a, b].filter(({ election }) => election.mayStartCall()).length).toBeLessThan(2);
      }
      expect(b.told).toEqual(['started']);
    },
  );

  test('moves with a jump of the wall clock in neither direction', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(0);
    const b = start(kube, clock, { identity: 'b' });
    for (const jump of [3_600_000, -7_200_000]) {
      await clock.advance(5_000);
      clock.jumpWall(jump);
      expect(a.election.mayStartCall()).toBe(true);
    }
    await clock.advance(30_000);
    expect([a.told, b.told]).toEqual([['started'], []]);
  });
});

describe('stopping', () => {
  test('releases the Lease, and a standby takes it within two seconds', async () => {
    const { kube, clock, a, b } = await leaderAndStandby();
    a.stop.abort();
    await a.ended;
    expect(a.told).toEqual(['started']);
    await clock.advance(100);
    expect(b.election.isLeader()).toBe(true);
    expect(record(kube)).toMatchObject({
      holderIdentity: 'b',
      leaseTransitions: 1,
      leaseDurationSeconds: 15,
    });
  });

  test('empties the holder under the version that it knows, after a change of somebody else too', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    kube.set(path, { ...kube.get(path), metadata: { labels: { team: 'x' } } });
    a.stop.abort();
    await clock.advance(0);
    await a.ended;
    expect(record(kube)).toMatchObject({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      leaseTransitions: 0,
    });
    expect(kube.get(path)?.metadata.labels).toEqual({ team: 'x' });
  });

  test('takes nothing away from another holder', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(1_000);
    kube.set(path, { spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
    a.stop.abort();
    await clock.advance(0);
    await a.ended;
    expect(record(kube).holderIdentity).toBe('b');
  });

  test('gives back a Lease that it may have got by a write under way', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    const fate = (call: RequestCall): Fate => (call.method === 'POST' ? { lost: 'reply' } : {});
    const a = start(kube, clock, { identity: 'a', fate });
    await clock.advance(100);
    expect(record(kube).holderIdentity).toBe('a');
    a.stop.abort();
    await clock.advance(0);
    await a.ended;
    expect([record(kube).holderIdentity, a.told]).toEqual(['', []]);
  });

  test('ends within five seconds although the API server does not answer', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    let cut = false;
    const a = start(kube, clock, { identity: 'a', fate: () => (cut ? { lost: 'request' } : {}) });
    await clock.advance(1_000);
    cut = true;
    a.stop.abort();
    let ended = false;
    void a.ended.then(() => {
      ended = true;
    });
    await clock.advance(5_000);
    expect([ended, a.election.mayStartCall()]).toEqual([true, false]);
  });

  test('writes nothing when it was a standby', async () => {
    const kube = new MemoryKube();
    const clock = new FakeClock();
    kube.set(path, { spec: { holderIdentity: 'b', leaseDurationSeconds: 15 } });
    const a = start(kube, clock, { identity: 'a' });
    await clock.advance(3_000);
    a.stop.abort();
    await clock.advance(0);
    await a.ended;
    expect(writes(kube)).toEqual([]);
  });
});

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
      if (mine.has('fail')) return { fail: refused({ method: 'PUT', path }, 500, 'InternalError') };
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
      if (one.what === 'touch' && kube.get(path))
        kube.set(path, { ...kube.get(path), metadata: { labels: { touched: String(one.from) } } });
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
