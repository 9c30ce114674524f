import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../src/clock.ts';
import { parseConfig } from '../../src/config/config.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { createOperator } from '../../src/operator.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import type { FakeKubeServer } from './fake-kube-server.ts';
import { recordingLog } from './recording-log.ts';

export interface PlainApi {
  readonly url: string;
  /** Paths of the calls that came, in order. */
  readonly paths: readonly string[];
  /** Their bodies. */
  readonly bodies: readonly string[];
  /** In every answer of 200 from now on; empty at first. */
  result: object;
  /**
   * HTTP status of every answer from now on; 200 at first. `reset`: the connection is, before any
   * answer.
   */
  status: number | 'reset';
  /** The first is not answered before so many calls have come; 1 at first. */
  together: number;
  close(): void;
}

/** A management API that answers everything alike. */
export async function startPlainApi(): Promise<PlainApi> {
  const enough = Promise.withResolvers<void>();
  const paths: string[] = [];
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      paths.push(request.url ?? '');
      bodies.push(body);
      if (paths.length >= api.together) enough.resolve();
      void enough.promise.then(() => {
        if (api.status === 'reset') {
          request.socket.destroy();
          return;
        }
        response.statusCode = api.status;
        response.end(
          JSON.stringify({
            status: api.status,
            requestId: 'r',
            ...(api.status === 200 && { result: api.result }),
          }),
        );
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const api: PlainApi = {
    url: `http://127.0.0.1:${port}`,
    paths,
    bodies,
    result: {},
    status: 200,
    together: 1,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return api;
}

/**
 * The parts as src/main.ts puts them together, working. `guarded` are the values that are kept out
 * of logs now.
 */
export async function startOnFakes(
  kube: FakeKubeServer,
  apiUrl: string,
  flags: readonly string[] = [],
  mayStartCall: () => boolean = () => true,
) {
  const parsed = parseConfig({ argv: ['--api-url', apiUrl, ...flags], env: {}, version: 'test' });
  if (!parsed.ok) throw new Error(parsed.message);
  const guarded = new Set<readonly string[]>();
  const stop = new AbortController();
  const client = createKubeClient(kube.cluster, systemClock);
  const operator = createOperator({
    config: parsed.config,
    cluster: kube.cluster,
    client,
    clock: systemClock,
    log: recordingLog().log,
    metrics: createMetrics(),
    version: 'test',
    identity: 'test',
    lease: undefined,
    mayStartCall,
    guard: (values) => {
      guarded.add(values);
      return () => void guarded.delete(values);
    },
    signal: stop.signal,
    stopCalls: new AbortController().signal,
  });
  operator.startInformers();
  let term = new AbortController();
  const lead = (): Promise<void> =>
    operator.worker.run(AbortSignal.any([stop.signal, term.signal]));
  operator.startInformers();
  let working = lead();
  return {
    guarded,
    /** How many keys wait for a call, or have a slot for it. */
    waiting: () => operator.limiter.snapshot().waiting,
    /** An object as the operator has heard of it. */
    told: (name: string, key: string) =>
      operator.kinds.find(({ type }) => type.kind === name)?.store.get(key),
    /** Another process leads while this happens, and then this one again. */
    async standBy(meanwhile: () => void | Promise<void>) {
      term.abort();
      await working;
      await meanwhile();
      term = new AbortController();
      working = lead();
    },
    async end() {
      stop.abort();
      await working;
      await operator.events.flush();
      await Promise.all([operator.api.close(), client.close()]);
    },
  };
}
