import { cutText } from '../../../controller/conditions.ts';
import type { Notice } from '../../../controller/kind.ts';
import { timestamp } from '../../status/canonical.ts';
import { generationOf, quoting } from '../../status/common-status.ts';
import type { Tuple } from '../endpoints/endpoints.ts';
import type { OrganizationReply } from '../endpoints/reply.ts';
import { fieldOf, placeOf } from '../endpoints/wording.ts';
import type { Goal } from '../goal.ts';
import type { Settlement } from '../ledger/ledger.ts';
import { LIMITS } from '../limits.ts';
import type { Organization, OrganizationStatus } from '../resource.ts';
import { cut } from './differences.ts';
import type { Replied } from './progress.ts';
import type { Work } from './session.ts';

/** `status.history` holds this many confirmed changes. */
const HISTORY = 10;

export function withHistory(
  status: OrganizationStatus,
  changes: ReturnType<typeof confirmedChanges>,
  { object, verdict, now }: Replied,
): OrganizationStatus {
  if (changes.length === 0) return status;
  const { requestId } = verdict;
  const entry = {
    time: timestamp(now),
    generation: generationOf(object),
    changes: changes.slice(0, LIMITS.historyChanges),
  };
  return {
    ...status,
    history: [
      ...(status.history ?? []),
      { ...entry, ...(requestId !== undefined && { requestId }) },
    ].slice(-HISTORY),
  };
}

export function withDrift(
  status: OrganizationStatus,
  drift: readonly ReturnType<typeof nameDrift>[number][],
  now: number,
): OrganizationStatus {
  if (drift.length === 0) return status;
  const time = timestamp(now);
  return {
    ...status,
    drift: [...(status.drift ?? []), ...drift.map((one) => ({ ...one, time }))].slice(
      -LIMITS.drift,
    ),
  };
}

export interface FieldChange {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

/** What this reply shows that we changed: the name, endpoints that came and endpoints that went. */
export function confirmedChanges(
  before: OrganizationStatus | undefined,
  reply: OrganizationReply,
  sent: {
    readonly name: string | undefined;
    readonly settlement: Pick<Settlement, 'added' | 'removed'>;
  },
): FieldChange[] {
  const { added, removed } = sent.settlement;
  const from = before?.organization?.name;
  const isNamed = sent.name !== undefined && reply.name === sent.name && reply.shown.name !== from;
  return [
    ...(isNamed ? [change('name', from, sent.name, LIMITS.historyValue)] : []),
    ...added.map((tuple) => change(fieldOf(tuple), undefined, placeOf(tuple), LIMITS.historyValue)),
    ...removed.map((tuple) =>
      change(fieldOf(tuple), placeOf(tuple), undefined, LIMITS.historyValue),
    ),
  ];
}

/**
 * A name that is neither the declared nor the last reported one; nothing where this object's own
 * lost write may be behind it.
 */
export function nameDrift(
  { object, work, call }: Pick<Replied, 'object' | 'work' | 'call'>,
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
export function vanishedDrift({ remarks }: Settlement): FieldChange[] {
  return remarks.flatMap(({ remark, tuple }) =>
    remark === 'vanished' ? [change(fieldOf(tuple), placeOf(tuple), undefined, LIMITS.value)] : [],
  );
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
    ...intent.add.map((tuple) => change(fieldOf(tuple), undefined, placeOf(tuple), LIMITS.value)),
    ...intent.remove.map((tuple) =>
      change(fieldOf(tuple), placeOf(tuple), undefined, LIMITS.value),
    ),
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
