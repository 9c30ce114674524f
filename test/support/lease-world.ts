import type { Cancel, Clock } from '../../src/clock.ts';
import type { KubeClient, RequestCall } from '../../src/kube/client.ts';
import { KubeError } from '../../src/kube/errors.ts';
import { createElection, type Election, type Lease } from '../../src/kube/lease.ts';
import { FakeClock } from './fake-clock.ts';
import { recordingLog } from './recording-log.ts';

/** What happens to one request on its way. Times in milliseconds. */
export interface Fate {
  readonly thereMs?: number;
  readonly backMs?: number;
  /** `request`: the server never sees it; `reply`: it is carried out, and nobody hears of it. */
  readonly lost?: 'request' | 'reply';
  /** Instead of being carried out. */
  readonly refused?: { readonly status: number; readonly body?: string };
}

/** The Lease as others see it, with the fields that this operator only writes. */
type Spec = NonNullable<Lease['spec']> & { leaseDurationSeconds?: number; renewTime?: string };
type Stored = Lease & { readonly spec?: Spec };

/** The time of one process: it may stand still, and its wall clock may be wrong. */
class ProcessClock implements Clock {
  readonly #base: Clock;
  readonly #skewMs: number;
  readonly #due: (() => void)[] = [];
  #isFrozen = false;

  constructor(base: Clock, skewMs: number) {
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
    let isOff = false;
    const cancel = this.#base.at(delayMs, () => {
      if (this.#isFrozen) this.#due.push(() => isOff || run());
      else run();
    });
    return () => {
      isOff = true;
      cancel();
    };
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const run of this.#due.splice(0)) run();
  }
}

export interface Candidate {
  readonly election: Election;
  readonly clock: ProcessClock;
  readonly stop: AbortController;
  readonly did: string[];
  readonly messages: string[];
  /** `well`, or the cause; undefined: it runs. */
  outcome: string | undefined;
  fate: () => Fate;
  /** When it sent the last write that the server took and that made it the holder. */
  renewedAt: number;
}

interface Start {
  readonly skewMs?: number;
  readonly onWork?: () => void;
  readonly onEnd?: () => void;
  readonly fate?: () => Fate;
  /** Ends once it is told to, where absent. */
  readonly work?: (signal: AbortSignal) => Promise<void>;
}

/** An API server with one Lease, and the processes that want it. */
export class LeaseWorld {
  readonly clock = new FakeClock();
  lease: Stored | undefined;
  requests = 0;
  #version = 0;

  start(identity: string, options: Start = {}): Candidate {
    const clock = new ProcessClock(this.clock, options.skewMs ?? 0);
    const stop = new AbortController();
    const did: string[] = [];
    const { log, messages } = recordingLog();
    const work = async (signal: AbortSignal): Promise<void> => {
      did.push('works');
      options.onWork?.();
      await (options.work ?? aborted)(signal);
      did.push('ends work');
    };
    const request = (call: RequestCall) => this.#request(candidate, call);
    const client = { request } as KubeClient;
    const names = { namespace: 'pw', name: 'pipewright', identity };
    const election = createElection(client, clock, log, names);
    const candidate: Candidate = {
      election,
      clock,
      stop,
      did,
      messages,
      outcome: undefined,
      fate: options.fate ?? (() => ({})),
      renewedAt: Number.NEGATIVE_INFINITY,
    };
    const ends = (outcome: string): void => {
      candidate.outcome = outcome;
      options.onEnd?.();
    };
    election.run(stop.signal, work).then(
      () => ends('well'),
      (error: unknown) => ends(String(error)),
    );
    return candidate;
  }

  /** Writes the Lease as somebody else, without any condition. */
  set(spec: Spec, labels?: Readonly<Record<string, string>>): void {
    this.#version += 1;
    const metadata = { namespace: 'pw', name: 'pipewright', uid: 'u', creationTimestamp: '' };
    const resourceVersion = String(this.#version);
    this.lease = { metadata: { ...metadata, resourceVersion, ...(labels && { labels }) }, spec };
  }

  async #request<T>(candidate: Candidate, call: RequestCall): Promise<T> {
    const late = Promise.withResolvers<never>();
    const cancel = candidate.clock.at(call.timeoutMs ?? 20_000, () =>
      late.reject(failure(call, 0, 'Timeout')),
    );
    try {
      return (await Promise.race([this.#travel(candidate, call), late.promise])) as T;
    } finally {
      cancel();
    }
  }

  /** What has left arrives, whatever becomes of its sender. */
  async #travel(candidate: Candidate, call: RequestCall): Promise<unknown> {
    const { thereMs = 0, backMs = 0, lost, refused } = candidate.fate();
    const sentAt = candidate.clock.monotonic();
    await wait(this.clock, thereMs);
    if (lost === 'request') return await new Promise(() => undefined);
    this.requests += 1;
    if (refused) throw failure(call, refused.status, refused.body ?? 'Refused');
    const answer = this.#serve(candidate, call, sentAt);
    if (lost === 'reply') return await new Promise(() => undefined);
    await wait(candidate.clock, backMs);
    if (typeof answer === 'number') throw failure(call, answer, 'Refused');
    return answer;
  }

  /** The answer, or the status of a refusal. */
  #serve(candidate: Candidate, { method, body }: RequestCall, sentAt: number): Stored | number {
    if (method === 'GET') return structuredClone(this.lease) ?? 404;
    const { metadata, spec } = body as Stored;
    if (method === 'POST' && this.lease) return 409;
    if (method === 'PUT' && !this.lease) return 404;
    if (method === 'PUT' && metadata.resourceVersion !== this.lease?.metadata.resourceVersion)
      return 409;
    this.set({ ...spec }, metadata.labels);
    if (spec?.holderIdentity !== '') candidate.renewedAt = sentAt;
    return structuredClone(this.lease) ?? 404;
  }
}

function failure({ method, path }: RequestCall, status: number, body: string): KubeError {
  return new KubeError({ call: `${method} ${path}`, status, reason: 'Refused', body });
}

async function wait(clock: Clock, ms: number): Promise<void> {
  if (ms > 0) await new Promise<void>((resolve) => void clock.at(ms, resolve));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
