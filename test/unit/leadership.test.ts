import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEASE, type Lease } from '../../src/kube/lease/lease-record.ts';
import { objectPath } from '../../src/kube/resource.ts';
import { createLeadership, type Leadership, type LeadershipOptions } from '../../src/leadership.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { type Link, MemoryKube } from '../support/memory-kube.ts';
import { recordingLog } from '../support/recording-log.ts';

const path = objectPath(LEASE, 'pw', 'pipewright');

interface Process {
  readonly kube: MemoryKube;
  readonly clock: FakeClock;
  readonly leadership: Leadership;
  readonly stop: AbortController;
  /** What happened, in order: work begun, told to stop, ended; the Lease given back; run over. */
  readonly told: string[];
  /** Milliseconds that running passes need to end. */
  passMs: number;
  /** Works at once, now and at most. */
  readonly works: { now: number; most: number };
  ended: Promise<void>;
}

interface Setting {
  readonly kube?: MemoryKube;
  readonly fate?: Link['fate'];
  readonly elected?: boolean;
  readonly work?: LeadershipOptions['work'];
}

function aProcess({ kube = new MemoryKube(), fate, elected = true, work }: Setting = {}): Process {
  const clock = new FakeClock();
  const stop = new AbortController();
  const told: string[] = [];
  const works = { now: 0, most: 0 };
  const watchedFate: Link['fate'] = (call) => {
    const released = call.method === 'PUT' && (call.body as Lease).spec?.holderIdentity === '';
    if (released) told.push('released');
    return fate?.(call) ?? {};
  };
  const process: Process = {
    kube,
    clock,
    stop,
    told,
    works,
    passMs: 0,
    ended: Promise.resolve(),
    leadership: createLeadership({
      lease: elected
        ? { client: kube.client({ clock, fate: watchedFate }), namespace: 'pw', name: 'pipewright' }
        : undefined,
      identity: 'us',
      clock,
      log: recordingLog().log,
      work: work ?? untilStopped,
    }),
  };
  return process;

  function untilStopped(signal: AbortSignal): Promise<void> {
    told.push(signal.aborted ? 'worked in vain' : 'working');
    works.now += 1;
    works.most = Math.max(works.most, works.now);
    return new Promise((resolve) => {
      const end = (): void => {
        works.now -= 1;
        told.push('work ended');
        resolve();
      };
      const stopping = (): void => {
        told.push('stopping');
        clock.at(process.passMs, end);
      };
      if (signal.aborted) stopping();
      else signal.addEventListener('abort', stopping, { once: true });
    });
  }
}

function run(process: Process): void {
  process.ended = process.leadership
    .run(process.stop.signal)
    .then(() => 'over')
    .catch((error: unknown) => `failed: ${(error as Error).message}`)
    .then((end) => void process.told.push(end));
}

/** Runs after so many turns of the promises, all within one turn of the event loop. */
function afterSteps(steps: number, then: () => void): void {
  if (steps === 0) then();
  else queueMicrotask(() => afterSteps(steps - 1, then));
}

function hold(kube: MemoryKube, holderIdentity: string): void {
  kube.set(path, {
    spec: { holderIdentity, leaseDurationSeconds: holderIdentity === '' ? 1 : 15 },
  });
}

function versionOf(kube: MemoryKube): string | undefined {
  return kube.get(path)?.metadata.resourceVersion;
}

function holder(kube: MemoryKube): string | undefined {
  return (kube.get(path) as Lease | undefined)?.spec?.holderIdentity ?? undefined;
}

describe('without an election', () => {
  test('works at once, leads always, and ends when the work has ended', async () => {
    const process = aProcess({ elected: false });
    process.passMs = 300;
    run(process);
    expect(process.told).toEqual(['working']);
    expect([process.leadership.isLeader(), process.leadership.mayStartCall()]).toEqual([
      true,
      true,
    ]);
    process.stop.abort();
    await process.clock.advance(299);
    expect(process.told).toEqual(['working', 'stopping']);
    await process.clock.advance(1);
    expect(process.told).toEqual(['working', 'stopping', 'work ended', 'over']);
    expect(process.kube.calls).toEqual([]);
  });
});

