import { goOn } from '../../runtime/outcome.ts';
import { timestamp } from '../canonical.ts';
import { generationOf, lastRequestOf, withoutUndefined } from '../common-status.ts';
import { type Apart, afterAcceptance } from './apart.ts';
import { changeFor, isBlocked, NO_CHANGE } from './change.ts';
import { changeNotice, comparison, confirmedChanges, driftBetween, driftNotices } from './changes.ts';
import { conclude } from './conclude.ts';
import type { Call, Replied } from './conclusion.ts';
import { type Known, knownList } from './endpoints.ts';
import { intentOf } from './intent.ts';
import { ledgerBy, openUntil, type Sent, type Settlement, settle, withoutRefusals } from './ledger.ts';
import { LIMITS } from './limits.ts';
import { identityOf, type Memo, type MemoReport, neverLeft } from './memo.ts';
import { type NextChange, nextChange } from './next-change.ts';
import { UPDATE_ORGANIZATION } from './remote.ts';
import { type OrganizationReply, readReply } from './reply.ts';
import type { Organization, OrganizationStatus } from './resource.ts';
import { atWorkMs, knownHere, readStep, settledAt } from './step.ts';
import { underway } from './underway.ts';

/** HTTP 200 with a result: the list in it decides what happened, and what has to happen next. */
export function reportReply(replied: Replied): MemoReport {
  const { object, work, verdict, now } = replied;
  const previous = object.status;
  const reply = readReply(verdict.result, previous);
  const sent = sentBefore(replied);
  const standing = withoutRefusals(previous?.privateEndpoints ?? [], { now: work.plannedAt, all: work.retryRefused });
  const ledger = openUntil(standing, latestAtWork(replied));
  const settlement: Settlement = reply.list
    ? settle({ ledger, list: reply.list, goal: work.goal, sent, askedAt: work.plannedAt })
    : { ledger: ledgerBy(knownHere(object, work), ledger, work.goal), added: [], removed: [], vanished: [] };
  const known = knownNow(replied, reply);
  const isOpen = sent !== undefined && !reply.list;
  const change = known && !isOpen ? changeFor(work.goal, settlement.ledger, known) : NO_CHANGE;
  const base = statusAfter(replied, reply, { settlement, pendingIsOpen: isOpen });
  const blocked = isBlocked(work.goal, change);
  const next: NextChange = blocked
    ? { left: NO_CHANGE }
    : nextChange(advanced(replied), change, { oneAtATime: readStep(work) === undefined });
  const memo: Memo = {
    ...(work.memo.readRefused && !readsList(replied.call) && { readRefused: work.memo.readRefused }),
    ...(isOpen && work.memo.refusal && { refusal: work.memo.refusal }),
    ...(next.apart && { apart: next.apart }),
  };
  const told = [...driftNotices(base.drift), ...changeNotices(object, base.changes, verdict.requestId)];
  const facts = {
    httpStatus: verdict.httpStatus,
    requestId: verdict.requestId,
    ...(base.drift.length > 0 && { drift: base.drift.length }),
  };
  if (next.left.add.length + next.left.remove.length > 0) {
    const { pending } = intentOf(object, { ...work, memo }, { ...next.left, now });
    return {
      status: underway(object, { ...base.status, pendingChange: pending }, { now, acknowledge: true, intent: pending }),
      outcome: goOn,
      notices: told,
      did: replied.call.step,
      facts,
      memo: { ...memo, unsent: { change: identityOf(pending), generation: generationOf(object) } },
    };
  }
  return conclude({ ...replied, reply, status: base.status, change, blocked, memo, notices: told, facts });
}

function readsList(call: Call): boolean {
  return call.step === 'read' && call.reads === 'list';
}

/** The intent that this reply has to explain: the one it answers, or one that may have left before. */
function sentBefore(replied: Replied): Sent | undefined {
  const { object, work, call } = replied;
  const { status } = object;
  const { memo } = work;
  const pending = call.step === 'send' ? call.pending : status?.pendingChange;
  if (!pending || (call.step === 'read' && neverLeft(memo, pending))) return undefined;
  return {
    pending,
    how: call.step === 'send' ? 'answered' : memo.refusal ? 'refused' : 'unknown',
    blind: knownList(status) === undefined,
    until: timestamp(Math.min(settledAt(pending, work.apiTimeoutMs), latestAtWork(replied))),
  };
}

/** Nothing that was sent before now can be at work for longer, whatever time is on record: the clock may have been put back since. */
function latestAtWork({ work, now }: Replied): number {
  return now + atWorkMs(work.apiTimeoutMs);
}

function knownNow({ object, work }: Replied, { list }: OrganizationReply): Known | undefined {
  if (list) return { entries: list, complete: true };
  const known = knownHere(object, work);
  return known?.complete ? known : undefined;
}

/** What is left of a refused change, where a part of it has been accepted now. */
function advanced({ work: { memo }, call }: Replied): Apart | undefined {
  return memo.apart && call.step === 'send' ? afterAcceptance(memo.apart) : memo.apart;
}

/** The status but for what the conclusion decides. */
function statusAfter(
  { object, work, call, verdict, now }: Replied,
  reply: OrganizationReply,
  { settlement, pendingIsOpen }: { readonly settlement: Settlement; readonly pendingIsOpen: boolean },
) {
  const previous = object.status;
  const name = call.step === 'send' ? call.pending.name : call.reads === 'name' ? work.goal.name : undefined;
  const changes = confirmedChanges(previous, reply, { name, settlement });
  const drift = driftBetween(object, reply, { ...work, settlement });
  const { differences, notReported } = comparison(work.goal, reply);
  const entry = withoutUndefined({
    time: timestamp(now),
    generation: generationOf(object),
    requestId: verdict.requestId,
    changes: changes.slice(0, LIMITS.historyChanges),
  });
  const status: OrganizationStatus = withoutUndefined({
    ...previous,
    plan: undefined,
    lastRequest: lastRequestOf(UPDATE_ORGANIZATION, verdict, now),
    organization: reply.shown,
    privateEndpoints: settlement.ledger.length > 0 ? settlement.ledger : undefined,
    pendingChange: pendingIsOpen ? previous?.pendingChange : undefined,
    differences: differences.length > 0 ? differences : undefined,
    notReported: notReported.length > 0 ? notReported : undefined,
    drift:
      drift.length === 0
        ? previous?.drift
        : [...(previous?.drift ?? []), ...drift.map((one) => ({ ...one, time: timestamp(now) }))].slice(-LIMITS.drift),
    history: changes.length === 0 ? previous?.history : [...(previous?.history ?? []), entry].slice(-HISTORY),
  });
  return { status, changes, drift };
}

/** `status.history` holds this many confirmed changes. */
const HISTORY = 10;

/** Nothing for a first success: the object says it already. */
function changeNotices(object: Organization, changes: Parameters<typeof changeNotice>[0], requestId?: string) {
  return changes.length > 0 && object.status?.applied ? [changeNotice(changes, requestId)] : [];
}
