import type { Success } from '../../api/reply/verdict.ts';
import type { Event } from '../../controller/kind.ts';
import { LEFT_OUT_ALL_GONE_MS, LEFT_OUT_IS_EMPTY_MS } from '../../waits.ts';
import { timestamp } from '../shared/canonical.ts';
import { withDrift, withHistory } from '../shared/changes.ts';
import { generationOf, lastRequestOf } from '../shared/common-status.ts';
import type { FieldChange } from '../shared/preview.ts';
import { Listing, type Tuple } from './endpoints/endpoints.ts';
import { isListLeftOut, type OrganizationReply, readReply, shownList } from './endpoints/reply.ts';
import { fieldOf, placeOf } from './endpoints/wording.ts';
import { changeEvents, leftOutEvents, remarkEvents, renamedEvents } from './events.ts';
import { type Goal, managesEndpoints } from './goal.ts';
import { UPDATE_ORGANIZATION } from './remote.ts';
import type { Organization, OrganizationStatus, PendingChange } from './resource.ts';
import { type Settlement, settle } from './settle.ts';

/** What is known of the organization; it is gone with the attempt. */
export interface Known {
  /** The status as it would be written now, but for what the end of the attempt decides. */
  draft: OrganizationStatus;
  /** Undefined: not observed, or the reply had no list. */
  list: Listing | undefined;
  name: string | undefined;
  /** Epoch ms at which the request left whose reply showed this; undefined: none has. */
  observedAt: number | undefined;
  requestId: string | undefined;
  events: readonly Event[];
  /** Differences between two replies that the operator did not make. */
  drift: number;
}

export type Request =
  /** With a name: it is sent for that, where the API takes no other way. */
  | { readonly type: 'observe'; readonly name?: string | undefined }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'change'; readonly change: PendingChange };

/** HTTP 200 with a result, and the request that it answers. */
export interface Replied {
  readonly object: Organization;
  readonly goal: Goal;
  readonly verdict: Success;
  /** Epoch ms of the request's first byte. */
  readonly sentAt: number;
  readonly now: number;
  readonly settleMs: number;
  readonly apiHash: string;
  readonly request: Request;
}

/** Adds what a reply shows to what is known: its list settles what is open. */
export function learn(known: Known, replied: Replied): void {
  const { verdict, request, sentAt, now, apiHash, object, goal } = replied;
  const { draft } = known;
  const reply = readReply(verdict.result, draft);
  const { list, leftOutSince, events: leftOut } = listIn(draft, reply, replied);
  const settlement = list && settled(draft, list, replied);
  const inventory = settlement?.inventory ?? draft.privateEndpoints ?? [];
  const isAssumed = list !== undefined && !reply.list;
  const { changes, drift, events } = changesIn(draft, reply, settlement, replied);
  known.draft = {
    ...draft,
    ...compared(goal, reply),
    verified: { time: timestamp(now), apiHash },
    lastRequest: lastRequestOf(UPDATE_ORGANIZATION, verdict, now),
    organization: isAssumed ? { ...reply.shown, ...shownList([]) } : reply.shown,
    listLeftOutSince: leftOutSince,
    privateEndpoints: inventory.length > 0 ? inventory : undefined,
    pendingChange: settlement ? settlement.pendingChange : draft.pendingChange,
    drift: withDrift(draft.drift, drift, now),
    history: withHistory(draft.history, changes, { object, requestId: verdict.requestId, now }),
  };
  known.name = reply.name;
  known.requestId = verdict.requestId;
  known.events = [...known.events, ...leftOut, ...events];
  known.drift += drift.length;
  // A name changes no endpoint: what the observation before it has shown still counts.
  if (request.type === 'name' && !list) return;
  known.list = list;
  known.observedAt = sentAt;
}

interface ReadList {
  readonly list?: Listing;
  readonly leftOutSince?: string;
  readonly events: readonly Event[];
}

/**
 * An API may leave out a list that is empty. That is believed after a minute where nothing else was
 * there than what this object removes, else after ten. What cannot be read is no empty list.
 */