describe('with an election', () => {
  test('works only once the Lease is held', async () => {
    const process = aProcess();
    hold(process.kube, 'another');
    run(process);
    await process.clock.advance(14_000);
    expect([
      process.told,
      process.leadership.isLeader(),
      process.leadership.mayStartCall(),
    ]).toEqual([[], false, false]);
    hold(process.kube, '');
    await process.clock.advance(100);
    expect(holder(process.kube)).toBe('us');
    expect(process.told).toEqual(['working']);
    expect([process.leadership.isLeader(), process.leadership.mayStartCall()]).toEqual([
      true,
      true,
    ]);
  });

  test('is told what a former leader may have written', async () => {
    const versions: (string | undefined)[] = [];
    const process = aProcess({
      work: (signal, formerVersion) => {
        versions.push(formerVersion);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    });
    hold(process.kube, '');
    const before = versionOf(process.kube);
    run(process);
    await process.clock.advance(100);
    expect(versions).toEqual([before]);
  });

  test('ends with the cause when the Lease is lost, and waits for nothing', async () => {
    const process = aProcess();
    process.passMs = 30_000;
    run(process);
    await process.clock.advance(100);
    hold(process.kube, 'another');
    await process.clock.advance(2_100);
    expect(process.told).toEqual([
      'working',
      'stopping',
      expect.stringMatching(/^failed: the leadership was lost \(.*another.*\)/),
    ]);
    expect([process.leadership.isLeader(), process.leadership.mayStartCall()]).toEqual([
      false,
      false,
    ]);
    expect(holder(process.kube)).toBe('another');
  });

  test('ends when the API server cannot be reached for longer than a renewal may be late', async () => {
    let down = false;
    const process = aProcess({ fate: () => (down ? { lost: 'request' } : {}) });
    run(process);
    await process.clock.advance(100);
    down = true;
    await process.clock.advance(12_000);
    expect(process.told.slice(0, 2)).toEqual(['working', 'stopping']);
    expect(process.told).toContainEqual(expect.stringMatching(/^failed/));
  });

  test('lets running passes end before it releases the Lease, and renews it until then', async () => {
    const process = aProcess();
    process.passMs = 35_000;
    run(process);
    await process.clock.advance(100);
    process.stop.abort();
    await process.clock.advance(34_999);
    expect(process.told).toEqual(['working', 'stopping']);
    expect([holder(process.kube), process.leadership.mayStartCall()]).toEqual(['us', true]);
    await process.clock.advance(10);
    expect(process.told).toEqual(['working', 'stopping', 'work ended', 'released', 'over']);
    expect(holder(process.kube)).toBe('');
  });

  test('stopped before it began does nothing at all', async () => {
    const process = aProcess();
    process.stop.abort();
    run(process);
    await process.clock.advance(20_000);
    expect(process.told).toEqual(['over']);
    expect(process.kube.calls).toEqual([]);
  });

  test('stopped while standing by ends at once and leaves the Lease to its holder', async () => {
    const process = aProcess();
    hold(process.kube, 'another');
    run(process);
    await process.clock.advance(1_000);
    process.stop.abort();
    await settle();
    expect(process.told).toEqual(['over']);
    expect(holder(process.kube)).toBe('another');
  });

  test('stopped in the very moment in which it wins the Lease begins no work and gives the Lease back', async () => {
    for (let steps = 0; steps < 60; steps += 1) {
      let won = false;
      const process: Process = aProcess({
        fate: ({ method }) => {
          if (method === 'POST' && !won) afterSteps(steps, () => process.stop.abort());
          won ||= method === 'POST';
          return {};
        },
      });
      run(process);
      await process.clock.advance(100);
      expect(process.told).not.toContain('worked in vain');
      expect(process.told.at(-1)).toBe('over');
      expect(holder(process.kube)).toBe('');
    }
  });

  test('that loses the Lease while it stops leaves it to the new holder', async () => {
    const process = aProcess();
    process.passMs = 30_000;
    run(process);
    await process.clock.advance(100);
    process.stop.abort();
    await process.clock.advance(1_000);
    hold(process.kube, 'another');
    await process.clock.advance(5_000);
    expect(process.leadership.mayStartCall()).toBe(false);
    expect(process.told).toEqual(['working', 'stopping']);
    await process.clock.advance(25_000);
    expect(process.told).toEqual(['working', 'stopping', 'work ended', 'over']);
    expect(holder(process.kube)).toBe('another');
  });

  test('gives the Lease back and fails with the cause when the work breaks', async () => {
    const process = aProcess({ work: () => Promise.reject(new TypeError('a bug in the work')) });
    const running = process.leadership.run(process.stop.signal);
    const passing = process.clock.advance(100);
    await expect(running).rejects.toThrow('a bug in the work');
    await passing;
    expect(holder(process.kube)).toBe('');
    expect(process.leadership.mayStartCall()).toBe(false);
  });

  test('at whatever moment it is stopped or loses the Lease: one work at a time, none begun after the stop, no release before its end', async () => {
    const moment = fc.integer({ min: 0, max: 6_000 });
    const latency = fc.constantFrom(0, 1, 40, 700);
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          stopAt: moment,
          stealAt: moment,
          returnAt: moment,
          passMs: fc.constantFrom(0, 5, 3_000),
          there: latency,
          back: latency,
        }),
        async ({ stopAt, stealAt, returnAt, passMs, there, back }) => {
          const process = aProcess({ fate: () => ({ there, back }) });
          process.passMs = passMs;
          run(process);
          process.clock.at(stealAt, () => hold(process.kube, 'another'));
          process.clock.at(stealAt + returnAt, () => hold(process.kube, ''));
          process.clock.at(stopAt, () => {
            process.told.push('stop');
            process.stop.abort();
          });
          await process.clock.advance(30_000);
          const { told } = process;
          expect(told).toContainEqual(expect.stringMatching(/^(over|failed: the leadership)/));
          expect(process.works).toEqual({ now: 0, most: told.includes('working') ? 1 : 0 });
          expect(told.slice(told.indexOf('stop'))).not.toContain('working');
          expect(told).not.toContain('worked in vain');
          const release = told.indexOf('released');
          expect(release < 0 || release > told.lastIndexOf('work ended')).toBe(true);
          expect(holder(process.kube)).not.toBe('us');
        },
      ),
      { numRuns: 150 },
    );
  });
});
