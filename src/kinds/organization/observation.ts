import { LEFT_OUT_ALL_GONE_MS, LEFT_OUT_IS_EMPTY_MS } from '../../waits.ts';
import { withDrift, withHistory } from '../shared/applied.ts';
import type { Answer } from '../shared/calls.ts';
import { timestamp } from '../shared/canonical.ts';
import { generationOf } from '../shared/common-status.ts';
import { fitTo } from '../shared/fit.ts';
import type { FieldChange } from '../shared/preview.ts';
import { type Goal, managesEndpoints } from './decide.ts';
import * as endpoint from './endpoints.ts';
import * as events from './events.ts';
import type { Request } from './remote.ts';
import type { OrganizationStatus } from './resource.ts';
import { type Settlement, settle } from './settle.ts';
import { reportedOrganization } from './status.ts';
import type { Known, Work } from './work.ts';

type Result = Readonly<Record<string, unknown>>;
type Listed = readonly endpoint.Reported[] | undefined;
type Shown = NonNullable<OrganizationStatus['organization']>;

type Replied = Extract<Answer, { type: 'success' }> & { request: Request; now: number };

/** Adds what a reply shows to what is known: its list settles what is open. */
export function learn(known: Known, work: Work, replied: Replied): void {
  const { request, sentAt, now } = replied;
  const { result, requestId } = replied.verdict;
  // Not as it may be by now: what was sent is of the generation that the attempt began with.
  const { goal, began: object, apiHash, settleMs } = work;
  const { draft } = known;
  const reported = endpoint.readList(result);
  // What cannot be read is no empty list.
  const isAwaited = managesEndpoints(goal) || draft.pendingChange !== undefined;
  const isLeftOut = isAwaited && (result.privateEndpoints ?? undefined) === undefined;
  const leftOut = isLeftOut ? listLeftOut(draft, sentAt) : undefined;
  const entries = reported ?? leftOut?.entries;
  const list = entries && new endpoint.Listing(entries);
  const change = request.change ?? draft.pendingChange;
  const sent = change && { change, answered: request.type === 'change' };
  const { privateEndpoints: inventory = [], applied } = draft;
  const wasApplied = applied?.generation === generationOf(object);
  const facts = { inventory, askedAt: sentAt, now, sent, wasApplied, uid: object.metadata.uid };
  const settlement = list && settle({ goal, settleMs, list, ...facts });
  const shown = shownIn(result, entries, draft);
  const { changes, drift } = changesIn(draft, shown, settlement, request, goal);
  const renamed = drift.filter(({ field }) => field === 'name');
  // What the first attempt has changed, the object says already.
  const news = object.status?.applied === undefined ? [] : changes;
  known.name = nameIn(result);
  known.requestId = requestId;
  known.drift += drift.length;
  known.events = [
    ...known.events,
    ...(leftOut?.events ?? []),
    ...events.changeEvents('DriftDetected', renamed),
    ...events.remarkEvents(settlement?.remarks ?? []),
    ...events.changeEvents('Applied', news, requestId),
  ];
  known.draft = {
    ...draft,
    ...compared(goal, known.name, reported),
    verified: { time: timestamp(now), apiHash },
    organization: shown,
    listLeftOutSince: leftOut?.since,
    privateEndpoints: endpoint.filled(settlement?.inventory ?? inventory),
    pendingChange: settlement ? settlement.pendingChange : draft.pendingChange,
    drift: withDrift(draft.drift, drift, now),
    history: withHistory(draft.history, changes, { object, requestId, now }),
  };
  // A name changes no endpoint: what the observation before it has shown still counts.
  if (request.type === 'name' && !list) return;
  known.list = list;
  known.observedAt = sentAt;
}

function nameIn({ name }: Result): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

/** In the bounds of the status. A list that the reply lacks is that of the reply before. */
function shownIn(result: Result, list: Listed, before: OrganizationStatus): Shown {
  const privateEndpoints = list ?? before.organization?.privateEndpoints;
  const privateEndpointsTotal = list?.length ?? before.organization?.privateEndpointsTotal;
  const name = nameIn(result);
  return fitTo(reportedOrganization, { ...result, name, privateEndpoints, privateEndpointsTotal });
}

export function storedEntries({ organization }: OrganizationStatus = {}): endpoint.Reported[] {
  return (organization?.privateEndpoints ?? []).flatMap(({ id, ...rest }) =>
    id === undefined ? [] : { id, ...rest },
  );
}

/**
 * An API may leave out a list that is empty. That is believed after a minute where nothing else was
 * there than what this object removes, else after ten.
 */
function listLeftOut(draft: OrganizationStatus, sentAt: number) {
  const since = draft.listLeftOutSince ?? timestamp(sentAt);
  const removed = new Set(draft.pendingChange?.remove.map(({ id }) => id));
  const present = (draft.privateEndpoints ?? []).filter(
    ({ id, state }) => state === 'Present' && !removed.has(id),
  );
  const wait = present.length === 0 ? LEFT_OUT_IS_EMPTY_MS : LEFT_OUT_ALL_GONE_MS;
  if (sentAt - Date.parse(since) < wait) return { since, events: [] };
  return { since, entries: [], events: events.eventsOf('left-out', present) };
}

function changesIn(
  { organization }: OrganizationStatus,
  { name: to }: Shown,
  { added = [], removed = [], remarks = [] }: Partial<Settlement> = {},
  { type, name }: Request,
  goal: Goal,
) {
  const from = organization?.name;
  const renamed = to === undefined || to === from ? [] : [{ field: 'name', from, to }];
  const isOthers = type === 'observe' && !goal.isCleanup && from !== undefined && to !== goal.name;
  const gone = remarks.filter(({ remark }) => remark === 'vanished').map(({ tuple }) => tuple);
  return {
    changes: [...(to === name ? renamed : []), ...endpointChanges(added, removed)],
    drift: [...(isOthers ? renamed : []), ...endpointChanges([], gone)],
  };
}

export function endpointChanges(
  added: readonly endpoint.Tuple[],
  removed: readonly endpoint.Tuple[],
): readonly FieldChange[] {
  const { fieldOf, placeOf } = endpoint;
  return [
    ...added.map((one) => ({ field: fieldOf(one), to: placeOf(one) })),
    ...removed.map((one) => ({ field: fieldOf(one), from: placeOf(one) })),
  ];
}

/** What is not declared, or not reported, does not differ. */
function compared(goal: Goal, name: string | undefined, list: Listed) {
  if (goal.isCleanup) return { differences: undefined, notReported: undefined };
  const listing = new endpoint.Listing(list ?? []);
  // The API cannot change a description, so one that differs is only shown.
  const described = goal.declared.map((one) => {
    const { description: reported = '' } = listing.find(one) ?? one;
    const { description: declared = reported } = one;
    return { field: endpoint.fieldOf(one, '.description'), declared, reported };
  });
  const declared = goal.name ?? name ?? '';
  const named = { field: 'name', declared, reported: name ?? declared };
  const differences = [named, ...described].filter((one) => one.declared !== one.reported);
  const notReported = [
    ...(goal.name !== undefined && name === undefined ? ['name'] : []),
    ...(goal.privateEndpoints && !list ? ['privateEndpoints'] : []),
  ];
  return { differences: endpoint.filled(differences), notReported: endpoint.filled(notReported) };
}
