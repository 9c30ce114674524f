import { type Clock, pause, waitAtMost } from '../../clock.ts';
import { bugFields, type Log } from '../../log.ts';
import type { KubeClient } from '../client/client.ts';
import { isConflict, KubeError } from '../client/kube-error.ts';
import { missingRule } from '../client/missing-rule.ts';
import { collectionPath } from '../resource.ts';
import { contentOf, EVENT, type EventBody, type EventInput, eventBody } from './event-body.ts';
import { EventLimits } from './event-limits.ts';
import { EventQueue, type Unsent } from './event-queue.ts';

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

const TIMEOUT_MS = 10_000;
const RETRY_MS = 2_000;
/**
 * From when it is emitted: an API server that starts anew is back by then. Each event has one try,
 * however late its turn comes.
 */
const PATIENCE_MS = 2 * 60_000;
const SHORTEST_RETRY_MS = 1_000;
/** No event is worth more patience than this. */
const LONGEST_RETRY_MS = 60_000;
const FLUSH_MS = 5_000;
/** Namespaces whose failure is remembered as said. */
const COMPLAINTS = 1_000;

/**
 * Sends events (events.k8s.io/v1) one after another, in turns of namespaces, beside everything
 * else.
 */
export function createEvents(options: EventsOptions): Events {
  const { client, clock, log, instance } = options;
  const limits = new EventLimits(clock);
  const queue = new EventQueue();
  const complaints = new Map<string, string>();
  let sending: Promise<void> | undefined;
  /** While all namespaces with events are paused: ended by an event, which may be of another. */
  let rest: AbortController | undefined;

  const complain = (namespace: string, error: KubeError): void => {
    // A refusal is the namespace's affair; no answer or a server's fault is the same for all.
    const scope = error.status >= 400 && error.status < 500 ? namespace : '';
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

  /** Why it is not there; undefined: it is, or never will be. */
  const deliver = async ({ body }: Unsent): Promise<KubeError | undefined> => {
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
    return mayPass(error) ? error : undefined;
  };

  const putBack = async (event: Unsent, error: KubeError): Promise<void> => {
    const { namespace } = event.body.metadata;
    const isOver = clock.monotonic() >= event.until;
    const wishedMs = isOver ? RETRY_MS : (error.retryAfterMs ?? RETRY_MS);
    const waitMs = Math.max(SHORTEST_RETRY_MS, Math.min(wishedMs, LONGEST_RETRY_MS));
    // A cluster may bound the events of each namespace: where one has no more, the others go on.
    const isOfNamespace = error.status === 429;
    if (!isOver && !isOfNamespace) await pause(clock, waitMs);
    // Behind the others: it may be its namespace alone that takes none.
    if (!isOver) queue.add(event);
    // Also after the last try of an event, for there may be hundreds like it.
    if (isOfNamespace) queue.pause(namespace, clock.monotonic() + waitMs);
  };

  const sendOne = async (event: Unsent): Promise<void> => {
    try {
      const error = await deliver(event);
      if (error) await putBack(event, error);
    } catch (error) {
      log.warn(bugFields(error), 'unexpected error while sending an event, a bug');
    }
  };

  const work = async (): Promise<void> => {
    while (queue.size > 0) {
      const now = clock.monotonic();
      const next = queue.take(now);
      if (next) await sendOne(next);
      else {
        rest = new AbortController();
        await pause(clock, queue.resumesAt() - now, rest.signal);
        rest = undefined;
      }
    }
    sending = undefined;
  };

  return {
    emit: (event) => {
      const { reason, note, always = false, object } = event;
      const { namespace, name, uid } = object.metadata;
      if (!queue.hasRoom(namespace, always)) {
        const fields = { namespace, name, reason, note, waiting: queue.size };
        if (always)
          log.warn(fields, 'event lost that stands nowhere else: too many wait to be sent');
        else log.debug(fields, 'event dropped: too many events wait to be sent');
        return;
      }
      if (!always && !limits.admit(uid, contentOf(event))) return;
      queue.add({
        body: eventBody(event, { instance, now: clock.now() }),
        always,
        until: clock.monotonic() + PATIENCE_MS,
      });
      rest?.abort();
      sending ??= work();
    },

    flush: async () => {
      await waitAtMost(clock, FLUSH_MS, sending);
      const inHand = rest ? 0 : 1;
      if (sending) log.warn({ events: queue.size + inHand }, 'stopping with unsent events');
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
