import { type Informers, startInformers } from '../../src/kube/cache/informers.ts';
import { Store } from '../../src/kube/cache/store.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { PIPE } from './engine.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeKubeServer, type Fate } from './fake-kube-server.ts';
import { recordingLog } from './recording-log.ts';

export const FORBIDDEN: Fate = {
  status: 403,
  reason: 'Forbidden',
  message: 'pipes.test.dev is forbidden: User "pw" cannot list',
};

/** Informers of one kind, and the server that they watch. */
export class Informed {
  readonly server: FakeKubeServer;
  readonly clock = new FakeClock();
  readonly pipes = new Store<KubeObject>({ onChange: () => undefined });
  readonly recorded = recordingLog();
  /** May be replaced before `start`. */
  client: KubeClient;
  readonly #stop = new AbortController();
  readonly #client: KubeClient;

  private constructor(server: FakeKubeServer) {
    this.server = server;
    this.client = createKubeClient(server.cluster);
    this.#client = this.client;
  }

  static async open(): Promise<Informed> {
    return new Informed(await new FakeKubeServer().start());
  }

  start(namespaces: readonly string[], labelSelector?: string): Informers {
    return startInformers({
      client: this.client,
      watched: [{ type: PIPE, sink: (namespace) => this.pipes.sink(namespace) }],
      namespaces,
      labelSelector,
      clock: this.clock,
      log: this.recorded.log,
      signal: this.#stop.signal,
    });
  }

  /** Refuses everything about one namespace, or about all. */
  refuse(fate: Fate, namespace?: string): void {
    this.server.fate = ({ path }) =>
      namespace === undefined || path.includes(`/namespaces/${namespace}/`) ? fate : undefined;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#client.close();
    await this.server.stop();
  }
}
