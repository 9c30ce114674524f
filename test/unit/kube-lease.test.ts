import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Candidate, type Fate, LeaseWorld } from '../support/lease-world.ts';

const SPEC = { holderIdentity: 'b', leaseDurationSeconds: 15 };

async function leader(): Promise<{ world: LeaseWorld; a: Candidate }> {
  const world = new LeaseWorld();
  const a = world.start('a');
  await world.clock.advance(0);
  return { world, a };
}

describe('who finds no Lease', () => {
  test('makes it, and renews it every 2 s', async () => {
    const { world, a } = await leader();
    const at = '2026-01-01T00:00:00.000000Z';
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 15 };
    expect(world.lease?.spec).toEqual({ ...spec, renewTime: at });
    await world.clock.advance(4_000);
    const renewTime = '2026-01-01T00:00:04.000000Z';
    expect(world.lease?.spec).toEqual({ ...spec, renewTime });
    expect([a.did, a.election.isLeader(), a.election.mayStartCall()]).toEqual([
      ['works'],
      true,
      true,
    ]);
  });

  test('says once why it cannot have it, and leads when it can', async () => {
    const world = new LeaseWorld();
    const body =
      'leases.coordination.k8s.io "pipewright" is forbidden: User "system:serviceaccount:pw:pw" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "pw"';
    const a = world.start('a', { fate: () => ({ refused: { status: 403, body } }) });
    await world.clock.advance(5_000);
    const said =
      /^warn cannot use the leader election Lease.*system:serviceaccount:pw:pw.* cannot get resource/;
    expect(a.messages).toEqual([expect.stringMatching(said)]);
    a.fate = () => ({});
    await world.clock.advance(2_000);
    expect(a.election.isLeader()).toBe(true);
  });
});

describe('who finds the Lease of another', () => {
  async function standby(options?: { skewMs: number }) {
    const world = new LeaseWorld();
    world.set(SPEC);
    const a = world.start('a', options);
    await world.clock.advance(0);
    return { world, a };
  }

  test.each([0, -3_600_000, 3_600_000])(
    'takes it when it has seen it unchanged for 15 s, whatever the time is (%i ms off)',
    async (skewMs) => {
      const { world, a } = await standby({ skewMs });
      await world.clock.advance(14_999);
      expect([a.did, world.lease?.spec?.holderIdentity]).toEqual([[], 'b']);
      await world.clock.advance(2_000);
      expect(a.did).toEqual(['works']);
      expect(world.lease?.spec).toMatchObject({ holderIdentity: 'a' });
      expect(a.messages.filter((line) => line.includes('standing by'))).toHaveLength(1);
    },
  );

  test('leaves it alone while it is renewed, and asks with one GET every 2 s', async () => {
    const { world, a } = await standby();
    for (let seconds = 0; seconds < 60; seconds += 10) {
      world.set({ ...SPEC, renewTime: String(seconds) });
      await world.clock.advance(10_000);
    }
    expect([a.did, world.requests]).toEqual([[], 31]);
  });

  test('takes one that was released at its next look', async () => {
    const { world, a } = await standby();
    world.set({ ...SPEC, holderIdentity: '', leaseDurationSeconds: 1 });
    await world.clock.advance(2_000);
    expect(a.did).toEqual(['works']);
  });

  test('was frozen while it took it: it is renewed before it is used', async () => {
    const { world, a } = await standby();
    world.set({ ...SPEC, holderIdentity: '' });
    a.fate = () => ({ backMs: 1_500 });
    await world.clock.advance(4_000);
    expect(world.lease?.spec?.holderIdentity).toBe('a');
    a.clock.freeze();
    await world.clock.advance(12_000);
    a.fate = () => ({});
    a.clock.thaw();
    await world.clock.advance(0);
    expect(a.did).toEqual([]);
    await world.clock.advance(2_000);
    expect([a.did, a.election.mayStartCall()]).toEqual([['works'], true]);
  });

  test('is told to end: it ends, and leaves the Lease to its holder', async () => {
    const { world, a } = await standby();
    a.stop.abort();
    await world.clock.advance(0);
    expect([a.outcome, world.lease?.spec]).toEqual(['well', SPEC]);
  });
});

