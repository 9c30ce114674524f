import { type Clock, pause } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import { getObject, type KubeClient } from './client.ts';
import { isConflict, KubeError, missingRule } from './errors.ts';
import {
  apiVersionOf,
  collectionPath,
  type KubeObject,
  microTime,
  objectPath,
} from './resource.ts';

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
const RELEASED = { holderIdentity: '', leaseDurationSeconds: 1 };

export interface Lease extends KubeObject {
  readonly spec?: {
    /** Empty or absent: it was released. */
    readonly holderIdentity?: string;
    readonly acquireTime?: string;
    readonly leaseTransitions?: number;
  };
}

export interface ElectionOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process, not only per pod: a Lease with this holder is taken for our own. */
  readonly identity: string;
  readonly work: (signal: AbortSignal) => Promise<void>;
}

/**
 * One leader among the processes that use the same Lease, by the rules of client-go. Another holder
 * is replaced when this process has seen its Lease unchanged for 15 s by its own clock: the times
 * in it are by a clock that may be wrong. The holder stops 10 s after it sent its last renewal,
 * which is before anybody saw it. A write fails where anything was written since it was decided on.
 */
export class Election {
  readonly #options: ElectionOptions;
  #isLeader = false;
  #lease: Lease | undefined;
  /** When this version of it was first seen, monotonic. */
  #seenAt = 0;
  /** When the last write was sent that made or kept it ours, monotonic. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #lastFailure = '';

  constructor(options: ElectionOptions) {
    this.#options = options;
  }

  isLeader(): boolean {
    return this.#isLeader;
  }

  /** To be asked right before the first byte of a call. Once false after true, false for ever. */
  mayStartCall(): boolean {
    return this.#isLeader && this.#isFresh();
  }

  /**
   * Works from when this process leads until `stop`; ends when the work has ended and the Lease is
   * released. Throws where the Lease is lost: the work is told to end and not waited for.
   */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted && !this.#isFresh()) {
      await this.#try();
      if (!this.#isFresh()) await pause(this.#options.clock, RETRY_MS, stop);
    }
    if (!stop.aborted) await this.#lead(stop);
    else if (this.#isFresh()) await this.#try(RELEASED);
  }

  async #lead(stop: AbortSignal): Promise<void> {
    const { clock, log, identity, work } = this.#options;
    this.#isLeader = true;
    log.info({ identity }, 'became the leader');
    const lost = new AbortController();
    const ended = new AbortController();
    const working = work(AbortSignal.any([stop, lost.signal])).finally(() => ended.abort());
    let why: string | undefined;
    while (!ended.signal.aborted && why === undefined) {
      await pause(clock, RETRY_MS, ended.signal);
      if (!ended.signal.aborted) why = await this.#renew();
    }
    this.#isLeader = false;
    if (why !== undefined) {
      log.warn({ identity, why }, 'lost the leadership');
      lost.abort();
      // Whatever comes of it counts no more: the process ends.
      working.catch(() => undefined);
      throw new Error(`the leadership was lost (${why}); another process may lead now`);
    }
    await this.#try(RELEASED);
    await working;
  }

  /** Resolves with why the Lease is lost; undefined: it is not. */
  async #renew(): Promise<string | undefined> {
    if (this.#isFresh()) await this.#try();
    if (!this.#isFresh()) return `the Lease could not be renewed for ${RENEW_MS / 1000} s`;
    return this.#other() === '' ? undefined : `"${this.#other()}" holds the Lease now`;
  }

  /** One try to make the Lease ours, to keep it, or to give it back. */
  async #try(change?: typeof RELEASED): Promise<void> {
    const { client, clock, log, namespace, name } = this.#options;
    try {
      const path = objectPath(LEASE, namespace, name);
      this.#observe(await getObject(client, path, { timeoutMs: REQUEST_MS }));
      if (this.#other() !== '' && clock.monotonic() - this.#seenAt < LEASE_MS) return;
      const sentAt = clock.monotonic();
      await this.#write({ ...this.#claim(), ...change });
      // Others in this process may have seen that it was over before the answer came.
      if (!this.#isLeader || this.#isFresh()) this.#renewedAt = sentAt;
      this.#lastFailure = '';
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      const { group, plural: resource } = LEASE;
      const needs = ['get', 'create', 'update'];
      const denied = { error, verb: 'use', group, resource, namespace, needs };
      const text = error.status === 403 ? missingRule(denied) : error.message;
      // Once per cause; that somebody else was quicker is none.
      if (!isConflict(error) && text !== this.#lastFailure)
        log.warn({ name, error: text }, 'cannot use the leader election Lease; retrying');
      this.#lastFailure = text;
    }
  }

  /** Creates the Lease, or replaces the version that was observed. Throws KubeError. */
  async #write(spec: object): Promise<void> {
    const { client, namespace, name } = this.#options;
    const isThere = this.#lease !== undefined;
    // What others have put on it stays.
    const metadata = { ...this.#lease?.metadata, managedFields: undefined, namespace, name };
    const lease = await client.request<Lease>({
      method: isThere ? 'PUT' : 'POST',
      path: isThere ? objectPath(LEASE, namespace, name) : collectionPath(LEASE, namespace),
      body: { apiVersion: apiVersionOf(LEASE), kind: LEASE.kind, metadata, spec },
      timeoutMs: REQUEST_MS,
    });
    this.#observe(lease);
  }

  #observe(lease: Lease | undefined): void {
    const { clock, log } = this.#options;
    const before = this.#lease;
    this.#lease = lease;
    if (lease?.metadata.resourceVersion !== before?.metadata.resourceVersion)
      this.#seenAt = clock.monotonic();
    const holder = this.#other();
    if (!['', before?.spec?.holderIdentity].includes(holder)) log.info({ holder }, 'standing by');
  }

  /** As client-go fills it in. */
  #claim(): object {
    const { clock, identity } = this.#options;
    const spec = this.#lease?.spec;
    const now = microTime(clock.now());
    const isOurs = spec?.holderIdentity === identity;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: LEASE_MS / 1000,
      renewTime: now,
      acquireTime: (isOurs && spec.acquireTime) || now,
      leaseTransitions: (spec?.leaseTransitions ?? 0) + (isOurs || !this.#lease ? 0 : 1),
    };
  }

  /** Who holds it, where that is another process; else ''. */
  #other(): string {
    const holder = this.#lease?.spec?.holderIdentity ?? '';
    return holder === this.#options.identity ? '' : holder;
  }

  /** Whether the last renewal is young enough for a call to begin. */
  #isFresh(): boolean {
    return this.#options.clock.monotonic() - this.#renewedAt < RENEW_MS;
  }
}
