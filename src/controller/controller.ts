import { waitFor } from '../backoff.ts';
import type { Clock } from '../clock.ts';
import { KubeError } from '../kube/client/kube-error.ts';
import { bugFields, errorFields, type Log } from '../log.ts';
import type { Kind } from './kind.ts';
import type { Queue } from './queue.ts';
import type { ReconcileResult, Reconciler } from './reconciler.ts';

/**
 * Waits after a reconcile that Kubernetes or a bug broke. Attempts at the remote API have waits of
 * their own, in the status.
 */
const BROKEN_RECONCILE = { firstMs: 500, capMs: 60_000 };

export interface ControllerOptions {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly queue: Queue;
  readonly reconciler: Reconciler;
  readonly clock: Clock;
  readonly log: Log;
  readonly concurrency: number;
  /** Work begins, for the first time or again, for all kinds; see Kind.takeOver. */
  readonly takeOver: () => void;
  readonly onReconcile?: (record: ReconcileRecord) => void;
}

/** One finished reconcile, for metrics. */
export interface ReconcileRecord {
  readonly kind: string;
  /** What it did; `error` where it broke. */
  readonly result: string;
  readonly durationMs: number;
  readonly counts?: ReconcileResult['counts'];
}

/** The queue's key for an object: the kind's name before the store's key. */
export function queueKey(kind: string, key: string): string {
  return `${kind}/${key}`;
}

/**
 * Workers that take keys and reconcile them until `signal` is aborted; resolves when the last one
 * that runs has ended and has its status.
 */
export async function runWorkers(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  options.takeOver();
  for (const kind of options.kinds.values()) kind.takeOver();
  await Promise.all(Array.from({ length: options.concurrency }, () => work(options, signal)));
  const { reconciler, log, queue } = options;
  await reconciler
    // For when this process leads again: no other event would bring them back.
    .end((id) => queue.add(id, 'user'))
    .catch((error: unknown) =>
      log.warn(errorFields(error), 'a status could not be written before stopping'),
    );
}

async function work(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  for (
    let id = await options.queue.take(signal);
    id !== undefined;
    id = await options.queue.take(signal)
  ) {
    await runOne(options, id);
    options.queue.done(id);
  }
}

async function runOne(options: ControllerOptions, id: string): Promise<void> {
  const { kinds, queue, reconciler, clock } = options;
  const [kindName = '', ...rest] = id.split('/');
  const key = rest.join('/');
  const kind = kinds.get(kindName);
  if (!kind) throw new Error(`the queue holds "${id}", but there is no kind "${kindName}"`);
  const started = clock.monotonic();
  try {
    const result = await reconciler.run(kind, id, key);
    schedule(options, id, result);
    report(options, kindName, key, result, clock.monotonic() - started);
  } catch (error) {
    const failures = queue.countFailure(id);
    queue.addAfter(id, Math.max(waitFor(BROKEN_RECONCILE, failures, id), askedWaitMs(error)));
    options.onReconcile?.({
      kind: kindName,
      result: 'error',
      durationMs: clock.monotonic() - started,
    });
    logBroken(options.log, error, { kind: kindName, ...namesIn(key), failures });
  }
}

/** The one place where an outcome becomes a queue operation. */
function schedule(
  { queue, clock }: ControllerOptions,
  id: string,
  { outcome, did, asOf }: ReconcileResult,
): void {
  switch (outcome.next) {
    case 'await-change':
      queue.forgetFailures(id);
      if (did === 'forgot') queue.forget(id);
      return;
    case 'go-on':
      queue.forgetFailures(id);
      queue.add(id, 'user', outcome.holdsSlot);
      return;
    case 'recheck':
      queue.forgetFailures(id);
      // The wall clock may have jumped while the status was written.
      queue.addAfter(id, outcome.at - asOf.now - (clock.monotonic() - asOf.monotonic));
      return;
    case 'back-off':
      queue.addAfter(id, waitFor(BROKEN_RECONCILE, queue.countFailure(id), id));
      return;
  }
}

function report(
  options: ControllerOptions,
  kind: string,
  key: string,
  result: ReconcileResult,
  durationMs: number,
): void {
  const { did, facts, counts } = result;
  options.onReconcile?.({ kind, result: did, durationMs, counts });
  const fields = { kind, ...namesIn(key), did, ms: Math.round(durationMs), ...facts, ...counts };
  if (facts ?? counts) options.log.info(fields, 'reconciled');
  else options.log.debug(fields, 'reconciled');
}

/** A log line says them apart, so that it can be searched by either. */
function namesIn(key: string): { readonly namespace: string; readonly name: string } {
  const [namespace = '', name = ''] = key.split('/');
  return { namespace, name };
}

/**
 * How long the API server asked to be left alone; a server may ask for patience, but not for ever.
 */
function askedWaitMs(error: unknown): number {
  const asked = error instanceof KubeError ? (error.retryAfterMs ?? 0) : 0;
  return Math.min(asked, BROKEN_RECONCILE.capMs);
}

function logBroken(
  log: Log,
  error: unknown,
  fields: { kind: string; namespace: string; name: string; failures: number },
): void {
  if (error instanceof KubeError) {
    log.warn(
      { ...fields, ...errorFields(error) },
      'Kubernetes refused a request or did not answer; retrying',
    );
  } else {
    log.error({ ...fields, ...bugFields(error) }, 'reconcile failed, a bug; retrying');
  }
}
