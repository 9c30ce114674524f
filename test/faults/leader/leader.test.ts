import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { isNow, type Pset } from '../../support/scene-objects.ts';
import { expectClean } from './leader-end.ts';
import { LOSSES, type Loss } from './leader-lost.ts';
import type { Arrival } from './leader-record.ts';
import { type LeaderStage, openLeaderStage, openPair, untilSaid } from './leader-stage.ts';

const TAKEOVER_MS = 20_000;
/** By then the former leader may not call any more, and the next one may not yet. */
const BETWEEN_MS = 12_000;
/**
 * More than a leader can call in the time it has, two a second, so that it always has one more to
 * make.
 */
const STREAM = Array.from({ length: 40 }, (_, number) => `stream-${number}`);
const EDITED = { early: 16, late: 17 };
/** In which a former leader that is awake again would send what it had prepared. */
const QUIET_MS = 3_000;

interface Outcome {
  readonly takeoverMs: number;
  readonly breaches: readonly string[];
  readonly callsInTheEnd: number;
  readonly puts: ReadonlyMap<string, readonly Arrival[]>;
  readonly objects: readonly Pset[];
}

/** A leader at work loses its Lease, and users go on with theirs. */
async function play(stage: LeaderStage, loss: Loss, ready: () => void): Promise<Outcome> {
  const { record } = stage;
  const { a, b } = await openPair(stage, { flags: ['--api-rate', '2/1s'] });
  ready();
  await Promise.all(Object.keys(EDITED).map((name) => stage.psets.create(name)));
  await Promise.all(Object.keys(EDITED).map((name) => stage.psets.until(name, 'Applied', 60_000)));
  await Promise.all(STREAM.map((name) => stage.psets.create(name)));
  await stage.simulator.waitForCalls(5, { timeoutMs: 60_000 });

  const began = performance.now();
  await loss.begin(a, stage);
  await stage.psets.create('early', { settings: { engine_max_threads: EDITED.early } });
  await pause(BETWEEN_MS - (performance.now() - began));
  await stage.psets.create('late', { settings: { engine_max_threads: EDITED.late } });
  const isNext = ({ at, by }: { at: number; by: string }): boolean =>
    (by === b.name || loss.open === true) && at > began + BETWEEN_MS / 2;
  await waitFor(() => record.claims.some(isNext), { what: 'the next leader', timeoutMs: 90_000 });
  const takeoverMs = (record.claims.find(isNext)?.at ?? Number.NaN) - began;
  await waitFor(() => stage.psets.list(), {
    what: 'all to be applied',
    until: areApplied,
    timeoutMs: 90_000,
  });
  loss.end?.(a);
  if (!loss.dies) await untilSaid(a, 'lost the leadership');
  const before = record.calls.length;
  await pause(QUIET_MS);
  return {
    takeoverMs,
    breaches: record.breaches(),
    callsInTheEnd: record.calls.length - before,
    puts: new Map([...Object.keys(EDITED), ...STREAM].map((name) => [name, stage.puts(name)])),
    objects: await stage.psets.list(),
  };
}

function areApplied(objects: readonly Pset[]): boolean {
  return objects.every((one) => isNow(one, 'Applied'));
}

/** Tells when its operators are there. */
async function run(loss: Loss, ready: () => void): Promise<Outcome> {
  const stage = await openLeaderStage({ logLevel: 'info' });
  try {
    return await play(stage, loss, ready);
  } finally {
    await stage.end();
  }
}

describe('R11: a leader that is', () => {
  const outcomes = new Map<Loss, Promise<Outcome>>();
  beforeAll(() => {
    // They wait for the same seconds to pass; only their start, which is work, is one after
    // another.
    let started: Promise<unknown> = Promise.resolve();
    for (const loss of LOSSES) {
      const ready = Promise.withResolvers<void>();
      outcomes.set(loss, started.then(() => run(loss, ready.resolve)).finally(ready.resolve));
      started = ready.promise;
    }
    void Promise.allSettled(outcomes.values());
  });

  test.each(LOSSES)('$how stops calling in time, and the other does the rest', async (loss) => {
    const outcome = await outcomes.get(loss);
    expect(outcome).toMatchObject({ breaches: [], callsInTheEnd: 0 });
    expect(outcome?.takeoverMs).toBeLessThanOrEqual(TAKEOVER_MS);
    const puts = (name: string): readonly Arrival[] => outcome?.puts.get(name) ?? [];
    for (const [name, threads] of Object.entries(EDITED)) {
      expect(puts(name).map(({ body }) => body)).toEqual([
        { engine_max_threads: 8 },
        { engine_max_threads: threads },
      ]);
    }
    // The one that comes after may have to repeat what the former could not write down.
    for (const name of STREAM) {
      for (const by of ['a', 'b'])
        expect(puts(name).filter((call) => call.by === by).length).toBeLessThanOrEqual(1);
    }
    expect(outcome?.objects).toHaveLength(STREAM.length + 2);
    for (const object of outcome?.objects ?? []) expectClean(object);
  });
});
