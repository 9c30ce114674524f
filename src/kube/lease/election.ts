import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { KubeClient } from '../client/client.ts';
import { isConflict, type KubeError } from '../client/kube-error.ts';
import { createLeaseCalls, tolerate } from './lease-calls.ts';
import { type Lease, released } from './lease-record.ts';
import { CONFLICTS, type Held, Renewal } from './renewal.ts';
import { acquire, type Taken } from './standby.ts';

export interface ElectionOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  /**
   * Unique per process, not only per pod: a Lease with this holder is taken for our own. At most
   * 128 characters.
   */
  readonly identity: string;
  /** How long others leave a silent holder alone. Default 15 s; whole seconds. */
  readonly leaseMs?: number;
  /** A leader that could not renew for so long stops. Must be well below leaseMs. Default 10 s. */
  readonly renewMs?: number;
  /** From the start of one renewal to the next. Default 2 s. */
  readonly retryMs?: number;
  /** Must not throw. `formerVersion`: see Taken. */
  readonly onStarted: (formerVersion: string) => void;
  /**
   * Called at most once, and not when stopped by the signal. This election never leads again; the
   * process may begin another one. Must not throw.
   */
  readonly onLost: (why: string) => void;
}

export interface Election {
  /**
   * Call once. Ends after leadership was lost, or after the signal: then the Lease is released,
   * where it is ours. Rejects for a bug only, never for what the API server does.
   */
  run(signal: AbortSignal): Promise<void>;
  isLeader(): boolean;
  /**
   * True while leader and the last renewal began less than renewMs ago by the monotonic clock. Once
   * false after true, false for ever.
   */
  mayStartCall(): boolean;
}

/** For the whole of a release: the process wants to end, and the Lease runs out by itself. */
const RELEASE_MS = 5_000;

/**
 * One leader among all processes that use the same Lease, on the rules of client-go: who has not
 * been seen to renew for leaseMs may be replaced; the leader itself stops renewMs after the start
 * of its last good renewal, which is earlier. Every write carries the resourceVersion it was
 * decided on.
 */
export function createElection(options: ElectionOptions): Election {
  const { clock, log, namespace, name, identity } = options;
  const { leaseMs = 15_000, renewMs = 10_000, retryMs = 2_000 } = options;
  if (!(retryMs < renewMs && renewMs < leaseMs))
    throw new RangeError(`retryMs ${retryMs} < renewMs ${renewMs} < leaseMs ${leaseMs} must hold`);
  // Three hanging renewals fit in the deadline, the last one cut short.
  const attemptMs = Math.min(retryMs * 1.5, renewMs / 3);
  const calls = createLeaseCalls(options);
  let phase: 'standing by' | 'leading' | 'over' = 'standing by';
  let renewal: Renewal | undefined;
  /** A write has left that makes the Lease ours; only an answer would tell whether it did. */
  let mayBeOurs = false;
  let lastFailure = '';

  const ageMs = (): number => renewal?.ageMs() ?? Number.POSITIVE_INFINITY;

  /** Says it once per cause. */
  const onFailure = (error: KubeError): void => {
    const text = calls.explain(error);
    if (text === lastFailure || error.reason === 'Aborted') return;
    lastFailure = text;
    log.warn({ namespace, name, error: text }, 'cannot use the leader election Lease; retrying');
  };

  const lead = async (taken: Taken, stop: AbortSignal): Promise<void> => {
    renewal = new Renewal({
      calls,
      clock,
      held: taken,
      identity,
      renewMs,
      retryMs,
      attemptMs,
      onFailure,
      claim: () => ({ namespace, name, identity, leaseMs, now: clock.now() }),
      onRenewed: () => {
        lastFailure = '';
      },
      onLost: (why) => {
        phase = 'over';
        log.warn({ namespace, name, identity, why }, 'lost the leadership');
        options.onLost(why);
      },
    });
    phase = 'leading';
    log.info({ namespace, name, identity }, 'became the leader');
    options.onStarted(taken.formerVersion);
    await renewal.run(stop);
  };

  /** From what was last seen of it, where that is ours; else, or on a conflict, it is read. */
  const release = async (held: Held | undefined): Promise<void> => {
    const patience = new AbortController();
    const cancel = clock.at(RELEASE_MS, () => patience.abort());
    const releaseFrom = async (seen: Lease | undefined): Promise<boolean> => {
      if (seen?.spec?.holderIdentity !== identity) return true;
      await calls.write(released(seen, clock.now()), attemptMs, patience.signal);
      log.info({ namespace, name, identity }, 'released the leadership');
      return true;
    };
    let isDone =
      held !== undefined && (await releaseFrom(held.lease).catch(tolerate(onFailure, isConflict)));
    for (let tries = 0; tries < CONFLICTS && !isDone; tries += 1)
      isDone = await calls
        .read(attemptMs, patience.signal)
        .then(releaseFrom)
        .catch(tolerate(onFailure, isConflict));
    cancel();
  };

  return {
    run: async (signal) => {
      const taken = await acquire({
        ...options,
        calls,
        leaseMs,
        renewMs,
        retryMs,
        attemptMs,
        stop: signal,
        onFailure,
        onWrite: () => {
          mayBeOurs = true;
        },
      });
      if (taken && !signal.aborted) await lead(taken, signal);
      const lost = phase === 'over';
      phase = 'over';
      if (!lost && mayBeOurs) await release(renewal?.held ?? taken);
    },
    isLeader: () => phase === 'leading',
    mayStartCall: () => phase === 'leading' && ageMs() < renewMs,
  };
}
