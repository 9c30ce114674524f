import { type ApiClient, type ApiClientOptions, createApiClient } from './api/http/client.ts';
import { proxySecrets } from './api/http/proxy.ts';
import type { RateLimiter } from './api/limiter/contract.ts';
import { createRateLimiter } from './api/limiter/rate-limiter.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import { type ControllerOptions, queueKey } from './controller/controller.ts';
import { type Informers, startInformers } from './controller/informers.ts';
import type { Kind } from './controller/kind.ts';
import { Queue } from './controller/queue.ts';
import { Reconciler, type ReconcilerOptions } from './controller/reconciler.ts';
import { createCredentials } from './kinds/engine/credentials.ts';
import { createKinds } from './kinds/index.ts';
import { showsConflict } from './kinds/target/conflict-report.ts';
import type { KubeClient } from './kube/client/client.ts';
import { createFinalizerWriter } from './kube/client/finalizers.ts';
import { createEvents, type Events } from './kube/events/events.ts';
import { keyOf } from './kube/resource.ts';
import { createSecrets } from './kube/secrets/secrets.ts';
import type { Log } from './log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import {
  observeCalls,
  observeQueue,
  observeReconciles,
  observeWaits,
} from './telemetry/observe.ts';

export interface OperatorOptions {
  readonly config: Config;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly version: string;
  /** Unique per process. */
  readonly instance: string;
  /** Asked right before a call's first byte leaves. */
  readonly mayStartCall: () => boolean;
  /** Keeps these values out of logs until the function it returns is called. */
  readonly guard: (values: readonly string[]) => () => void;
  /** How connections to the management API are opened; undici's Pool where absent. */
  readonly openApi?: ApiClientOptions['open'];
  /** Ends the watches. */
  readonly signal: AbortSignal;
  /** Breaks off the calls to the management API, and lets no other begin; never where absent. */
  readonly stopCalls?: AbortSignal;
}

export interface Operator {
  readonly api: ApiClient;
  readonly limiter: RateLimiter;
  readonly queue: Queue;
  readonly kinds: readonly Kind[];
  readonly events: Events;
  readonly informers: Informers;
  /** For `runWorkers`. */
  readonly controller: ControllerOptions;
}

/** Puts the parts together and starts the watches; nothing is reconciled until workers start. */
export function createOperator(options: OperatorOptions): Operator {
  const { config, client, clock, log, metrics, signal, stopCalls } = options;
  const queue = new Queue({ clock, observer: observeQueue(metrics) });
  if (config.apiProxy) options.guard(proxySecrets(config.apiProxy));
  const api = createApiClient({
    baseUrl: config.apiUrl,
    ...(config.apiCa !== undefined && { ca: config.apiCa }),
    ...(config.apiProxy !== undefined && { proxy: config.apiProxy }),
    timeoutMs: config.apiTimeoutMs,
    clock,
    version: options.version,
    mayStart: options.mayStartCall,
    ...(options.openApi && { open: options.openApi }),
    onCall: observeCalls(metrics),
  });
  const limiter = createRateLimiter({
    rate: config.apiRate,
    rateTotal: config.apiRateTotal,
    inFlight: config.apiInFlight,
    clock,
    wake: (id, lane, holdsSlot) => queue.add(id, lane, holdsSlot),
    onWait: observeWaits(metrics),
  });
  const secretListeners: ((secret: string) => void)[] = [];
  const secrets = createSecrets({
    client,
    clock,
    log,
    signal,
    selector: config.secretSelector,
    onChange: (namespace, name) => {
      for (const listener of secretListeners) listener(`${namespace}/${name}`);
    },
  });
  const credentials = createCredentials({
    secrets,
    baseUrl: api.baseUrl,
    guard: options.guard,
    onRenewed: (credential) => limiter.renew(credential),
  });
  secretListeners.push((secret) => credentials.forget(secret));
  const events = createEvents({ client, clock, log, instance: options.instance });

  const emit: ReconcilerOptions['emit'] = (object, type, { type: severity, ...said }) => {
    events.emit({ object: { ...object, type }, type: severity, action: 'Reconcile', ...said });
  };
  const kinds = createKinds({
    api: stopCalls
      ? { ...api, call: (request) => api.call({ ...request, signal: stopCalls }) }
      : api,
    limiter,
    secrets,
    readCredential: credentials.read,
    clock,
    enqueue: (id, lane) => queue.add(id, lane),
    onSecretChange: (listener) => void secretListeners.push(listener),
    writeFinalizers: createFinalizerWriter(client),
    emit,
    log,
    unlisted: (plural) => informers.unlisted(plural),
    apiTimeoutMs: config.apiTimeoutMs,
    planOnly: config.planOnly,
    cleanupDeadlineMs: config.cleanupDeadlineMs,
  });
  const reconciler = new Reconciler({ client, clock, emit });
  const informers = startInformers({
    client,
    kinds,
    namespaces: config.namespaces,
    labelSelector: config.selector,
    clock,
    log,
    signal,
    // Those that waited for a namespace to be listed may find no rival in it.
    onListed: (kind) => {
      for (const object of kind.values())
        if (showsConflict(object)) queue.add(queueKey(kind.type.kind, keyOf(object)), 'user');
    },
  });
  const controller: ControllerOptions = {
    kinds: new Map(kinds.map((kind) => [kind.type.kind, kind])),
    queue,
    reconciler,
    clock,
    log,
    concurrency: config.concurrency,
    takeOver: () => limiter.startOver(),
    onReconcile: observeReconciles(metrics),
  };
  return { api, limiter, queue, kinds, events, informers, controller };
}