function listIn(draft: OrganizationStatus, reply: OrganizationReply, replied: Replied): ReadList {
  const { verdict, sentAt, goal } = replied;
  if (reply.list) return { list: new Listing(reply.list), events: [] };
  if (!isListLeftOut(verdict.result) || !managesEndpoints(goal)) return { events: [] };
  const leftOutSince = draft.listLeftOutSince ?? timestamp(sentAt);
  const removed = new Set(draft.pendingChange?.remove.map(({ id }) => id));
  const present = (draft.privateEndpoints ?? []).filter(
    ({ id, state }) => state === 'Present' && !removed.has(id),
  );
  const wait = present.length === 0 ? LEFT_OUT_IS_EMPTY_MS : LEFT_OUT_ALL_GONE_MS;
  if (sentAt - Date.parse(leftOutSince) < wait) return { leftOutSince, events: [] };
  return { list: new Listing([]), leftOutSince, events: leftOutEvents(present) };
}

function settled(draft: OrganizationStatus, list: Listing, replied: Replied): Settlement {
  const { request, goal, sentAt: askedAt, now, settleMs, object } = replied;
  const change = request.type === 'change' ? request.change : draft.pendingChange;
  const sent = change && { change, answered: request.type === 'change' };
  const inventory = draft.privateEndpoints ?? [];
  const wasApplied = draft.applied?.generation === generationOf(object);
  const evidence = { inventory, goal, list, askedAt, now, sent, settleMs, wasApplied };
  return settle({ ...evidence, uid: object.metadata.uid });
}

/** What this reply shows that this object changed, and what somebody else has. */
function changesIn(
  draft: OrganizationStatus,
  { name, shown }: OrganizationReply,
  settlement: Settlement | undefined,
  { object, verdict, request, goal }: Replied,
) {
  const from = draft.organization?.name;
  const { added = [], removed = [], remarks = [] } = settlement ?? {};
  const to = shown.name === from ? undefined : shown.name;
  const isNamed = request.type !== 'change' && name !== undefined && name === request.name;
  const isOthers = request.type === 'observe' && !goal.isCleanup && from !== undefined;
  const renamed = to === undefined ? [] : [{ field: 'name', from, to }];
  const changes = [...(isNamed ? renamed : []), ...endpointChanges(added, removed)];
  const byOthers = isOthers && name !== goal.name ? renamed : [];
  const gone = remarks.filter(({ remark }) => remark === 'vanished').map(({ tuple }) => tuple);
  const news = object.status?.applied === undefined ? [] : changes;
  return {
    changes,
    drift: [...byOthers, ...endpointChanges([], gone)],
    events: [
      ...renamedEvents(byOthers),
      ...remarkEvents(remarks),
      ...changeEvents(news, verdict.requestId),
    ],
  };
}

/** Endpoints that came, and endpoints that went. */
export function endpointChanges(
  added: readonly Tuple[],
  removed: readonly Tuple[],
): readonly FieldChange[] {
  return [
    ...added.map((one) => ({ field: fieldOf(one), to: placeOf(one) })),
    ...removed.map((one) => ({ field: fieldOf(one), from: placeOf(one) })),
  ];
}

/** Declared values that the reply has otherwise, and those that it does not have. */
function compared(
  { name: declared, endpoints, isCleanup }: Goal,
  { name: reported, list }: OrganizationReply,
): Pick<OrganizationStatus, 'differences' | 'notReported'> {
  if (isCleanup) return { differences: undefined, notReported: undefined };
  const listing = new Listing(list ?? []);
  // The API cannot change a description, so one that differs is only shown.
  const described = (endpoints ?? []).flatMap((endpoint) => {
    const { description } = endpoint;
    const found = listing.find(endpoint);
    if (!found || description === undefined || description === (found.description ?? '')) return [];
    const field = fieldOf(endpoint, '.description');
    return { field, declared: description, reported: found.description ?? '' };
  });
  const isOther = declared !== undefined && reported !== undefined && declared !== reported;
  const differences = [...(isOther ? [{ field: 'name', declared, reported }] : []), ...described];
  const notReported = [
    ...(declared !== undefined && reported === undefined ? ['name'] : []),
    ...(endpoints && !list ? ['privateEndpoints'] : []),
  ];
  return {
    differences: differences.length > 0 ? differences : undefined,
    notReported: notReported.length > 0 ? notReported : undefined,
  };
}
