import type { Kubectl } from '../cluster/kubectl.ts';

/** An event of the core group, as far as it is used; kinds and uids are those of its object. */
export interface EventObject {
  readonly involvedObject: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly reportingComponent?: string;
}

/** The events about objects of one kind, of whatever group. */
export async function listEvents(
  kubectl: Kubectl,
  namespace: string | undefined,
  kind: string,
): Promise<readonly EventObject[]> {
  const place = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  const query = `fieldSelector=${encodeURIComponent(`involvedObject.kind=${kind}`)}`;
  const { items } = await kubectl.get<{ readonly items: readonly EventObject[] }>(
    `/api/v1${place}/events?${query}`,
  );
  return items.toSorted((a, b) => (firstOf(a) < firstOf(b) ? -1 : 1));
}

/** What somebody reads of it. */
export function keptEvent(event: EventObject): object {
  const { involvedObject, type, reason, message, reportingComponent } = event;
  const { kind, namespace, name } = involvedObject;
  const last = event.series?.lastObservedTime ?? event.lastTimestamp;
  const count = event.series?.count ?? event.count;
  return {
    object: `${kind} ${namespace}/${name}`,
    first: firstOf(event),
    ...(last && { last }),
    ...(count && { count }),
    type,
    reason,
    message,
    from: reportingComponent,
  };
}

function firstOf({ eventTime, firstTimestamp }: EventObject): string {
  return eventTime ?? firstTimestamp ?? '';
}