describe('a leader', () => {
  test('that cannot renew makes no call later than 10 s after its last renewal was sent, and ends', async () => {
    const { world, a } = await leader();
    await world.clock.advance(2_000);
    a.fate = () => ({ lost: 'request' });
    await world.clock.advance(9_999);
    expect(a.election.mayStartCall()).toBe(true);
    await world.clock.advance(1);
    expect(a.election.mayStartCall()).toBe(false);
    await world.clock.advance(3_000);
    expect(a.outcome).toContain('the Lease was not renewed in time');
    expect([a.did, a.election.isLeader()]).toEqual([['works', 'ends work'], false]);
  });

  test('gets over a renewal whose answer is lost, and one that a change of labels was in the way of', async () => {
    const { world, a } = await leader();
    a.fate = () => ({ lost: 'reply' });
    await world.clock.advance(4_000);
    a.fate = () => ({ thereMs: 100 });
    await world.clock.advance(1_150);
    world.set(world.lease?.spec ?? {}, { touched: 'yes' });
    await world.clock.advance(20_000);
    expect(a.election.mayStartCall()).toBe(true);
    expect(world.lease?.metadata.labels).toEqual({ touched: 'yes' });
    expect(world.lease?.spec).toMatchObject({ holderIdentity: 'a' });
  });

  test('counts no renewal whose answer comes after the deadline', async () => {
    const { world, a } = await leader();
    a.fate = () => ({ refused: { status: 500 } });
    await world.clock.advance(7_500);
    a.fate = () => ({ backMs: 1_500 });
    await world.clock.advance(2_700);
    expect([a.election.mayStartCall(), a.renewedAt]).toEqual([false, 9_500]);
    await world.clock.advance(5_000);
    expect(a.outcome).toContain('not renewed');
  });

  test('that was frozen past its Lease makes no call when it wakes, and does not take it back', async () => {
    const { world, a } = await leader();
    const b = world.start('b');
    await world.clock.advance(3_000);
    a.clock.freeze();
    await world.clock.advance(20_000);
    expect(b.did).toEqual(['works']);
    a.clock.thaw();
    expect(a.election.mayStartCall()).toBe(false);
    await world.clock.advance(3_000);
    expect(a.outcome).toContain('not renewed');
    expect([b.election.mayStartCall(), world.lease?.spec?.holderIdentity]).toEqual([true, 'b']);
  });

  test('ends as soon as it sees another holder, and takes nothing away from it', async () => {
    const { world, a } = await leader();
    world.set(SPEC);
    await world.clock.advance(2_000);
    expect(a.outcome).toContain('not renewed');
    expect(a.messages.at(-1)).toMatch(/lost the leadership.*"holder":"b"/);
    expect([a.election.mayStartCall(), world.lease?.spec]).toEqual([false, SPEC]);
  });

  test('that is told to end keeps the Lease while its work ends, and releases it then', async () => {
    const world = new LeaseWorld();
    const work = Promise.withResolvers<void>();
    const a = world.start('a', { work: () => work.promise });
    await world.clock.advance(1_000);
    const b = world.start('b');
    a.stop.abort();
    await world.clock.advance(40_000);
    expect([a.election.mayStartCall(), b.did]).toEqual([true, []]);
    work.resolve();
    await world.clock.advance(2_000);
    expect(a.outcome).toBe('well');
    expect([a.election.mayStartCall(), b.did]).toEqual([false, ['works']]);
    expect(world.lease?.spec).toMatchObject({ holderIdentity: 'b' });
  });

  test('whose work breaks leaves the Lease to a process that can do it, and ends with the cause', async () => {
    const world = new LeaseWorld();
    const a = world.start('a', { work: () => Promise.reject(new Error('a bug')) });
    await world.clock.advance(0);
    expect(a.outcome).toBe('Error: a bug');
    expect(world.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });

  test('that wins the Lease as it is told to end begins no work', async () => {
    const world = new LeaseWorld();
    const a = world.start('a', { fate: () => ({ thereMs: 100 }) });
    await world.clock.advance(150);
    a.stop.abort();
    await world.clock.advance(1_000);
    expect(a.outcome).toBe('well');
    expect([a.did, world.lease?.spec?.holderIdentity]).toEqual([[], '']);
  });
});

describe('whatever happens to three processes', () => {
  const KINDS = ['freeze', 'lose requests', 'lose replies', 'slow', 'stop', 'touch', 'fail'];
  const times = fc.integer({ min: 0, max: 40_000 });
  const lengthMs = fc.integer({ min: 500, max: 25_000 });
  const who = fc.integer({ min: 0, max: 2 });
  const spell = fc.record({ who, from: times, lengthMs, what: fc.constantFrom(...KINDS) });
  interface Spell {
    readonly who: number;
    readonly from: number;
    readonly lengthMs: number;
    readonly what: string;
  }

  test('two may never call at once, none past its deadline, and one does when it is over', {
    timeout: 60_000,
  }, async () => {
    let elections = 0;
    const spells = fc.array(spell, { minLength: 1, maxLength: 8 });
    const delays = fc.infiniteStream(fc.integer({ min: 0, max: 6_000 }));
    const law = fc.asyncProperty(spells, delays, async (drawn, stream) => {
      elections += await live(drawn, () => Number(stream.next().value));
    });
    await fc.assert(law, { numRuns: 300 });
    expect(elections).toBeGreaterThan(450);
  });

  async function live(spells: readonly Spell[], delay: () => number): Promise<number> {
    const world = new LeaseWorld();
    const { clock } = world;
    const all: Candidate[] = [];
    const present: Candidate[] = [];
    const on = new Set<Spell>();
    const breaches: string[] = [];
    let elections = 0;

    const fateOf = (place: number): Fate => {
      const mine = new Set([...on].filter((one) => one.who === place).map(({ what }) => what));
      if (mine.has('lose requests')) return { lost: 'request' };
      if (mine.has('lose replies')) return { thereMs: delay(), lost: 'reply' };
      if (mine.has('fail')) return { refused: { status: 500 } };
      if (mine.has('slow')) return { thereMs: delay(), backMs: delay() };
      return { thereMs: 5, backMs: 5 };
    };

    const enter = (place: number): void => {
      const skewMs = (place - 1) * 3_600_000;
      const onWork = (): void => void (elections += 1);
      const onEnd = (): void => void clock.at(1_000, () => enter(place));
      const fate = (): Fate => fateOf(place);
      const options = { skewMs, onWork, onEnd, fate };
      const candidate = world.start(`p${place}-${all.length}`, options);
      all.push(candidate);
      present[place] = candidate;
    };

    const watch = (): void => {
      const calling = all.filter(({ election }) => election.mayStartCall());
      if (calling.length > 1) breaches.push(`two at ${clock.monotonic()} ms`);
      for (const { renewedAt } of calling)
        if (clock.monotonic() - renewedAt >= 10_000) breaches.push(`late at ${clock.monotonic()}`);
      clock.at(500, watch);
    };

    const begin = (one: Spell): void => {
      on.add(one);
      if (one.what === 'freeze') present[one.who]?.clock.freeze();
      if (one.what === 'stop') present[one.who]?.stop.abort();
      if (one.what === 'touch' && world.lease?.spec)
        world.set(world.lease.spec, { touched: String(one.from) });
    };
    const end = (one: Spell): void => {
      on.delete(one);
      if (one.what === 'freeze') for (const candidate of all) candidate.clock.thaw();
    };

    for (const place of [0, 1, 2]) clock.at(place * 700, () => enter(place));
    for (const one of spells) {
      clock.at(one.from, () => begin(one));
      clock.at(one.from + one.lengthMs, () => end(one));
    }
    watch();
    await clock.advance(115_000);
    expect(breaches).toEqual([]);
    expect(all.filter(({ election }) => election.mayStartCall())).toHaveLength(1);
    return elections;
  }
});
