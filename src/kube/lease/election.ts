import { type Cancel, type Clock, pause } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { KubeClient } from '../client/client.ts';
import { isConflict, isNotFound, KubeError } from '../client/kube-error.ts';
import { createLeaseCalls } from './lease-calls.ts';
import { claimed, type Lease, released } from './lease-record.ts';
import { type Held, stand } from './standby.ts';

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
  /** Must not throw. */
  readonly onStarted: () => void;
  /**
   * Called at most once, and not when stopped by the signal. The process should end: it never leads
   * again. Must not throw.
   */
  readonly onLost: (why: string) => void;
}

export interface Election {
  /**
   * Call once. Ends after leadership was lost, or after the signal: then the Lease is released,
   * where it is ours. Never rejects.
   */
  run(signal: AbortSignal): Promise<void>;
  isLeader(): boolean;
  /**
   * True while leader and the last renewal began less than renewMs ago by the monotonic clock. Once
   * false after true, false for ever.
   */
  mayStartCall(): boolean;
}

/** Tries of a write that met another version, before it waits for the next turn. */
const CONFLICTS = 3;

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
  const claim = (): Parameters<typeof claimed>[1] => ({
    namespace,
    name,
    identity,
    leaseMs,
    now: clock.now(),
  });
  let phase: 'standing by' | 'leading' | 'over' = 'standing by';
  let held: Held | undefined;
  let mayBeOurs = false;
  let complaint = '';

  const ageMs = (): number => (held ? clock.monotonic() - held.since : Number.POSITIVE_INFINITY);

  const complain = (error: KubeError): void => {
    const text = calls.explain(error);
    if (text === complaint || error.reason === 'Aborted') return;
    complaint = text;
    log.warn({ namespace, name, error: text }, 'cannot use the leader election Lease; retrying');
  };

  const lead = async (stop: AbortSignal): Promise<void> => {
    const over = new AbortController();
    let disarm: Cancel = () => {};

    const lose = (why: string): void => {
      if (phase !== 'leading') return;
      phase = 'over';
      over.abort();
      log.warn({ namespace, name, identity, why }, 'lost the leadership');
      options.onLost(why);
    };

    const confirm = (lease: Lease, since: number): void => {
      if (phase !== 'leading') return;
      // The answer of a renewal that others may have stopped waiting for comes too late, however
      // good.
      if (ageMs() >= renewMs) return lose(tooOld(renewMs));
      held = { lease, since };
      complaint = '';
      arm();
    };

    const arm = (): void => {
      disarm();
      disarm = clock.at(Math.max(0, renewMs - ageMs()), () => lose(tooOld(renewMs)));
    };

    const renew = async (): Promise<void> => {
      let seen = held?.lease;
      for (let tries = 0; tries < CONFLICTS && !over.signal.aborted; tries += 1) {
        const since = clock.monotonic();
        try {
          return confirm(await calls.write(claimed(seen, claim()), attemptMs, over.signal), since);
        } catch (error) {
          if (!isConflict(error) && !isNotFound(error)) throw error;
        }
        seen = (await calls.read(attemptMs, over.signal)) ?? afresh(seen);
        const holder = seen?.spec?.holderIdentity ?? '';
        if (holder !== '' && holder !== identity) return lose(`"${holder}" holds the Lease now`);
      }
    };

    const quit = (): void => over.abort();
    stop.addEventListener('abort', quit);
    if (stop.aborted) quit();
    arm();
    for (let began = held?.since ?? 0; !over.signal.aborted; ) {
      await pause(clock, Math.max(0, began + retryMs - clock.monotonic()), over.signal);
      if (over.signal.aborted) break;
      began = clock.monotonic();
      if (ageMs() >= renewMs) lose(tooOld(renewMs));
      else await renew().catch(tolerate(complain));
    }
    disarm();
    stop.removeEventListener('abort', quit);
  };

  const release = async (): Promise<void> => {
    const patience = new AbortController();
    const cancel = clock.at(RELEASE_MS, () => patience.abort());
    const once = async (seen: Lease | undefined): Promise<boolean> => {
      if (seen?.spec?.holderIdentity !== identity) return true;
      await calls.write(released(seen, clock.now()), attemptMs, patience.signal);
      log.info({ namespace, name, identity }, 'released the leadership');
      return true;
    };
    let done = held !== undefined && (await once(held.lease).catch(tolerate(complain, isConflict)));
    for (let tries = 0; tries < CONFLICTS && !done; tries += 1)
      done = await calls
        .read(attemptMs, patience.signal)
        .then(once)
        .catch(tolerate(complain, isConflict));
    cancel();
  };

  return {
    run: async (signal) => {
      const writing = (): void => {
        mayBeOurs = true;
      };
      held = await stand({
        ...options,
        calls,
        leaseMs,
        renewMs,
        retryMs,
        attemptMs,
        stop: signal,
        complain,
        writing,
      });
      if (held && !signal.aborted) {
        phase = 'leading';
        log.info({ namespace, name, identity }, 'became the leader');
        options.onStarted();
        await lead(signal);
      }
      const lost = phase === 'over';
      phase = 'over';
      if (!lost && mayBeOurs) await release();
    },
    isLeader: () => phase === 'leading',
    mayStartCall: () => phase === 'leading' && ageMs() < renewMs,
  };
}

/** For a Lease that somebody deleted under its holder: to be made again as it was. */
function afresh(lease: Lease | undefined): Lease | undefined {
  if (!lease) return undefined;
  const { resourceVersion: _, uid: __, ...metadata } = lease.metadata;
  return { ...lease, metadata: metadata as Lease['metadata'] };
}

function tooOld(renewMs: number): string {
  return `the Lease could not be renewed for ${renewMs / 1000} s`;
}

/**
 * For failures of the API that the next try may mend; anything else is a bug and is thrown on.
 * Results in false.
 */
function tolerate(complain: (error: KubeError) => void, silent?: (error: unknown) => boolean) {
  return (error: unknown): false => {
    if (!(error instanceof KubeError)) throw error;
    if (!silent?.(error)) complain(error);
    return false;
  };
}
