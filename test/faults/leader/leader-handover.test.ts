import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { expectClean } from './leader-end.ts';
import {
  type LeaderStage,
  openLeaderStage,
  openPair,
  type Replica,
  timesSaid,
  untilSaid,
} from './leader-stage.ts';

async function onStage(run: (stage: LeaderStage) => Promise<void>): Promise<void> {
  const stage = await openLeaderStage({ logLevel: 'info' });
  try {
    await run(stage);
  } finally {
    await stage.end();
  }
}

function claimsOf({ record }: LeaderStage, { name }: Replica): number {
  return record.claims.filter(({ by, holder }) => by === name && holder !== '').length;
}

/** Resolves when the leader has renewed so often more. */
async function renewals(stage: LeaderStage, leader: Replica, count: number): Promise<void> {
  const before = claimsOf(stage, leader);
  await waitFor(() => claimsOf(stage, leader) >= before + count, {
    what: `${count} renewals`,
    timeoutMs: 60_000,
  });
}

describe.concurrent('R11: a leader', () => {
  test('that is stopped ends its call and gives the Lease back, and drops what it had in line', () =>
    onStage(async (stage) => {
      const { a, b } = await openPair(stage, { flags: ['--api-in-flight', '1'] });
      const answers: (() => void)[] = [];
      a.onApi(async (passing) => {
        await passing.forward();
        await new Promise<void>((resolve) => answers.push(resolve));
        await passing.reply();
      });
      const names = ['one', 'two', 'three'];
      await Promise.all(names.map((name) => stage.psets.create(name)));
      await waitFor(() => answers.length, { what: 'a call in flight' });
      const ended = a.operator.stop();
      await waitFor(() => timesSaid(a, 'stopping; waiting for running reconciles to end'), {
        what: 'the end to begin',
      });
      // A leader with a call in flight keeps the Lease.
      await renewals(stage, a, 2);
      expect([claimsOf(stage, b), answers.length]).toEqual([0, 1]);
      for (const answer of answers) answer();
      expect(await ended).toBe(0);
      const released =
        stage.record.claims.find(({ by, holder }) => by === 'a' && holder === '')?.at ?? 0;
      expect(released).toBeGreaterThan(0);
      await waitFor(() => stage.record.takeoverBy('b'), {
        what: 'the other to take over',
        timeoutMs: 60_000,
      });
      expect((stage.record.takeoverBy('b') ?? Number.NaN) - released).toBeLessThanOrEqual(3_000);
      for (const name of names) expectClean(await stage.psets.until(name, 'Applied', 60_000));
      expect(names.map((name) => stage.puts(name).length)).toEqual([1, 1, 1]);
      expect(stage.record.calls.filter(({ by }) => by === 'a')).toHaveLength(1);
      expect(stage.record.breaches()).toEqual([]);
    }));

  test('is followed by one that lists only then, so that it reads its statuses and sends nothing twice', () =>
    onStage(async (stage) => {
      const { a, b } = await openPair(stage);
      const names = ['one', 'two', 'three'];
      let lists = 0;
      b.onKube({
        take: async (passing) => {
          if (passing.path.includes('/pipesettings?')) lists += 1;
          await passing.forward();
          await passing.reply();
        },
      });
      await Promise.all(names.map((name) => stage.psets.create(name)));
      for (const name of names) expectClean(await stage.psets.until(name, 'Applied', 60_000));
      expect(lists).toBe(0);
      expect(await a.operator.stop()).toBe(0);
      await waitFor(() => stage.record.takeoverBy('b'), {
        what: 'the other to take over',
        timeoutMs: 60_000,
      });
      await untilSaid(b, 'working');
      expect(lists).toBe(1);
      await stage.psets.create('last');
      expectClean(await stage.psets.until('last', 'Applied', 60_000));
      expect([...names, 'last'].map((name) => stage.puts(name).map(({ by }) => by))).toEqual([
        ['a'],
        ['a'],
        ['a'],
        ['b'],
      ]);
      expect(stage.record.breaches()).toEqual([]);
    }));

  test('of a crowd that starts at once is one, and each object is sent once', () =>
    onStage(async (stage) => {
      const objects = Array.from({ length: 10 }, (_, number) => `object-${number}`);
      await Promise.all(objects.map((name) => stage.psets.create(name)));
      const crowd = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) => stage.replica(name, { until: 'started' })),
      );
      for (const name of objects) expectClean(await stage.psets.until(name, 'Applied', 60_000));
      const leaders = (): Replica[] =>
        crowd.filter((replica) => timesSaid(replica, 'became the leader') > 0);
      await waitFor(
        () => crowd.filter((replica) => timesSaid(replica, 'standing by') > 0).length === 3,
        {
          what: 'the others to stand by',
          timeoutMs: 60_000,
        },
      );
      // Whoever is second must not be so by mistake, later.
      await pause(3_000);
      expect(leaders()).toHaveLength(1);
      expect(objects.map((name) => stage.puts(name).length)).toEqual(objects.map(() => 1));
      expect(stage.record.breaches()).toEqual([]);
    }));
});
