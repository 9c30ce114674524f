import { createElection } from '../../../src/kube/lease.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { Api, type Fate } from './api.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/pw/leases';

interface Lease {
  readonly metadata: object;
  readonly spec: { readonly holderIdentity: string };
}

/** A Kubernetes API with one Lease, and the processes that want it. */
export class LeaseWorld {
  readonly clock = new FakeClock();
  readonly api = new Api(this.clock);

  /** A process begins to want the Lease. Its work ends once it is told to, where none is given. */
  start(identity: string, fate: Fate = {}, work = told) {
    const stop = new AbortController();
    const { log, messages } = recordingLog();
    const process = { stop, messages, fate, did: '', outcome: '' };
    const client = this.api.client(() => process.fate);
    const names = { namespace: 'pw', name: 'pipewright', identity };
    const election = createElection(client, this.clock, log, names);
    const works = async (signal: AbortSignal): Promise<void> => {
      process.did = 'works';
      await work(signal);
      process.did = 'ended';
    };
    election.run(stop.signal, works).then(
      () => (process.outcome = 'ended'),
      (error: unknown) => (process.outcome = String(error)),
    );
    /** In one word, but that of an error. */
    const state = (): string => {
      if (process.outcome !== '') return process.outcome;
      if (election.mayStartCall()) return 'calls';
      return process.did === '' ? 'waits' : 'silent';
    };
    return Object.assign(process, { state });
  }

  get lease(): Lease {
    return this.api.as('GET', `${LEASES}/pipewright`) as Lease;
  }

  /** Somebody else makes the Lease. */
  give(holderIdentity: string): void {
    const spec = { holderIdentity, leaseDurationSeconds: 15 };
    this.api.as('POST', LEASES, { metadata: { name: 'pipewright' }, spec });
  }

  /** Somebody else writes it, over whatever stands there. */
  set({ holder, touched }: { readonly holder?: string; readonly touched?: string }): void {
    const { metadata, spec } = this.lease;
    const changed = holder === undefined ? spec : { ...spec, holderIdentity: holder };
    const body = { metadata: { ...metadata, annotations: { touched } }, spec: changed };
    this.api.as('PUT', `${LEASES}/pipewright`, body);
  }
}

function told(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}
