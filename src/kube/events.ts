import { randomUUID } from 'node:crypto';
import PQueue from 'p-queue';
import { type Clock, waitAtMost } from '../clock.ts';
import type { Log } from '../telemetry/log.ts';
import { printable } from '../text.ts';
import type { KubeClient } from './client.ts';
import { KubeError } from './errors.ts';
import * as resource from './resource.ts';

const EVENT = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' };
const MOST_WAITING = 1_000;
const FLUSH_MS = 5_000;
/** The API counts bytes, and refuses an event whose note has more. */
const NOTE_BYTES = 1_024;

interface Event {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
}

/**
 * Sends events one after another, beside everything else. Each has one try: it follows a status
 * that the API server has just taken, and the log has what is dropped. `instance`: at most 128
 * bytes.
 */
export function createEvents(client: KubeClient, clock: Clock, log: Log, instance: string) {
  const queue = new PQueue({ concurrency: 1 });

  return {
    /** Returns at once; sent later, or dropped with a log line. */
    emit(object: resource.KubeObject, type: resource.ResourceType, event: Event): void {
      const { namespace, name, uid, resourceVersion } = object.metadata;
      const about = { namespace, name, note: cut(printable(event.note)) };
      const path = resource.collectionPath(EVENT, namespace);
      const apiVersion = resource.apiVersionOf(type);
      const body = {
        apiVersion: resource.apiVersionOf(EVENT),
        kind: EVENT.kind,
        metadata: { namespace, name: `pipewright.${randomUUID()}` },
        eventTime: resource.microTime(clock.now()),
        reportingController: 'pipewright.dev/pipewright',
        reportingInstance: instance,
        regarding: { apiVersion, kind: type.kind, namespace, name, uid, resourceVersion },
        action: 'Reconcile',
        ...event,
        note: about.note,
      };
      const send = async (): Promise<void> => {
        try {
          await client.request({ method: 'POST', path, body });
        } catch (error) {
          if (!(error instanceof KubeError)) throw error;
          const { status, message } = error;
          if (status === 404 || message.includes('is being terminated'))
            log.debug(about, 'event dropped: its namespace is being deleted');
          else log.warn({ ...about, error: message }, 'event dropped');
        }
      };
      if (queue.size < MOST_WAITING) void queue.add(send);
      else log.warn(about, 'event dropped: too many wait');
    },

    /** Resolves when nothing waits any more, after 5 s at the latest: then the rest is dropped. */
    async flush(): Promise<void> {
      await waitAtMost(clock, FLUSH_MS, queue.onIdle());
      const events = queue.size + queue.pending;
      queue.clear();
      if (events > 0) log.warn({ events }, 'stopping with unsent events');
    },
  };
}

function cut(note: string): string {
  if (Buffer.byteLength(note) <= NOTE_BYTES) return note;
  const room = new Uint8Array(NOTE_BYTES - Buffer.byteLength('…'));
  return `${note.slice(0, new TextEncoder().encodeInto(note, room).read)}…`;
}
