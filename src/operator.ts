import { createApiClient } from './api/call.ts';
import { Limiter } from './api/limiter.ts';
import type { Event } from './controller/kind.ts';
import { Queue } from './controller/queue.ts';
import { Worker } from './controller/worker.ts';
import { createKinds } from './kinds/index.ts';
import { createCredentials } from './kinds/shared/credentials.ts';
import type { KubeClient } from './kube/client.ts';
import { createEvents } from './kube/events.ts';
import { type Informers, startInformers } from './kube/follow.ts';
import { LEASE } from './kube/lease.ts';
import { createSecrets } from './kube/secrets.ts';
import type { ProcessOptions } from './process.ts';

type OfProcess = 'config' | 'cluster' | 'clock' | 'log' | 'metrics' | 'version' | 'identity';

export interface OperatorOptions extends Pick<ProcessOptions, OfProcess | 'guard' | 'open'> {
  readonly client: KubeClient;
  /** Where events go that are of no object; absent: there is no Lease. */
  readonly lease: { readonly namespace: string; readonly name: string } | undefined;
  /** Whether this process leads, asked right before a call's first byte leaves. */
  readonly mayStartCall: () => boolean;
  /** Ends the watches. */
  readonly signal: AbortSignal;
  /**
   * Breaks off the calls to the management API and lets no other begin; a status that Kubernetes
   * has not taken by then is lost.
   */
  readonly stopCalls: AbortSignal;
}

/** Puts the parts together; nothing is read or reconciled before informers and worker run. */
export function createOperator(options: OperatorOptions) {
  const { config, cluster, client, clock, log, metrics, signal, stopCalls } = options;
  const queue = new Queue(clock, () => worker.ready());
  const api = createApiClient({
    baseUrl: config.apiUrl,
    ca: config.apiCa,
    timeoutMs: config.apiTimeoutMs,
    clock,
    version: options.version,
    stop: stopCalls,
    dispatcher: options.open?.api(),
    onCall: metrics.onCall,
  });
  const limiter = new Limiter({
    rate: config.apiRate,
    rateTotal: config.apiRateTotal,
    inFlight: config.apiInFlight,
    clock,
    wake: (id) => queue.add(id, 'scheduled'),
    onWait: metrics.onWait,
  });
  const secrets = createSecrets(client, clock, signal, config.secretSelector);
  const credentials = createCredentials({
    secrets,
    baseUrl: api.baseUrl,
    guard: options.guard,
  });
  const events = createEvents(client, clock, log, options.identity);
  const { lease } = options;
  const announce = (event: Event): void => {
    if (!lease) return;
    const metadata = { ...lease, uid: '', resourceVersion: '', creationTimestamp: '' };
    events.emit({ metadata }, LEASE, event);
  };
  const kinds = createKinds({
    announce,
    api,
    limiter,
    secrets,
    readCredential: credentials.read,
    clock,
    enqueue: (id, priority) => queue.add(id, priority),
    changed: (id) => worker.changed(id),
    leaveSecret: (secret) => {
      if (kinds.every(({ store }) => store.byIndex('secret', secret).length === 0))
        credentials.forget(secret);
    },
    onSecretChange: secrets.onChange,
    log,
    apiTimeoutMs: config.apiTimeoutMs,
    planOnly: config.planOnly,
    cleanupDeadlineMs: config.cleanupDeadlineMs,
  });
  const worker = new Worker({
    kinds,
    queue,
    client,
    clock,
    log,
    emit: events.emit,
    mayStart: options.mayStartCall,
    giveUp: stopCalls,
    onReconcile: metrics.onReconcile,
  });
  const start = (): Informers => {
    const shared = { cluster, client, labelSelector: config.selector, clock, log, signal };
    return startInformers(kinds, config.namespaces, shared);
  };
  return { api, limiter, queue, kinds, events, worker, startInformers: start };
}
