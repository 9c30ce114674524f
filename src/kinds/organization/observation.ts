import type { Event } from '../../controller/kind.ts';
import type { Success } from '../../api/reply/verdict.ts';
import { timestamp } from '../shared/canonical.ts';
import { generationOf, lastRequestOf, withoutUndefined } from '../shared/common-status.ts';
import { endpointChanges, nameChange, withDrift, withHistory } from './changes.ts';
import { compared } from './differences.ts';
import { Listing } from './endpoints/endpoints.ts';
import { isListLeftOut, type OrganizationReply, readReply, shownList } from './endpoints/reply.ts';
import { changeEvent, leftOutEvent, remarkEvents, renamedEvent } from './events.ts';
import { type Goal, managesEndpoints } from './goal.ts';
import { UPDATE_ORGANIZATION } from './remote.ts';
import type { Organization, OrganizationStatus, PendingChange } from './resource.ts';
import { type Settlement, settle } from './settle.ts';
import { LEFT_OUT_ALL_GONE_MS, LEFT_OUT_IS_EMPTY_MS } from './waits.ts';

/** What an attempt knows of the organization; it is gone with the attempt. */
export interface Known {
  /** The status as it would be written now, but for what the end of the attempt decides. */
  readonly draft: OrganizationStatus;
  /** Undefined: not observed, or the reply had no list. */
  readonly list: Listing | undefined;
  readonly name: string | undefined;
  /** Epoch ms at which the request left whose reply showed this; undefined: none has. */
  readonly observedAt: number | undefined;
  readonly requestId: string | undefined;
  readonly events: readonly Event[];
  /** Differences between two replies that the operator did not make. */
  readonly drift: number;
}

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
  readonly request:
    | { readonly type: 'observe' }
    | { readonly type: 'name'; readonly name: string }
    | { readonly type: 'change'; readonly change: PendingChange };
}

/** What a reply adds to what is known: its list settles what is open. Pure. */
export function learn(known: Known, replied: Replied): Known {
  const { verdict, request, sentAt } = replied;
  const reply = readReply(verdict.result, known.draft);
  const read = listIn(known.draft, reply, replied);
  // A name changes no endpoint: what the observation before it has shown still counts.
  const isKept = request.type === 'name' && !read.list;
  const list = read.list ?? (isKept ? known.list : undefined);
  const settlement = read.list && settled(known.draft, read.list, replied);
  const isAssumed = read.list !== undefined && reply.list === undefined;
  const told = changesIn(known, reply, settlement, replied);
  const draft = withoutUndefined({
    ...known.draft,
    verified: { time: timestamp(replied.now), apiHash: replied.apiHash },
    lastRequest: lastRequestOf(UPDATE_ORGANIZATION, verdict, replied.now),
    organization: isAssumed ? { ...reply.shown, ...shownList([]) } : reply.shown,
    listLeftOutSince: read.leftOutSince,
    ...(settlement && {
      privateEndpoints: settlement.inventory.length > 0 ? settlement.inventory : undefined,
      pendingChange: settlement.pendingChange,
    }),
    ...compared(replied.goal, reply),
    drift: withDrift(known.draft.drift, told.drift, replied.now),
    history: withHistory(known.draft.history, told.changes, {
      requestId: verdict.requestId,
      generation: generationOf(replied.object),
      now: replied.now,
    }),
  });
  return {
    draft,
    list,
    name: reply.name,
    observedAt: isKept ? known.observedAt : sentAt,
    requestId: verdict.requestId,
    events: [...known.events, ...read.events, ...told.events],
    drift: known.drift + told.drift.length,
  };
}

interface ReadList {
  readonly list?: Listing;
  readonly leftOutSince?: string;
  readonly events: readonly Event[];
}

/**
 * An API may leave out a list that is empty. That is believed after a minute where nothing else was
 * ever there than what this object removes, else after ten. What cannot be read is no empty list.
 */
function listIn(draft: OrganizationStatus, reply: OrganizationReply, replied: Replied): ReadList {
  const { verdict, sentAt, goal } = replied;
  if (reply.list) return { list: new Listing(reply.list), events: [] };
  if (!isListLeftOut(verdict.result) || !managesEndpoints(goal)) return { events: [] };
  const leftOutSince = draft.listLeftOutSince ?? timestamp(sentAt);
  const leftOutFor = sentAt - Date.parse(leftOutSince);
  const removed = new Set(draft.pendingChange?.remove.map(({ id }) => id));
  const present = (draft.privateEndpoints ?? []).filter(
    ({ id, state }) => state === 'Present' && !removed.has(id),
  );
  const wait = present.length === 0 ? LEFT_OUT_IS_EMPTY_MS : LEFT_OUT_ALL_GONE_MS;
  if (leftOutFor < wait) return { leftOutSince, events: [] };
  const events = present.length > 0 ? leftOutEvent(present) : [];
  return { list: new Listing([]), leftOutSince, events };
}

function settled(draft: OrganizationStatus, list: Listing, replied: Replied): Settlement {
  const { request, goal, sentAt, now, settleMs, object } = replied;
  const change = request.type === 'change' ? request.change : draft.pendingChange;
  return settle({
    inventory: draft.privateEndpoints ?? [],
    goal,
    list,
    askedAt: sentAt,
    now,
    sent: change && { change, answered: request.type === 'change' },
    settleMs,
    uid: object.metadata.uid,
  });
}

/** What this reply shows that this object changed, and what somebody else has. */
function changesIn(
  known: Known,
  reply: OrganizationReply,
  settlement: Settlement | undefined,
  { object, verdict, request, goal }: Replied,
) {
  const before = known.draft.organization?.name;
  const { added = [], removed = [], remarks = [] } = settlement ?? {};
  const isNamed = request.type === 'name' && reply.name === request.name && before !== reply.name;
  const changes = [
    ...(isNamed ? [nameChange(before, reply.name)] : []),
    ...endpointChanges(added, removed),
  ];
  const isRenamed =
    request.type === 'observe' &&
    !goal.isCleanup &&
    before !== undefined &&
    reply.shown.name !== undefined &&
    reply.shown.name !== before &&
    reply.name !== goal.name;
  const renamed = isRenamed ? [nameChange(before, reply.shown.name)] : [];
  const vanished = remarks.filter(({ remark }) => remark === 'vanished');
  const isFirst = object.status?.applied === undefined;
  return {
    changes,
    drift: [...renamed, ...endpointChanges([], vanished.map(({ tuple }) => tuple))],
    events: [
      ...renamedEvent(renamed),
      ...remarkEvents(remarks),
      ...(changes.length > 0 && !isFirst ? [changeEvent(changes, verdict.requestId)] : []),
    ],
  };
}
