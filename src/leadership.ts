import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from './clock.ts';
import type { KubeClient } from './kube/client/client.ts';
import { createElection } from './kube/lease/election.ts';
import type { Log } from './log.ts';

/** Unique per process, readable in a Lease and in events. */
export function processIdentity(): string {
  return `${hostname().slice(0, 60)}_${randomUUID()}`;
}

export interface Leadership {
  /**
   * Works from when this process leads until `signal`; ends when the work has ended and the Lease
   * is released. Rejects where the Lease is lost: the work is told to end and not waited for.
   */
  run(signal: AbortSignal): Promise<void>;
  isLeader(): boolean;
  /** Whether a call may start at this very moment. */
  mayStartCall(): boolean;
}

export interface LeadershipOptions {
  /** Absent: there is one process only, and it leads. */
  readonly lease:
    | {
        readonly client: KubeClient;
        readonly namespace: string;
        readonly name: string;
      }
    | undefined;
  readonly identity: string;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Resolves when the last running reconcile has ended after its signal, or has been given up and
   * can make no call any more. `formerVersion`: of Taken; absent where there is one process only.
   */
  readonly work: (signal: AbortSignal, formerVersion?: string) => Promise<void>;
}

export function createLeadership(options: LeadershipOptions): Leadership {
  const { lease, work } = options;
  if (!lease) return { run: work, isLeader: () => true, mayStartCall: () => true };
  const { identity, clock, log } = options;
  const stopWork = new AbortController();
  const stopElection = new AbortController();
  const resign = (): void => stopElection.abort();
  let working: Promise<void> = Promise.resolve();
  let lost: string | undefined;
  const election = createElection({
    ...lease,
    identity,
    clock,
    log,
    onStarted: (formerVersion) => {
      // The Lease may be won in the very moment in which the process is told to end.
      if (stopWork.signal.aborted) return;
      working = work(stopWork.signal, formerVersion);
      // Work that breaks leaves the Lease to a process that can do it; `run` rejects with the
      // cause.
      working.catch(resign);
    },
    onLost: (why) => {
      lost = why;
      stopWork.abort();
    },
  });
  return {
    async run(signal) {
      const endWork = (): void => {
        stopWork.abort();
        working.then(resign, resign);
      };
      if (signal.aborted) return;
      signal.addEventListener('abort', endWork, { once: true });
      await election.run(stopElection.signal);
      signal.removeEventListener('abort', endWork);
      if (lost !== undefined && !signal.aborted)
        throw new Error(`the leadership was lost (${lost}); another process may lead now`);
      await working;
    },
    isLeader: election.isLeader,
    mayStartCall: election.mayStartCall,
  };
}
