import type { Success } from '../../api/reply/verdict.ts';
import type { Event } from '../../controller/kind.ts';
import { LEFT_OUT_ALL_GONE_MS, LEFT_OUT_IS_EMPTY_MS } from '../../waits.ts';
import { timestamp } from '../shared/canonical.ts';
import { lastRequestOf } from '../shared/common-status.ts';
import {
  endpointChanges,
  type FieldChange,
  nameChange,
  withDrift,
  withHistory,
} from './changes.ts';
import { compared } from './differences.ts';
import { Listing } from './endpoints/endpoints.ts';
import { isListLeftOut, type OrganizationReply, readReply, shownList } from './endpoints/reply.ts';
import { changeEvent, leftOutEvents, remarkEvents, renamedEvents } from './events.ts';
import { type Goal, managesEndpoints } from './goal.ts';
import type { Known } from './known.ts';
import { UPDATE_ORGANIZATION } from './remote.ts';
import type { Organization, OrganizationStatus, PendingChange } from './resource.ts';
import { type Settlement, settle } from './settle.ts';

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
  const { verdict, request, sentAt, now, apiHash, object } = replied;
  const reply = readReply(verdict.result, known.draft);
  const read = listIn(known.draft, reply, replied);
  // A name changes no endpoint: what the observation before it has shown still counts.
  const isKept = request.type === 'name' && !read.list;
  const settlement = read.list && settled(known.draft, read.list, replied);
  const isAssumed = read.list !== undefined && reply.list === undefined;
  const { changes, drift, events } = changesIn(known, reply, settlement, replied);
  const draft: OrganizationStatus = {
    ...known.draft,
    verified: { time: timestamp(now), apiHash },
    lastRequest: lastRequestOf(UPDATE_ORGANIZATION, verdict, now),
    organization: isAssumed ? { ...reply.shown, ...shownList([]) } : reply.shown,
    listLeftOutSince: read.leftOutSince,
    ...(settlement && {
      privateEndpoints: settlement.inventory.length > 0 ? settlement.inventory : undefined,
      pendingChange: settlement.pendingChange,
    }),
    ...compared(replied.goal, reply),
    drift: withDrift(known.draft.drift, drift, now),
    history: withHistory(known.draft.history, changes, { object, verdict, now }),
  };
  return {
    draft,
    list: isKept ? known.list : read.list,
    name: reply.name,
    observedAt: isKept ? known.observedAt : sentAt,
    requestId: verdict.requestId,
    events: [...known.events, ...read.events, ...events],
    drift: known.drift + drift.length,
  };
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
  return settle({ inventory, goal, list, askedAt, now, sent, settleMs, uid: object.metadata.uid });
}

/** What this reply shows that this object changed, and what somebody else has. */
function changesIn(
  known: Known,
  { name, shown }: OrganizationReply,
  settlement: Settlement | undefined,
  { object, verdict, request, goal }: Replied,
): {
  readonly changes: readonly FieldChange[];
  readonly drift: readonly FieldChange[];
  readonly events: readonly Event[];
} {
  const before = known.draft.organization?.name;
  const { added = [], removed = [], remarks = [] } = settlement ?? {};
  const isOther = shown.name !== undefined && shown.name !== before;
  const isNamed = request.type === 'name' && isOther && name === request.name;
  const named = isNamed ? [nameChange(before, name)] : [];
  const changes = [...named, ...endpointChanges(added, removed)];
  const isObserved = request.type === 'observe' && !goal.isCleanup && before !== undefined;
  const isRenamed = isObserved && isOther && name !== goal.name;
  const renamed = isRenamed ? [nameChange(before, shown.name)] : [];
  const gone = remarks.filter(({ remark }) => remark === 'vanished').map(({ tuple }) => tuple);
  const isFirst = object.status?.applied === undefined;
  const applied = changes.length > 0 && !isFirst ? [changeEvent(changes, verdict.requestId)] : [];
  return {
    changes,
    drift: [...renamed, ...endpointChanges([], gone)],
    events: [...renamedEvents(renamed), ...remarkEvents(remarks), ...applied],
  };
}
