import type { Cancel, Clock } from '../../src/clock.ts';
import type { RequestCall } from '../../src/kube/client/exchange.ts';
import { createElection, type Election } from '../../src/kube/lease/election.ts';
import { LEASE, type Lease } from '../../src/kube/lease/lease-record.ts';
import { objectPath } from '../../src/kube/resource.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { type Link, MemoryKube } from './memory-kube.ts';
import { recordingLog } from './recording-log.ts';

export const LEASE_PATH = objectPath(LEASE, 'pw', 'pipewright');

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

export interface Candidate {
  readonly election: Election;
  readonly clock: ProcessClock;
  readonly stop: AbortController;
  readonly told: string[];
  /** What it is to have read before it works, per time that it became the leader. */
  readonly formerVersions: string[];
  readonly messages: string[];
  readonly ended: Promise<void>;
}

interface Start extends Partial<Pick<Link, 'fate' | 'watches'>> {
  readonly identity: string;
  readonly skewMs?: number;
  readonly onStarted?: () => void;
}

export function start(kube: MemoryKube, base: Clock, options: Start): Candidate {
  const clock = new ProcessClock(base, options.skewMs);
  const stop = new AbortController();
  const told: string[] = [];
  const formerVersions: string[] = [];
  const { log, messages } = recordingLog();
  const election = createElection({
    client: kube.client({ clock, ...options }),
    clock,
    log,
    namespace: 'pw',
    name: 'pipewright',
    identity: options.identity,
    onStarted: (formerVersion) => {
      formerVersions.push(formerVersion);
      told.push('started');
      options.onStarted?.();
    },
    onLost: () => told.push('lost'),
  });
  return {
    election,
    clock,
    stop,
    told,
    formerVersions,
    messages,
    ended: election.run(stop.signal),
  };
}

export function record(kube: MemoryKube): NonNullable<Lease['spec']> {
  return (kube.get(LEASE_PATH) as Lease | undefined)?.spec ?? {};
}

export function writes(kube: MemoryKube): RequestCall[] {
  return kube.calls.filter((call) => call.method !== 'GET');
}

export async function leaderAndStandby() {
  const kube = new MemoryKube();
  const clock = new FakeClock();
  const a = start(kube, clock, { identity: 'a' });
  await clock.advance(0);
  const b = start(kube, clock, { identity: 'b' });
  await clock.advance(1_000);
  return { kube, clock, a, b };
}
