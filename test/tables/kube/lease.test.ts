import { beforeEach, describe, expect, test } from 'vitest';
import { LeaseWorld } from './lease-world.ts';

let world: LeaseWorld;
beforeEach(() => {
  world = new LeaseWorld();
});

const LOST: string = 'Error: the Lease was not renewed in time; another process may lead now';
const pass = (seconds: number) => world.clock.advance(seconds * 1_000);

/** Says of a process whether it may call, and how it goes. */
type Process = ReturnType<LeaseWorld['start']>;
const stateOf = ({ election, outcome }: Process) => [election.mayStartCall(), outcome];

describe('a process that does not hold the Lease', () => {
  test('makes it where there is none, and renews it every 2 s', async () => {
    const a = world.start('a');
    for (const second of ['00', '02', '04']) {
      await pass(0);
      const renewTime = `2026-01-01T00:00:${second}.000000Z`;
      const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime };
      expect(world.lease.spec).toEqual(spec);
      await pass(2);
    }
    expect([a.did, stateOf(a)]).toEqual([['works'], [true, 'runs']]);
  });

  test('says once why it cannot have it, and leads when it can', async () => {
    const message = 'User "system:serviceaccount:pw:pw" cannot get resource "leases"';
    const a = world.start('a', { fate: { refused: { status: 403, message } } });
    await pass(5);
    const said = /^warn cannot use the leader election Lease.*:pw" cannot get resource "leases"/;
    expect(a.messages).toEqual([expect.stringMatching(said)]);
    a.fate = {};
    await pass(2);
    expect(a.election.isLeader()).toBe(true);
  });

  test.each([0, -3_600_000, 3_600_000])(
    'takes it when it has seen it unchanged for 15 s, whatever the time is (%i ms off)',
    async (skewMs) => {
      world.set('b');
      const a = world.start('a', { skewMs });
      await pass(14.999);
      expect([a.did, world.holder]).toEqual([[], 'b']);
      await pass(2);
      expect([a.did, world.holder]).toEqual([['works'], 'a']);
      expect(a.messages.filter((line) => line.includes('standing by'))).toHaveLength(1);
    },
  );

  test('leaves it alone while it is renewed, and asks with one GET every 2 s', async () => {
    world.set('b');
    const a = world.start('a');
    for (let count = 0; count < 6; count += 1) {
      world.set('b', `${count}`);
      await pass(10);
    }
    expect([a.did, world.api.calls.length]).toEqual([[], 31]);
  });

  test('takes one that was released at its next look', async () => {
    world.set('b');
    const a = world.start('a');
    await pass(1);
    world.set('');
    await pass(1);
    expect(a.did).toEqual(['works']);
  });

  test('renews it before it works, where it was frozen while it took it', async () => {
    const a = world.start('a', { fate: { backMs: 1_500 } });
    await pass(2);
    a.time.isFrozen = true;
    await pass(12);
    expect(world.holder).toBe('a');
    a.fate = {};
    a.time.thaw();
    await pass(0);
    expect(a.did).toEqual([]);
    await pass(2);
    expect([a.did, stateOf(a)]).toEqual([['works'], [true, 'runs']]);
  });

  test('leaves it to its holder where it is told to end', async () => {
    world.set('b');
    const a = world.start('a');
    await pass(1);
    a.stop.abort();
    await pass(0);
    expect([a.outcome, world.holder]).toEqual(['ended', 'b']);
  });

  test('begins no work, and releases it, where it wins as it is told to end', async () => {
    const a = world.start('a', { fate: { thereMs: 100 } });
    await pass(0.15);
    a.stop.abort();
    await pass(1);
    expect([a.outcome, a.did, world.holder]).toEqual(['ended', [], '']);
  });
});

describe('a leader', () => {
  let a: Process;
  beforeEach(async () => {
    a = world.start('a');
    await pass(0);
  });

  // Its last renewal is sent at 2 s; what the answer takes does not count.
  test.each([0, 1_500])(
    'calls for 10 s after it sent its last renewal, answered in %i ms, and then ends',
    async (backMs) => {
      await pass(1);
      // Both calls of the renewal; the first of them is only a look.
      a.fate = { backMs };
      await pass(1 + (2 * backMs) / 1_000);
      const sentAt = 2_000 + backMs;
      a.fate = { lost: 'call' };
      await pass((sentAt + 9_999 - world.clock.monotonic()) / 1_000);
      expect(stateOf(a)).toEqual([true, 'runs']);
      await pass(0.001);
      expect(a.election.mayStartCall()).toBe(false);
      await pass(5);
      expect([stateOf(a), a.did]).toEqual([
        [false, LOST],
        ['works', 'ends work'],
      ]);
    },
  );

  test('gets over a lost answer, and over somebody who was quicker to write', async () => {
    a.fate = { lost: 'answer' };
    await pass(4);
    a.fate = { thereMs: 100 };
    await pass(1.15);
    world.annotate();
    await pass(20);
    expect([stateOf(a), world.holder]).toEqual([[true, 'runs'], 'a']);
    expect(world.lease.metadata.annotations).toEqual({ team: 'a' });
  });

  test('counts no renewal whose answer comes after the deadline', async () => {
    a.fate = { refused: { status: 500 } };
    await pass(7.5);
    a.fate = { backMs: 1_500 };
    await pass(2.7);
    expect(a.election.mayStartCall()).toBe(false);
    await pass(5);
    expect(a.outcome).toBe(LOST);
  });

  test('that was frozen past its Lease makes no call when it wakes, nor takes it back', async () => {
    const b = world.start('b');
    await pass(3);
    a.time.isFrozen = true;
    await pass(20);
    expect(b.did).toEqual(['works']);
    a.time.thaw();
    expect(a.election.mayStartCall()).toBe(false);
    await pass(3);
    expect([stateOf(a), stateOf(b), world.holder]).toEqual([[false, LOST], [true, 'runs'], 'b']);
  });

  test('ends as soon as it sees another holder, and takes nothing away from it', async () => {
    world.set('b');
    await pass(2);
    expect([stateOf(a), world.holder]).toEqual([[false, LOST], 'b']);
    expect(a.messages.at(-1)).toMatch(/lost the leadership.*"holder":"b"/);
  });
});

test.each([
  ['ends', 'ended'],
  ['breaks', 'Error: a bug'],
])(
  'a leader that is told to end keeps the Lease until its work %s, and releases it then',
  async (how, outcome) => {
    const work = Promise.withResolvers<void>();
    const a = world.start('a', { work: () => work.promise });
    await pass(1);
    const b = world.start('b');
    a.stop.abort();
    await pass(40);
    expect([stateOf(a), b.did]).toEqual([[true, 'runs'], []]);
    if (how === 'ends') work.resolve();
    else work.reject(new Error('a bug'));
    await pass(2);
    expect([stateOf(a), b.did, world.holder]).toEqual([[false, outcome], ['works'], 'b']);
  },
);
