import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Kind } from '../controller/kind.ts';
import type { Queue } from '../controller/queue.ts';
import type { ReconcileRecord } from '../controller/worker.ts';
import { readyOf } from '../kinds/shared/common-status.ts';

/** Seconds. From a call on loopback to the longest pause that the API can ask for. */
const BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

/** What is read when somebody scrapes. */
interface Observed {
  readonly queue: Queue;
  readonly kinds: readonly Kind[];
  readonly limiter: { snapshot(): { readonly paused: number; readonly refused: number } };
  readonly isLeader: () => boolean;
}

/** `code`: the HTTP status, or `none` without an answer. */
interface CallRecord {
  readonly operation: string;
  readonly code: string;
  readonly durationMs: number;
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * A page of its own each: a simulation has several processes in one. `ofNode`: with the default
 * metrics of prom-client. Labels have few values: never the name of an object.
 */
export function createMetrics({ ofNode = false } = {}) {
  const registry = new Registry();
  if (ofNode) collectDefaultMetrics({ register: registry });
  const counter = (name: string, labelNames: string[], help: string) =>
    new Counter({ name, labelNames, help, registers: [registry] });
  const seconds = (name: string, labelNames: string[], help: string) =>
    new Histogram({ name, labelNames, help, buckets: BUCKETS, registers: [registry] });
  const calls = counter(
    'pipewright_api_requests_total',
    ['operation', 'code'],
    'Calls to the management API; code is the HTTP status, or "none" without a response.',
  );
  const callSeconds = seconds(
    'pipewright_api_request_duration_seconds',
    ['operation'],
    'Time from the start of a call to the management API to the end of its response.',
  );
  const waited = 'Time that a call waited: for the rate, calls in flight, or a pause of its key.';
  const waitSeconds = seconds('pipewright_api_wait_seconds', [], waited);
  const reconciles = counter('pipewright_reconcile_total', ['kind', 'result'], 'Reconciles.');
  const reconcileSeconds = seconds(
    'pipewright_reconcile_duration_seconds',
    ['kind'],
    'Time of one reconcile, with its calls and the waits for them.',
  );
  const drift = counter('pipewright_drift_total', ['kind'], 'Changes that others made.');
  const abandoned = counter(
    'pipewright_cleanup_abandoned_total',
    [],
    'Organization objects that were deleted while private endpoints that they owned may be left at the API.',
  );
  return {
    onCall({ operation, code, durationMs }: CallRecord): void {
      calls.inc({ operation, code });
      callSeconds.observe({ operation }, durationMs / 1000);
    },
    onWait: (waited: number): void => waitSeconds.observe(waited),
    onReconcile({ kind, result, durationMs, counts = {} }: ReconcileRecord): void {
      reconciles.inc({ kind, result });
      reconcileSeconds.observe({ kind }, durationMs / 1000);
      drift.inc({ kind }, counts.drift ?? 0);
      if (counts.abandoned !== undefined) abandoned.inc();
    },
    observe: registerGauges(registry),
    /** In the text format of Prometheus. */
    render: (): Promise<string> => registry.metrics(),
  };
}

/** They show nothing until what they observe is given. */
function registerGauges(registry: Registry): (from: Observed) => void {
  let observed: Observed | undefined;
  type Show = (gauge: Gauge, from: Observed) => void;
  const gauge = (name: string, labelNames: string[], help: string, show: Show) => {
    const collect = function (this: Gauge): void {
      this.reset();
      if (observed) show(this, observed);
    };
    return new Gauge({ name, labelNames, help, collect, registers: [registry] });
  };
  const paused = 'Keys whose calls wait. "paused": the API asked; "refused": it answers 401.';
  gauge('pipewright_credential_paused', ['state'], paused, (to, { limiter }) => {
    const { paused, refused } = limiter.snapshot();
    to.set({ state: 'paused' }, paused);
    to.set({ state: 'refused' }, refused);
  });
  const labels = ['kind', 'namespace', 'ready', 'reason'];
  const resources = 'Objects, by status and reason of their condition Ready.';
  gauge('pipewright_resources', labels, resources, (to, { kinds }) => {
    for (const { type, store } of kinds)
      for (const { metadata, status } of store.values()) {
        const { status: ready = 'Unknown', reason = 'Pending' } = readyOf(status ?? {}) ?? {};
        to.inc({ kind: type.kind, namespace: metadata.namespace, ready, reason });
      }
  });
  const leads = '1 where this process reconciles: it has the Lease, or needs none; else 0.';
  gauge('pipewright_leader', [], leads, (to, { isLeader }) => to.set(isLeader() ? 1 : 0));
  const waiting = 'Objects to be reconciled, without those that wait for a call.';
  gauge('workqueue_depth', ['name'], waiting, (to, { queue }) =>
    to.set({ name: 'pipewright' }, queue.depth),
  );
  return (from) => void (observed = from);
}
