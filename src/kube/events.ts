import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import { waitFor } from '../backoff.ts';
import { type Clock, pause, waitAtMost } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { KubeClient } from './client.ts';
import { isConflict, KubeError, missingRule } from './errors.ts';
import * as resource from './resource.ts';

const EVENT = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' };
const MOST_WAITING = 1_000;
const REQUEST_MS = 10_000;
const BACK_OFF = { firstMs: 1_000, capMs: 30_000 };
/** From when it happened; each event has one try, however late its turn comes. */
const PATIENCE_MS = 2 * 60_000;
const FLUSH_MS = 5_000;
/** The API counts bytes, and refuses an event whose note has more. */
const NOTE_BYTES = 1_024;

interface Event {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}
type Body = ReturnType<typeof bodyOf>;
export type Events = ReturnType<typeof createEvents>;

/** Sends events one after another, beside everything else. `instance`: at most 128 bytes. */
export function createEvents(client: KubeClient, clock: Clock, log: Log, instance: string) {
  const queue = new PQueue({ concurrency: 1 });
  const over = new AbortController();
  /** Namespaces of which it was said that no event may be created there. */
  const denied = new Set<string>();

  const dropped = ({ regarding, note }: Body, error: KubeError): void => {
    const { namespace, name } = regarding;
    const about = { namespace, name, note };
    // The name is random: what is there is of a try whose answer was lost.
    if (isConflict(error)) return;
    if (error.status === 404 || error.body.includes('is being terminated'))
      log.debug(about, 'event dropped: its namespace is being deleted');
    else if (error.status !== 403) log.warn({ ...about, error: error.message }, 'event dropped');
    else if (!denied.has(namespace)) {
      denied.add(namespace);
      const { group, plural } = EVENT;
      const right = { verb: 'create', group, resource: plural, namespace, needs: ['create'] };
      log.warn({ namespace, error: missingRule({ error, ...right }) }, 'cannot send events');
    }
  };

  const send = async (body: Body, until: number): Promise<void> => {
    const path = resource.collectionPath(EVENT, body.metadata.namespace);
    for (let failures = 1; !over.signal.aborted; failures += 1) {
      try {
        await client.request({ method: 'POST', path, body, timeoutMs: REQUEST_MS });
        return;
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        const mayPass = error.status === 0 || error.status === 429 || error.status >= 500;
        const waitMs = Math.max(error.retryAfterMs ?? 0, waitFor(BACK_OFF, failures, path));
        if (!mayPass || clock.monotonic() + waitMs > until) return dropped(body, error);
        await pause(clock, waitMs, over.signal);
      }
    }
  };

  return {
    /** Returns at once; sent later, or dropped with a log line. */
    emit(object: resource.KubeObject, type: resource.ResourceType, event: Event): void {
      const eventTime = resource.microTime(clock.now());
      const body = { ...bodyOf(object, type, event), eventTime, reportingInstance: instance };
      const until = clock.monotonic() + PATIENCE_MS;
      if (queue.size < MOST_WAITING) void queue.add(() => send(body, until));
      else log.warn({ ...body.regarding, note: body.note }, 'event dropped: too many wait');
    },

    /** Resolves when nothing waits any more, after 5 s at the latest: then the rest is dropped. */
    async flush(): Promise<void> {
      await waitAtMost(clock, FLUSH_MS, queue.onIdle());
      const events = queue.size + queue.pending;
      if (events === 0) return;
      log.warn({ events }, 'stopping with unsent events');
      over.abort();
    },
  };
}

function bodyOf(object: resource.KubeObject, type: resource.ResourceType, event: Event) {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const apiVersion = resource.apiVersionOf(type);
  return {
    apiVersion: resource.apiVersionOf(EVENT),
    kind: EVENT.kind,
    metadata: { namespace, name: `pipewright.${randomUUID()}` },
    reportingController: 'pipewright.dev/pipewright',
    regarding: { apiVersion, kind: type.kind, namespace, name, uid, resourceVersion },
    action: 'Reconcile',
    ...event,
    note: cut(event.note),
  };
}

function cut(note: string): string {
  const bytes = Buffer.from(note);
  if (bytes.length <= NOTE_BYTES) return note;
  const kept = bytes.subarray(0, NOTE_BYTES - Buffer.byteLength('…'));
  // As of a stream that goes on, a character that is cut in two is left out.
  return `${new TextDecoder().decode(kept, { stream: true })}…`;
}
