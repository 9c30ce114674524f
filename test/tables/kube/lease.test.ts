import { expect, test } from 'vitest';
import type { Fate } from './api.ts';
import { LeaseWorld } from './lease-world.ts';

const LOST = 'Error: the Lease was not renewed in time; another process may lead now';

/** What becomes of the calls of a process from now on. */
const FATES: Readonly<Record<string, Fate>> = {
  well: {},
  late: { thereMs: 100 },
  slow: { backMs: 1_500 },
  lost: { lost: 'call' },
  deaf: { lost: 'answer' },
  refused: { refused: { status: 500 } },
};

/** Plays a story: what is done, how many seconds pass, and what is so. Gives it as it went. */
async function play(script: string): Promise<string> {
  const world = new LeaseWorld();
  const processes = new Map<string, ReturnType<LeaseWorld['start']>>();
  const work = Promise.withResolvers<void>();
  const went: string[] = [];
  for (const [index, step] of script.split(', ').entries()) {
    const [who = '', act = '', how = 'well'] = step.split(' ');
    const one = processes.get(who);
    let isSo = step;
    if (who.startsWith('+')) await world.clock.advance(Number(who) * 1_000);
    else if (who === 'holder') isSo = `holder ${world.lease.spec.holderIdentity}`;
    else if (who === 'given') world.give(act);
    else if (who === 'taken') world.set({ holder: act });
    else if (who === 'touched') world.set({ touched: `${index}` });
    else if (act === 'works')
      processes.set(
        who,
        world.start(who, {}, () => work.promise),
      );
    else if (act === 'starts') processes.set(who, world.start(who, FATES[how]));
    else if (act === 'finishes') work.resolve();
    else if (!one) throw new Error(`there is no process "${who}"`);
    else if (act === 'is') one.fate = FATES[how] ?? {};
    else if (act === 'stops') one.stop.abort();
    else if (act === 'has') isSo = `${who} has ${one.did}`;
    else isSo = `${who} ${one.state().replace(LOST, 'lost')}`;
    went.push(isSo);
  }
  return went.join(', ');
}

test.each([
  ['is made where there is none', 'a starts, +0, a calls, holder a'],
  [
    'is taken when it was seen unchanged for 15 s',
    'given b, a starts, +14.999, a waits, holder b, +2, a calls, holder a',
  ],
  [
    'is left alone while it is renewed',
    'given b, a starts, touched, +10, touched, +10, touched, +10, a waits, holder b',
  ],
  ['is taken when it was released', 'given b, a starts, +1, taken , +1, a calls, holder a'],
  [
    'is released by who wins it as it is told to end, and begins nothing',
    'a starts late, +0.15, a stops, +1, a ended, a has , holder ',
  ],
  [
    // The look of 2 s is answered at 3.5 s: then the renewal is sent, and answered at 5 s.
    'is used for 10 s after its last renewal was sent, and is lost then',
    'a starts, +0, a is slow, +5, a is lost, +8.499, a calls, +0.001, a silent, +5, a has ended',
  ],
  ['is kept over a lost answer', 'a starts, +0, a is deaf, +4, a is well, +20, a calls, holder a'],
  [
    'is not renewed by an answer that comes after the deadline',
    'a starts, +0, a is refused, +7.5, a is slow, +2.7, a silent, +5, a lost',
  ],
  ['is lost where another holder is seen', 'a starts, +0, taken b, +2, a lost, holder b'],
  [
    'is kept until the work has ended, and released then',
    'a works, +1, b starts, a stops, +40, a calls, b waits, a finishes, +2, a ended, b calls',
  ],
])('a Lease %s', async (_what, script) => {
  expect(await play(script)).toBe(script);
});

test('a Lease is renewed every 2 s, with what client-go wants to see in it', async () => {
  const world = new LeaseWorld();
  world.start('a');
  for (const second of ['00', '02', '04']) {
    await world.clock.advance(0);
    const renewTime = `2026-01-01T00:00:${second}.000000Z`;
    const spec = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime };
    expect(world.lease.spec).toEqual(spec);
    await world.clock.advance(2_000);
  }
});

test('a process says once why it cannot have the Lease', async () => {
  const world = new LeaseWorld();
  const message = 'User "system:serviceaccount:pw:pw" cannot get resource "leases"';
  const a = world.start('a', { refused: { status: 403, message } });
  await world.clock.advance(5_000);
  const said = /^warn cannot use the leader election Lease.*:pw" cannot get resource "leases"/;
  expect(a.messages).toEqual([expect.stringMatching(said)]);
});
