import { isRequested } from '../../kinds/status/common-status.ts';
import type { Found } from '../cluster/objects.ts';
import { type AnyStatus, type Standing, standingOf, statusOf } from '../standing.ts';
import { plainTexts } from '../words.ts';
import { type Declared, declaredIn } from './declared.ts';
import { type EndpointFacts, endpointsOf } from './endpoints.ts';
import { type WhoActs, whoActs } from './who-acts.ts';

/** All that is told of an object, for people and for scripts alike; each text is one plain line. */
export interface Facts
  extends Pick<
      Standing,
      'state' | 'reason' | 'ready' | 'stalled' | 'generation' | 'observedGeneration' | 'message'
    >,
    Pick<
      AnyStatus,
      | 'differences'
      | 'notReported'
      | 'drift'
      | 'lastRequest'
      | 'attempts'
      | 'plan'
      | 'history'
      | 'pendingChange'
    > {
  readonly kind: string;
  /** As commands take it. */
  readonly shortName: string;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string;
  readonly deletedAt: string | undefined;
  readonly declared: Declared;
  readonly confirmed: ConfirmedFacts | undefined;
  /** Since when the API has taken the key for nothing. */
  readonly keyUnusableSince: string | undefined;
  readonly acts: WhoActs | undefined;
  readonly next: Standing['next'];
  /** Somebody has asked for an attempt that has not been made yet. */
  readonly retryRequested: boolean;
  /** Of an Organization. */
  readonly endpoints: readonly EndpointFacts[] | undefined;
  /** How many endpoints the API last listed, those of others too. */
  readonly endpointsAtApi: number | undefined;
  /** Of an Activity: that the record is there, and nothing of the people in it. */
  readonly record: { readonly type?: string; readonly createdAt?: string } | undefined;
}

interface ConfirmedFacts {
  readonly time: string | undefined;
  readonly generation: number | undefined;
  readonly requestId: string | undefined;
  readonly fields: readonly string[];
}

export function factsOf(found: Found): Facts {
  const { definition, object } = found;
  const status = statusOf(found);
  const standing = standingOf(found, status);
  const { metadata } = object;
  const declared = declaredIn(object.spec);
  return plainTexts({
    kind: definition.type.kind,
    shortName: definition.shortName,
    namespace: metadata.namespace,
    name: metadata.name,
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp,
    state: standing.state,
    reason: standing.reason,
    ready: standing.ready,
    stalled: standing.stalled,
    generation: standing.generation,
    observedGeneration: standing.observedGeneration,
    message: standing.message,
    declared,
    confirmed: confirmedIn(status, standing),
    differences: filled(status.differences),
    notReported: filled(status.notReported),
    drift: filled(status.drift),
    keyUnusableSince: status.proof?.unusableSince,
    lastRequest: status.lastRequest,
    attempts: status.attempts,
    acts: whoActs(standing),
    next: standing.next,
    retryRequested: isRequested({ ...object, status }),
    plan: status.plan,
    pendingChange: status.pendingChange,
    endpoints: filled(endpointsOf(declared.privateEndpoints, status)),
    endpointsAtApi: status.organization?.privateEndpointsTotal,
    record: recordIn(status),
    history: filled(status.history)?.toReversed(),
  });
}

function confirmedIn(status: AnyStatus, { confirmed }: Standing): ConfirmedFacts | undefined {
  if (!confirmed) return undefined;
  const { applied, activity, lastRequest } = status;
  const fetchedBy = lastRequest?.outcome === 'Succeeded' ? lastRequest.requestId : undefined;
  return {
    time: confirmed.time,
    generation: confirmed.generation,
    requestId: activity ? fetchedBy : applied?.requestId,
    fields: applied?.keys ?? [],
  };
}

function recordIn({ activity }: AnyStatus): Facts['record'] {
  if (!activity) return undefined;
  const { type, createdAt } = activity;
  return { ...(type !== undefined && { type }), ...(createdAt !== undefined && { createdAt }) };
}

function filled<Item>(list: readonly Item[] | undefined): readonly Item[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}
