import { Dispatcher } from 'undici';
import { createKubeClient, type KubeClient } from '../../../src/kube/client.ts';
import { Cluster } from '../../../src/kube/cluster.ts';
import { Timeline } from '../../simulation/engine/timeline.ts';
import { kindOf } from '../../simulation/kubernetes/kinds.ts';
import { Kubernetes } from '../../simulation/kubernetes/server.ts';
import type { FakeClock } from '../../support/fake-clock.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What becomes of one call. */
export interface Fate {
  readonly thereMs?: number;
  readonly backMs?: number;
  /** No answer comes. `answer`: it is carried out all the same. */
  readonly lost?: 'call' | 'answer';
  /** Instead of being carried out. */
  readonly refused?: {
    readonly status: number;
    readonly message?: string;
    /** Seconds. */
    readonly retryAfter?: number;
  };
}

/**
 * The simulation's Kubernetes API, called past every socket: an answer takes no time but that of
 * its fate, by the clock of the test.
 */
export class Api {
  readonly #kubernetes: Kubernetes;
  /** Those that arrived, in order. */
  readonly calls: Call[] = [];
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    let uids = 0;
    this.#clock = clock;
    this.#kubernetes = new Kubernetes({
      timeline: new Timeline(),
      wall: clock.now(),
      newUid: () => `uid-${(uids += 1)}`,
      onChange: () => undefined,
    });
  }

  client(fateOf: (call: Call) => Fate): KubeClient {
    const cluster = new Cluster();
    const skipTLSVerify = false;
    const server = { name: 'c', server: 'https://api.test', skipTLSVerify };
    cluster.loadFromClusterAndUser(server, { name: 'u', token: 't' });
    const request = (call: Call) => this.#carry(call, fateOf(call));
    cluster.open = () => Object.assign(new Dispatcher(), { request });
    return createKubeClient(cluster, this.#clock);
  }

  /** What a client would get, as an object. Throws where it is refused. */
  as(method: string, path: string, body?: unknown): unknown {
    const { status, body: answer } = this.#serve({ method, path, body: JSON.stringify(body) });
    if (status >= 300) throw new Error(answer);
    return JSON.parse(answer) as unknown;
  }

  /** Deletes an object of namespace `ns`. */
  delete(plural: string, name: string): void {
    this.#kubernetes.as('a user').delete(kindOf(plural), 'ns', name);
  }

  async #carry(call: Call, { thereMs = 0, backMs = 0, lost, refused }: Fate) {
    await this.#passed(thereMs);
    if (lost === 'call') return never();
    this.calls.push(call);
    const message = refused?.message ?? 'refused';
    const { status, body } = refused
      ? { status: refused.status, body: JSON.stringify({ kind: 'Status', message }) }
      : this.#serve(call);
    if (lost === 'answer') return never();
    await this.#passed(backMs);
    const headers = { 'retry-after': refused?.retryAfter };
    return { statusCode: status, headers, body: { text: () => Promise.resolve(body) } };
  }

  async #passed(ms: number): Promise<void> {
    if (ms > 0) await new Promise<void>((resolve) => void this.#clock.at(ms, resolve));
  }

  #serve(call: Call) {
    const { status, body } = this.#kubernetes.serve({ ...call, headers: {} }, 'a client');
    return { status, body: String(body) };
  }
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
