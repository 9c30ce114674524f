import type { CallMetric } from '../api/call.ts';
import type { Limiter } from '../api/limiter.ts';
import type { Clock } from '../clock.ts';
import type { Kind } from '../controller/kind.ts';
import type { Queue, QueueObserver } from '../controller/queue.ts';
import type { ReconcileRecord, Worker } from '../controller/worker.ts';
import { type CommonStatus, readyOf } from '../kinds/shared/common-status.ts';
import type { Metrics } from './metrics.ts';

/** The result of a reconcile that Kubernetes or a bug broke. */
const BROKEN = 'error';
/** The queue's name in the workqueue metrics. */
const NAME = { name: 'pipewright' };

/** What the management API may well answer one day; `none`: nothing. */
const API_CODES = [
  '200',
  '400',
  '401',
  '403',
  '404',
  '408',
  '409',
  '422',
  '424',
  '429',
  '500',
  '502',
  '503',
  '504',
  'none',
];
/** Requests whose refusal somebody wants to hear of. */
const KUBE_METHODS = ['GET', 'WATCH'];
const KUBE_CODES = ['200', '401', '403'];

/**
 * Every series whose labels are known in advance is there at 0: one that is born at 1 has no
 * increase, and its alert is silent.
 */
export function startCounters(
  metrics: Metrics,
  known: {
    readonly kinds: readonly string[];
    readonly operations: readonly string[];
    readonly host: string;
  },
): void {
  const { kinds, operations, host } = known;
  for (const operation of operations)
    for (const code of API_CODES) metrics.apiRequests.inc({ operation, code }, 0);
  for (const kind of kinds) {
    metrics.reconciles.inc({ kind, result: BROKEN }, 0);
    metrics.drift.inc({ kind }, 0);
  }
  for (const method of KUBE_METHODS)
    for (const code of KUBE_CODES) metrics.kubeRequests.inc({ code, method, host }, 0);
  metrics.queueAdds.inc(NAME, 0);
  metrics.queueRetries.inc(NAME, 0);
}

/** For the client of the management API. */
export function observeCalls(metrics: Metrics): (call: CallMetric) => void {
  return ({ operation, code, durationMs }) => {
    metrics.apiRequests.inc({ operation, code });
    metrics.apiRequestDuration.observe({ operation }, durationMs / 1000);
  };
}

/** For the rate limiter: how long a call waited for it. */
export function observeWaits(metrics: Metrics): (seconds: number) => void {
  return (seconds) => metrics.apiWait.observe({}, seconds);
}

export function observeQueue(metrics: Metrics): QueueObserver {
  return {
    added: () => metrics.queueAdds.inc(NAME),
    taken: (waitedMs) => metrics.queueWait.observe(NAME, waitedMs / 1000),
    finished: (workedMs) => metrics.queueWork.observe(NAME, workedMs / 1000),
    retried: () => metrics.queueRetries.inc(NAME),
  };
}

export function observeReconciles(metrics: Metrics): (ended: ReconcileRecord) => void {
  return ({ kind, result, durationMs, counts }) => {
    metrics.reconciles.inc({ kind, result });
    metrics.reconcileDuration.observe({ kind }, durationMs / 1000);
    if (counts?.drift !== undefined) metrics.drift.inc({ kind }, counts.drift);
    if (counts?.abandoned !== undefined) metrics.cleanupAbandoned.inc({});
  };
}

/**
 * Figures that are read off where they live when somebody scrapes; nothing is counted twice or kept
 * per object.
 */
export function collectFigures(
  metrics: Metrics,
  from: {
    readonly queue: Queue;
    readonly worker: Worker;
    readonly limiter: Limiter;
    readonly kinds: readonly Kind[];
    readonly clock: Clock;
    readonly isLeader: () => boolean;
    readonly isUnverified: () => boolean;
  },
): void {
  const { queue, worker, limiter, kinds, clock, isLeader, isUnverified } = from;
  const running = (): number[] =>
    worker.runningSince().map((since) => (clock.monotonic() - since) / 1000);
  metrics.queueDepth.from(() => [[NAME, queue.depth]]);
  metrics.queueUnfinished.from(() => [
    [NAME, running().reduce((sum, seconds) => sum + seconds, 0)],
  ]);
  metrics.queueLongestRunning.from(() => [[NAME, Math.max(0, ...running())]]);
  metrics.leader.from(() => [[{}, isLeader() ? 1 : 0]]);
  metrics.kubeUnverified.from(() => [[{}, isUnverified() ? 1 : 0]]);
  metrics.credentialPaused.from(() => {
    const { paused, circuitOpen } = limiter.snapshot();
    return [
      [{ state: 'paused' }, paused],
      [{ state: 'gated' }, circuitOpen],
    ];
  });
  metrics.resourceReady.from(function* () {
    for (const { kind, namespace, name, status } of objects(kinds)) {
      const ready = readyOf(status);
      yield [
        { kind, namespace, name, reason: ready?.reason ?? 'Pending' },
        ready?.status === 'True' ? 1 : 0,
      ];
    }
  });
  metrics.resourceLastConfirmed.from(function* () {
    for (const { kind, namespace, name, status } of objects(kinds)) {
      const time = status?.applied?.time;
      if (time !== undefined) yield [{ kind, namespace, name }, Date.parse(time) / 1000];
    }
  });
}

interface Observed {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly status: (CommonStatus & { readonly applied?: { readonly time: string } }) | undefined;
}

function* objects(kinds: readonly Kind[]): Iterable<Observed> {
  for (const kind of kinds) {
    for (const { metadata, status } of kind.store.values()) {
      const { namespace, name } = metadata;
      yield { kind: kind.type.kind, namespace, name, status: status as Observed['status'] };
    }
  }
}
