import { type Clock, pause, waitAtMost } from '../../clock.ts';
import { bugFields, type Log } from '../../log.ts';
import type { KubeClient } from '../client/client.ts';
import { isConflict, KubeError } from '../client/kube-error.ts';
import { missingRule } from '../client/missing-rule.ts';
import { collectionPath } from '../resource.ts';
import { contentOf, EVENT, type EventBody, type EventInput, eventBody } from './event-body.ts';
import { EventLimits } from './event-limits.ts';

export interface EventsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  /** The process, for reportingInstance. */
  readonly instance: string;
}

export interface Events {
  /**
   * Returns at once and never throws. Sent later, once; or not at all when it repeats, comes too
   * often or cannot be sent.
   */
  emit(event: EventInput): void;
  /** Resolves when nothing waits any more, after 5 s at the latest; never rejects. */
  flush(): Promise<void>;
}

interface Waiting {
  readonly body: EventBody;
  /** When it is tried for the last time, by the monotonic clock. */
  readonly until: number;
}

/** More are not taken in. About 2 MB of the longest notes. */
const QUEUE = 1_000;
/** Those that tell what stands nowhere else are taken in up to here: 20 MB of the longest notes. */
const QUEUE_WITH_ALWAYS = 10 * QUEUE;
const TIMEOUT_MS = 10_000;
const RETRY_MS = 2_000;
/**
 * From when it is emitted: an API server that starts anew is back by then. Each event has one try,
 * however late its turn comes.
 */
const PATIENCE_MS = 2 * 60_000;
/** No event is worth more patience than this. */
const LONGEST_RETRY_MS = 60_000;
const FLUSH_MS = 5_000;
/** Namespaces whose failure is remembered as said. */
const COMPLAINTS = 1_000;

/**
 * Sends events (events.k8s.io/v1) one after another, in the order they came but for those that are
 * tried again, beside everything else.
 */
export function createEvents(options: EventsOptions): Events {
  const { client, clock, log, instance } = options;
  const limits = new EventLimits(clock);
  const queue: Waiting[] = [];
  const complaints = new Map<string, string>();
  let sending: Promise<void> | undefined;

  const complain = (namespace: string, error: KubeError): void => {
    // A refusal is the namespace's affair; no answer or a server's fault is the same for all.
    const scope =
      error.status >= 400 && error.status < 500 && error.status !== 429 ? namespace : '';
    const cause = `${error.status} ${error.reason}`;
    if (complaints.get(scope) === cause) return;
    if (complaints.size >= COMPLAINTS) complaints.clear();
    complaints.set(scope, cause);
    const text = error.status === 403 ? ruleFor(namespace, error) : error.message;
    log.warn({ namespace, error: text }, 'cannot send events');
  };

  /** Undefined: the event is there. */
  const send = async (body: EventBody): Promise<KubeError | undefined> => {
    const { namespace } = body.metadata;
    try {
      const path = collectionPath(EVENT, namespace);
      await client.request({ method: 'POST', path, body, timeoutMs: TIMEOUT_MS });
      complaints.delete(namespace);
      complaints.delete('');
      return undefined;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      // The name is random: it can only be there from a try whose answer got lost.
      return isConflict(error) ? undefined : error;
    }
  };

  /** For how long to wait before it is tried again; undefined: it is there, or never will be. */
  const deliver = async ({ body, until }: Waiting): Promise<number | undefined> => {
    const error = await send(body);
    if (!error) return undefined;
    const { namespace } = body.metadata;
    if (isGoing(error)) {
      log.debug(
        { namespace, error: error.message },
        'event dropped: its namespace is being deleted',
      );
      return undefined;
    }
    complain(namespace, error);
    if (!mayPass(error) || clock.monotonic() >= until) return undefined;
    return Math.min(error.retryAfterMs ?? RETRY_MS, LONGEST_RETRY_MS);
  };

  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      try {
        const waitMs = await deliver(next);
        if (waitMs === undefined) continue;
        await pause(clock, waitMs);
        // Behind the others: it may be its namespace alone that takes none.
        queue.push(next);
      } catch (error) {
        log.warn(bugFields(error), 'unexpected error while sending an event, a bug');
      }
    }
    sending = undefined;
  };

  return {
    emit: (event) => {
      if (queue.length >= (event.always ? QUEUE_WITH_ALWAYS : QUEUE)) {
        const { reason, note, object } = event;
        const { namespace, name } = object.metadata;
        const fields = { namespace, name, reason, note, waiting: queue.length };
        if (event.always)
          log.warn(fields, 'event lost that stands nowhere else: too many wait to be sent');
        else log.debug(fields, 'event dropped: too many events wait to be sent');
        return;
      }
      if (!event.always && !limits.admit(event.object.metadata.uid, contentOf(event))) return;
      queue.push({
        body: eventBody(event, { instance, now: clock.now() }),
        until: clock.monotonic() + PATIENCE_MS,
      });
      sending ??= work();
    },

    flush: async () => {
      await waitAtMost(clock, FLUSH_MS, sending);
      if (sending) log.warn({ events: queue.length + 1 }, 'stopping with unsent events');
    },
  };
}

function ruleFor(namespace: string, error: KubeError): string {
  return missingRule({
    error,
    verb: 'create',
    group: EVENT.group,
    resource: EVENT.plural,
    namespace,
    needs: ['create'],
  });
}

/** The namespace is being deleted, or is gone: nobody will look for the event. */
function isGoing(error: KubeError): boolean {
  return (
    error.status === 404 || (error.status === 403 && error.body.includes('is being terminated'))
  );
}

/** Worth another try: no answer, too many requests, the server's own fault. */
function mayPass(error: KubeError): boolean {
  return error.status === 0 || error.status === 429 || error.status >= 500;
}
