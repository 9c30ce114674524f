import { createRegistry, type Registry } from './exposition.ts';
import { registerProcessMetrics } from './process-metrics.ts';

/** Seconds. From a call on loopback to the longest `--api-timeout` that makes sense. */
const CALL_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Seconds. A wait may be a pause that the API asked for, at most 15 minutes. */
const WAIT_BUCKETS = [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900];
/** Seconds. The powers of ten that dashboards for work queues expect. */
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10];

/**
 * One field per metric of the process. Figures about objects, credentials and queues are collected
 * from where they live.
 */
export type Metrics = ReturnType<typeof createMetrics>;

/**
 * A page of its own per call; nothing is shared between two of them. `registerMore`: figures that
 * no part of the operator has a hand in.
 */
export function createMetrics(registerMore: (registry: Registry) => void = registerProcessMetrics) {
  const registry = createRegistry();
  const metrics = {
    apiRequests: registry.counter({
      name: 'pipewright_api_requests_total',
      help: 'Calls to the management API, by the HTTP status of the response; code is "none" where there was no response.',
      labels: ['operation', 'code'],
    }),
    apiRequestDuration: registry.histogram({
      name: 'pipewright_api_request_duration_seconds',
      help: 'Time from the start of a call to the management API to the end of its response.',
      labels: ['operation'],
      buckets: CALL_BUCKETS,
    }),
    apiWait: registry.histogram({
      name: 'pipewright_api_wait_seconds',
      help: 'Time that calls waited for the rate limiter of their credential: rate window, pause or circuit breaker.',
      labels: [],
      buckets: WAIT_BUCKETS,
    }),
    credentialPaused: registry.collected({
      name: 'pipewright_credential_paused',
      help: 'Credentials whose calls are held back now; state "paused": the API asked to wait, "gated": the API refused the key.',
      labels: ['state'],
      type: 'gauge',
    }),
    reconciles: registry.counter({
      name: 'pipewright_reconcile_total',
      help: 'Reconciles, by result.',
      labels: ['kind', 'result'],
    }),
    reconcileDuration: registry.histogram({
      name: 'pipewright_reconcile_duration_seconds',
      help: 'Time of one reconcile, including its calls.',
      labels: ['kind'],
      buckets: CALL_BUCKETS,
    }),
    resourceReady: registry.collected({
      name: 'pipewright_resource_ready',
      help: '1 where the Ready condition of the object is True, else 0; reason is the reason of that condition.',
      labels: ['kind', 'namespace', 'name', 'reason'],
      type: 'gauge',
    }),
    resourceLastConfirmed: registry.collected({
      name: 'pipewright_resource_last_confirmed_timestamp_seconds',
      help: 'When the API last confirmed the declared state of the object, in seconds since 1970.',
      labels: ['kind', 'namespace', 'name'],
      type: 'gauge',
    }),
    drift: registry.counter({
      name: 'pipewright_drift_total',
      help: 'Fields that changed between two responses and were not changed by the operator.',
      labels: ['kind'],
    }),
    cleanupAbandoned: registry.counter({
      name: 'pipewright_cleanup_abandoned_total',
      help: 'Organizations that were deleted although private endpoints of theirs may be left at the API.',
      labels: [],
    }),
    leader: registry.collected({
      name: 'pipewright_leader',
      help: '1 where this process reconciles: it holds the Lease, or leader election is off; else 0.',
      labels: [],
      type: 'gauge',
    }),
    queueDepth: registry.collected({
      name: 'workqueue_depth',
      help: 'Objects that wait for a worker.',
      labels: ['name'],
      type: 'gauge',
    }),
    queueAdds: registry.counter({
      name: 'workqueue_adds_total',
      help: 'Objects that were added to the queue.',
      labels: ['name'],
    }),
    queueWait: registry.histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'Time that an object waited for a worker.',
      labels: ['name'],
      buckets: QUEUE_BUCKETS,
    }),
    queueWork: registry.histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'Time that a worker spent on an object.',
      labels: ['name'],
      buckets: QUEUE_BUCKETS,
    }),
    queueRetries: registry.counter({
      name: 'workqueue_retries_total',
      help: 'Objects that were added to the queue again after a failure.',
      labels: ['name'],
    }),
    queueUnfinished: registry.collected({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Time spent so far on the objects that workers hold now, summed over the workers.',
      labels: ['name'],
      type: 'gauge',
    }),
    queueLongestRunning: registry.collected({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Time that the slowest worker has spent on its object so far.',
      labels: ['name'],
      type: 'gauge',
    }),
    kubeUnverified: registry.collected({
      name: 'pipewright_kubernetes_tls_unverified',
      help: '1 where the certificate of the Kubernetes API server is not checked (insecure-skip-tls-verify), else 0.',
      labels: [],
      type: 'gauge',
    }),
    kubeRequests: registry.counter({
      name: 'rest_client_requests_total',
      help: 'Requests to the Kubernetes API server, by the HTTP status of the response.',
      labels: ['code', 'method', 'host'],
    }),
    /** The page to answer a scrape with; its content type is `EXPOSITION_CONTENT_TYPE`. */
    render: (): string => registry.render(),
  };
  registerMore(registry);
  return metrics;
}
