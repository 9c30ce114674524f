import { type Clock, pause } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import { getObject, type KubeClient } from './client.ts';
import { isConflict, KubeError } from './errors.ts';
import * as resource from './resource.ts';

export const LEASE = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
};

/** How long a holder is left alone that does not renew. */
const LEASE_MS = 15_000;
/** A holder that could not renew for so long makes no call any more. */
const RENEW_MS = 10_000;
/** From the end of one try to the start of the next. */
const RETRY_MS = 2_000;
/** So that one without an answer is followed by another before the renew deadline. */
const REQUEST_MS = 3_000;
/** What a release leaves, as that of client-go does. */
const NOBODY = { holderIdentity: '', leaseDurationSeconds: 1 };

export interface Lease extends resource.KubeObject {
  readonly spec?: {
    /** Empty or absent: it was released. */
    readonly holderIdentity?: string;
  };
}

interface Candidate {
  readonly namespace: string;
  readonly name: string;
  /** Unique per process, not only per pod: a Lease with this holder is taken for our own. */
  readonly identity: string;
}

/**
 * One leader among the processes that use the same Lease, by the rules of client-go. Another holder
 * is replaced when this process has seen its Lease unchanged for 15 s by its own clock: the times
 * in it are by a clock that may be wrong. The holder stops 10 s after it sent its last renewal,
 * which is before anybody saw it. A write fails where anything was written since it was decided on.
 */
export function createElection(client: KubeClient, clock: Clock, log: Log, candidate: Candidate) {
  const { namespace, name, identity } = candidate;
  const path = resource.objectPath(LEASE, namespace, name);
  const us = { holderIdentity: identity, leaseDurationSeconds: LEASE_MS / 1000 };
  let isLeader = false;
  let lease: Lease | undefined;
  /** When this version of it was first seen, monotonic. */
  let seenAt = 0;
  /** When the last write was sent that made or kept it ours, monotonic. */
  let renewedAt = Number.NEGATIVE_INFINITY;
  let lastTrouble = '';

  /** Whether the last renewal is young enough for a call to begin. */
  const isFresh = (): boolean => clock.monotonic() - renewedAt < RENEW_MS;

  /** Who holds it, where that is another process; else ''. */
  const otherHolder = (): string => {
    const holder = lease?.spec?.holderIdentity ?? '';
    return holder === identity ? '' : holder;
  };

  /** Creates the Lease, or replaces the version that was read. */
  const write = (holder: typeof us): Promise<Lease> =>
    client.request<Lease>({
      method: lease ? 'PUT' : 'POST',
      path: lease ? path : resource.collectionPath(LEASE, namespace),
      body: {
        apiVersion: resource.apiVersionOf(LEASE),
        kind: LEASE.kind,
        // What others have put on it stays.
        metadata: { ...lease?.metadata, namespace, name },
        spec: { ...holder, renewTime: resource.microTime(clock.now()) },
      },
      timeoutMs: REQUEST_MS,
    });

  /** One try to make the Lease ours, to keep it, or to give it back. */
  const attempt = async (next = us): Promise<void> => {
    try {
      const before = lease;
      lease = await getObject<Lease>(client, path, { timeoutMs: REQUEST_MS });
      if (lease?.metadata.resourceVersion !== before?.metadata.resourceVersion)
        seenAt = clock.monotonic();
      const holder = otherHolder();
      if (!['', before?.spec?.holderIdentity].includes(holder)) log.info({ holder }, 'standing by');
      if (holder !== '' && clock.monotonic() - seenAt < LEASE_MS) return;
      const sentAt = clock.monotonic();
      lease = await write(next);
      lastTrouble = '';
      // Others in this process may have seen that it was over before the answer came.
      if (!isLeader || isFresh()) renewedAt = sentAt;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      // That somebody else was quicker is no trouble.
      if (isConflict(error) || error.message === lastTrouble) return;
      lastTrouble = error.message;
      log.warn({ name, error: error.message }, 'cannot use the leader election Lease; retrying');
    }
  };

  return {
    isLeader: (): boolean => isLeader,

    /** To be asked right before the first byte of a call. Once false after true, false for ever. */
    mayStartCall: (): boolean => isLeader && isFresh(),

    /**
     * Works from when this process leads until `stop`; ends when the work has ended and the Lease
     * is released. Throws where the Lease is lost: the work is told to end and not waited for.
     */
    async run(stop: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
      const lost = new AbortController();
      const ended = new AbortController();
      let working: Promise<void> | undefined;
      while (isLeader ? !ended.signal.aborted : !stop.aborted) {
        if (!isLeader || isFresh()) await attempt();
        const isOurs = isFresh() && otherHolder() === '';
        if (isLeader && !isOurs) {
          isLeader = false;
          lost.abort();
          log.warn({ identity, holder: otherHolder() }, 'lost the leadership');
          throw new Error('the Lease was not renewed in time; another process may lead now');
        }
        if (!isLeader && isOurs && !stop.aborted) {
          isLeader = true;
          log.info({ identity }, 'became the leader');
          working = work(AbortSignal.any([stop, lost.signal])).finally(() => ended.abort());
          // Awaited below; where the Lease is lost, it counts no more.
          working.catch(() => undefined);
        }
        await pause(clock, RETRY_MS, isLeader ? ended.signal : stop);
      }
      isLeader = false;
      if (isFresh()) await attempt(NOBODY);
      await working;
    },
  };
}
