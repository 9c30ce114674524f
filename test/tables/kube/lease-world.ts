import { createElection } from '../../../src/kube/lease.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { Api, type Fate, type Time } from './api.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/pw/leases';

interface Lease {
  readonly metadata: { readonly annotations?: object; readonly resourceVersion: string };
  readonly spec: { readonly holderIdentity: string };
}

/** The time of one process: it may stand still, and its wall clock may be wrong. */
class ProcessTime implements Time {
  readonly #base: Time;
  readonly #skewMs: number;
  readonly #due: (() => void)[] = [];
  isFrozen = false;

  constructor(base: Time, skewMs: number) {
    this.#base = base;
    this.#skewMs = skewMs;
  }

  now(): number {
    return this.#base.now() + this.#skewMs;
  }

  monotonic(): number {
    return this.#base.monotonic();
  }

  at(delayMs: number, run: () => void): () => void {
    let isOff = false;
    const cancel = this.#base.at(delayMs, () => {
      if (this.isFrozen) this.#due.push(() => isOff || run());
      else run();
    });
    return () => {
      isOff = true;
      cancel();
    };
  }

  thaw(): void {
    this.isFrozen = false;
    for (const run of this.#due.splice(0)) run();
  }
}

interface Start {
  readonly skewMs?: number;
  /** Of every call, until the test says otherwise. */
  readonly fate?: Fate;
  /** Ends once it is told to, where absent. */
  readonly work?: (signal: AbortSignal) => Promise<void>;
}

/** A Kubernetes API with one Lease, and the processes that want it. */
export class LeaseWorld {
  readonly clock = new FakeClock();
  readonly api = new Api(this.clock);

  /** A process begins to want the Lease. */
  start(identity: string, { skewMs = 0, fate = {}, work = told }: Start = {}) {
    const time = new ProcessTime(this.clock, skewMs);
    const stop = new AbortController();
    const { log, messages } = recordingLog();
    const process = { time, stop, messages, fate, did: [] as string[], outcome: 'runs' };
    const client = this.api.client(time, () => process.fate);
    const names = { namespace: 'pw', name: 'pipewright', identity };
    const election = createElection(client, time, log, names);
    const works = async (signal: AbortSignal): Promise<void> => {
      process.did.push('works');
      await work(signal);
      process.did.push('ends work');
    };
    election.run(stop.signal, works).then(
      () => (process.outcome = 'ended'),
      (error: unknown) => (process.outcome = String(error)),
    );
    return Object.assign(process, { election });
  }

  get lease(): Lease {
    return this.api.as('GET', `${LEASES}/pipewright`) as Lease;
  }

  get holder(): string {
    return this.lease.spec.holderIdentity;
  }

  /** Somebody else makes the Lease, or writes it over whatever stands there. */
  set(holderIdentity: string, renewTime = ''): void {
    const spec = { holderIdentity, leaseDurationSeconds: 15, renewTime };
    const path = `${LEASES}/pipewright`;
    if (this.#exists) this.api.as('PUT', path, { ...this.lease, spec });
    else this.api.as('POST', LEASES, { metadata: { name: 'pipewright' }, spec });
  }

  annotate(): void {
    const { resourceVersion } = this.lease.metadata;
    const metadata = { resourceVersion, annotations: { team: 'a' } };
    this.api.as('PATCH', `${LEASES}/pipewright`, { metadata });
  }

  get #exists(): boolean {
    try {
      return this.lease !== undefined;
    } catch {
      return false;
    }
  }
}

function told(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}
