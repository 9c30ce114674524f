import { cutText } from '../../../controller/conditions.ts';
import type { Notice } from '../../../controller/kind.ts';
import { timestamp } from '../../status/canonical.ts';
import { generationOf, quoting } from '../../status/common-status.ts';
import type { Tuple } from '../endpoints/endpoints.ts';
import type { OrganizationReply } from '../endpoints/reply.ts';
import { fieldOf, placeOf } from '../endpoints/wording.ts';
import type { Goal } from '../goal.ts';
import type { Settlement } from '../ledger/ledger.ts';
import { remarkNotices } from '../ledger/notices.ts';
import { LIMITS } from '../limits.ts';
import type { Organization, OrganizationStatus } from '../resource.ts';
import { cut } from './differences.ts';
import type { Replied } from './progress.ts';
import type { Work } from './session.ts';

export interface FieldChange {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

/** `status.history` holds this many confirmed changes. */
const HISTORY = 10;

/**
 * What status and events tell of a reply: what this object has changed, and what somebody else has.
 */
export function told(
  replied: Replied,
  draft: OrganizationStatus,
  { reply, settlement }: { readonly reply: OrganizationReply; readonly settlement: Settlement },
): {
  readonly draft: OrganizationStatus;
  readonly drift: number;
  readonly notices: readonly Notice[];
} {
  const { object, verdict, now } = replied;
  const changes = confirmedChanges(replied, reply, settlement);
  const renamed = nameDrift(replied, reply);
  const drift = [...renamed, ...vanishedDrift(settlement)];
  const isFirst = object.status?.applied === undefined;
  return {
    draft: withDrift(withHistory(draft, changes, replied), drift, now),
    drift: drift.length,
    notices: [
      ...driftNotices(renamed),
      ...remarkNotices(settlement.remarks),
      ...(changes.length > 0 && !isFirst ? [changeNotice(changes, verdict.requestId)] : []),
    ],
  };
}

function withHistory(
  status: OrganizationStatus,
  changes: readonly FieldChange[],
  { object, verdict: { requestId }, now }: Replied,
): OrganizationStatus {
  if (changes.length === 0) return status;
  const entry = {
    time: timestamp(now),
    generation: generationOf(object),
    changes: changes.slice(0, LIMITS.historyChanges),
    ...(requestId !== undefined && { requestId }),
  };
  return { ...status, history: [...(status.history ?? []), entry].slice(-HISTORY) };
}

function withDrift(
  status: OrganizationStatus,
  drift: readonly FieldChange[],
  now: number,
): OrganizationStatus {
  if (drift.length === 0) return status;
  const time = timestamp(now);
  const all = [...(status.drift ?? []), ...drift.map((one) => ({ ...one, time }))];
  return { ...status, drift: all.slice(-LIMITS.drift) };
}

/** What this reply shows that we changed: the name, endpoints that came and endpoints that went. */
function confirmedChanges(
  replied: Replied,
  reply: OrganizationReply,
  { added, removed }: Settlement,
): FieldChange[] {
  const from = replied.work.session.draft.organization?.name;
  const sent = nameSent(replied);
  const isNamed = sent !== undefined && reply.name === sent && reply.shown.name !== from;
  return [
    ...(isNamed ? [change('name', from, sent, LIMITS.historyValue)] : []),
    ...endpointChanges(added, removed, LIMITS.historyValue),
  ];
}

/**
 * The name that this call has set. One that a look by name sent is told only where it is known what
 * was there before.
 */
function nameSent({ work: { goal, session }, call }: Replied): string | undefined {
  if (call.step === 'look' && call.by === 'name' && session.draft.organization?.name !== undefined)
    return goal.name;
  return call.step === 'name' ? call.name : undefined;
}

/**
 * A name that is neither the declared nor the last reported one; nothing where this object's own
 * lost write may be behind it.
 */
function nameDrift(
  { object, work, call }: Replied,
  { name, shown }: OrganizationReply,
): FieldChange[] {
  const { goal } = work;
  const from = work.session.draft.organization?.name;
  const isLook = call.step === 'look' && call.by === 'list';
  if (!isLook || goal.isCleanup || name === undefined || from === undefined || shown.name === from)
    return [];
  const isOurDoing =
    work.othersMayHaveWritten ||
    name === goal.name ||
    isLost(name, work) ||
    isRefusedEcho(object, shown.name);
  if (isOurDoing) return [];
  return [change('name', from, shown.name, LIMITS.value)];
}

/**
 * Whether the name may come from a request of ours without an answer. While a change of endpoints
 * is open, the last request without an answer is that change.
 */
function isLost(name: string, { notes: { lostNames }, session: { draft } }: Work): boolean {
  const isLast = draft.lastRequest?.outcome === 'Unknown' && !draft.pendingChange;
  return isLast || lostNames.some((lost) => lost.name === name);
}

/** The API had reported this very name in place of the one that was declared. */
function isRefusedEcho({ status }: Organization, name: string | undefined): boolean {
  const shown = name === undefined ? undefined : cut(name);
  return (
    status?.differences?.some(({ field, reported }) => field === 'name' && reported === shown) ??
    false
  );
}

/** Endpoints of ours that are gone without us. */
function vanishedDrift({ remarks }: Settlement): FieldChange[] {
  const vanished = remarks.filter(({ remark }) => remark === 'vanished');
  const tuples = vanished.map(({ tuple }) => tuple);
  return endpointChanges([], tuples, LIMITS.value);
}

/** What an intent would change, for `status.plan`. */
export function intendedChanges(
  before: OrganizationStatus | undefined,
  goal: Goal,
  intent: { readonly add: readonly Tuple[]; readonly remove: readonly Tuple[] },
): FieldChange[] {
  const from = before?.organization?.name;
  const isRenamed = !goal.isCleanup && goal.name !== undefined && goal.name !== from;
  return [
    ...(isRenamed ? [change('name', from, goal.name, LIMITS.value)] : []),
    ...endpointChanges(intent.add, intent.remove, LIMITS.value),
  ];
}

/** Endpoints that came, and endpoints that went. */
function endpointChanges(
  added: readonly Tuple[],
  removed: readonly Tuple[],
  most: number,
): FieldChange[] {
  return [
    ...added.map((tuple) => change(fieldOf(tuple), undefined, placeOf(tuple), most)),
    ...removed.map((tuple) => change(fieldOf(tuple), placeOf(tuple), undefined, most)),
  ];
}

export function changeNotice(
  changes: readonly FieldChange[],
  requestId: string | undefined,
  after = '',
): Notice {
  const what = changes.length === 0 ? 'Applied the declared state' : `Applied ${describe(changes)}`;
  return { type: 'Normal', reason: 'Applied', note: `${what}${after}${quoting(requestId)}` };
}

/** `name A → B, added psc-1, removed psc-2`. */
function describe(changes: readonly FieldChange[]): string {
  return changes
    .map(({ field, from, to }) => {
      if (to === undefined) return `removed ${field}`;
      return field === 'name'
        ? `name ${from === undefined ? '' : `${from} `}→ ${to}`
        : `added ${field}`;
    })
    .join(', ');
}

function change(
  field: string,
  from: string | undefined,
  to: string | undefined,
  most: number,
): FieldChange {
  return {
    field,
    ...(from !== undefined && { from: cutText(from, most) }),
    ...(to !== undefined && { to: cutText(to, most) }),
  };
}

export function driftNotices(renamed: readonly FieldChange[]): Notice[] {
  if (renamed.length === 0) return [];
  const note = `Changed at the API since the last response, not by the operator: ${describe(renamed)}`;
  return [{ type: 'Warning', reason: 'DriftDetected', note }];
}
