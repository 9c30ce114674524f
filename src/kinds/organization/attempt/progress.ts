import type { Success } from '../../../api/reply/verdict.ts';
import { TWO_LOOKS_MS } from '../../../waits.ts';
import { canonicalJson, digestOf, timestamp } from '../../status/canonical.ts';
import { lastRequestOf, withoutUndefined } from '../../status/common-status.ts';
import { Listing, type Reported, tupleKey } from '../endpoints/endpoints.ts';
import { type OrganizationReply, readReply, shownList, storedEntries } from '../endpoints/reply.ts';
import { type Evidence, type Sent, type Settlement, settle, takenBack } from '../ledger/ledger.ts';
import { remarkNotices } from '../ledger/notices.ts';
import { UPDATE_ORGANIZATION } from '../remote.ts';
import type { LedgerEntry, Organization, OrganizationStatus, PendingChange } from '../resource.ts';
import { alteredDifferences, comparison, sparingAltered } from './differences.ts';
import {
  changeNotice,
  confirmedChanges,
  driftNotices,
  nameDrift,
  vanishedDrift,
  withDrift,
  withHistory,
} from './history.ts';
import type { Step } from './next-step.ts';
import { type Notes, settlingAt, withLostName } from './notes.ts';
import { sentBefore } from './refused-change.ts';
import { type Fresh, type Session, type Work } from './session.ts';

/** HTTP 200 with a result, and the call that it answers. */
export interface Replied {
  readonly object: Organization;
  readonly work: Work;
  readonly call: Extract<Step, { step: 'look' | 'name' | 'send' }>;
  readonly verdict: Success;
  readonly secretVersion: string;
  readonly now: number;
}

/**
 * What a reply adds to the attempt: the list settles what is open, and the draft says what was
 * learned.
 */
export function progress(replied: Replied): Notes & { readonly session: Session } {
  const { object, work, call, verdict, now } = replied;
  const { refusal, ...session } = work.session;
  const reply = readReply(verdict.result, session.draft);
  const notes = afterLook(replied, reply);
  const fresh = freshFrom(replied, reply, notes);
  const sent = sentBefore(replied);
  const settlement = settled(replied, { reply, fresh, sent, notes });
  const blamed = sent?.how === 'refused' ? sent : undefined;
  const draft = drafted(replied, { reply, fresh, settlement });
  const renamed = nameDrift(replied, reply);
  const drift = [...renamed, ...vanishedDrift(settlement)];
  const changes = confirmedChanges(session.draft, reply, { name: nameSent(replied), settlement });
  const isFirst = object.status?.applied === undefined;
  return {
    ...countInVain(notes, settlement.inVain),
    ...(fresh.isAssumed && { listed: 0 }),
    missedAt: missedAt(replied, settlement),
    session: {
      ...session,
      draft: withDrift(withHistory(draft, changes, replied), drift, now),
      drift: session.drift + drift.length,
      fresh,
      ...(call.step === 'look' && session.fresh && { hasLookedAgain: true as const }),
      ...((call.step === 'name' || (call.step === 'look' && call.by === 'name')) && {
        isNamed: true as const,
      }),
      ...(blamed?.split && { isSplit: true as const }),
      ...(refusal && !fresh.list && { refusal }),
      refusalsInRow: refusalsInRow(replied, blamed),
      notices: [
        ...session.notices,
        ...driftNotices(renamed),
        ...remarkNotices(settlement.remarks),
        ...(changes.length > 0 && !isFirst ? [changeNotice(changes, verdict.requestId)] : []),
      ],
    },
  };
}

/** When this process first missed what it misses still. */
function missedAt(replied: Replied, { ledger }: Settlement): ReadonlyMap<string, number> {
  const { notes, plannedAt, answeredAt = plannedAt.monotonic } = replied.work;
  const before = notes.missedAt;
  const keys = ledger.flatMap((entry) => (entry.state === 'Missing' ? [tupleKey(entry)] : []));
  return new Map(keys.map((key) => [key, before?.get(key) ?? answeredAt]));
}

/** What was there before a look by name is not known where nothing has been reported yet. */
function nameSent({ work: { goal, session }, call }: Replied): string | undefined {
  if (call.step === 'look' && call.by === 'name' && session.draft.organization?.name !== undefined)
    return goal.name;
  return call.step === 'name' ? call.name : undefined;
}

/** What the call says about how this organization can be looked at. */
function afterLook(replied: Replied, reply: OrganizationReply): Notes {
  const { work, call } = replied;
  const { session: _, unlistedSince, missingSince: __, isGone: ___, ...notes } = work.notes;
  const { monotonic } = work.plannedAt;
  const { leftAt = monotonic, answeredAt = monotonic } = work;
  const settlesAt = leftAt + work.atWorkMs;
  const since = reply.list ? undefined : (unlistedSince ?? answeredAt);
  const byName = call.step === 'name' || (call.step === 'look' && call.by === 'name');
  const { name } = work.goal;
  // The API may lag behind its writes: what the answer does not show is yet to come, or never.
  const isUnshown = byName && name !== undefined && reply.name !== undefined && reply.name !== name;
  return {
    ...notes,
    ...(since !== undefined && { unlistedSince: since }),
    ...(reply.list && { listed: reply.list.length }),
    ...(isUnshown && { lostNames: withLostName(notes, { name, settlesAt }, monotonic) }),
    failedLooks: call.step === 'look' && call.by === 'list' ? 0 : notes.failedLooks,
    looks: call.step === 'look' ? notes.looks + 1 : notes.looks,
  };
}

function freshFrom(
  { work, call, verdict, secretVersion }: Replied,
  reply: OrganizationReply,
  notes: Notes,
): Fresh {
  const isEmpty = !reply.list && isTakenForEmpty(work, notes);
  const entries = reply.list ?? (isEmpty ? [] : undefined);
  // A name changes no endpoint: what the look has shown still counts.
  const before = call.step === 'name' ? work.session.fresh : undefined;
  const list = entries ? new Listing(entries) : before?.list;
  return {
    ...(list && { list }),
    ...(entries && before?.list && { shown: new Listing([...before.list.entries, ...entries]) }),
    ...(isEmpty && { isAssumed: true }),
    ...(reply.name !== undefined && { name: reply.name }),
    ...(verdict.requestId !== undefined && { requestId: verdict.requestId }),
    responseHash: digestOf(canonicalJson(verdict.result)),
    secretVersion,
    at: work.plannedAt.monotonic,
  };
}

/**
 * An API may leave out a list that is empty. It is believed where nothing else was ever seen but
 * what this object removes.
 */
function isTakenForEmpty({ session, plannedAt }: Work, { unlistedSince }: Notes): boolean {
  if (unlistedSince === undefined || plannedAt.monotonic - unlistedSince < TWO_LOOKS_MS)
    return false;
  const { organization, pendingChange } = session.draft;
  const last = storedEntries(session.draft);
  const total = organization?.privateEndpointsTotal ?? last.length;
  const isRemoved = (entry: Reported): boolean =>
    pendingChange?.remove.some((tuple) => new Listing([entry]).has(tuple)) ?? false;
  return total === last.filter(isRemoved).length;
}

interface Seen {
  readonly reply: OrganizationReply;
  readonly fresh: Fresh;
  readonly sent: Sent | undefined;
  readonly notes: Notes;
}

function settled({ work, now }: Replied, { reply, fresh, sent, notes }: Seen): Settlement {
  const { goal, session } = work;
  const ledger = session.draft.privateEndpoints ?? [];
  // What the look before a name has shown, it has proven when it was made, and no more since.
  if (!fresh.list || !(reply.list || fresh.isAssumed))
    return { ...NOTHING_SETTLED, ledger: takenBack(ledger, goal) };
  return settle({
    ledger,
    list: fresh.list,
    goal: sparingAltered(goal, session.draft),
    sent,
    ...settling({ ...work, notes }, now),
  });
}

const NOTHING_SETTLED = { added: [], removed: [], remarks: [], inVain: [], altered: [] };

/** The status but for drift, history and what the end of the attempt decides. */
function drafted(
  { work, call, verdict, now }: Replied,
  found: {
    readonly reply: OrganizationReply;
    readonly fresh: Fresh;
    readonly settlement: Settlement;
  },
): OrganizationStatus {
  const { reply, fresh, settlement } = found;
  const { draft } = work.session;
  const altered = alteredDifferences(draft.differences, settlement, work.goal.endpoints);
  const { ledger } = settlement;
  const { differences, notReported } = comparison(work.goal, reply, { altered, ledger });
  return withoutUndefined({
    ...draft,
    proof: { time: timestamp(now), apiHash: work.apiHash },
    lastRequest: lastRequestOf(UPDATE_ORGANIZATION, verdict, now),
    // What was taken for empty is the last list there was: with the intent gone, nothing else would
    // tell that it had been emptied.
    organization: fresh.isAssumed ? { ...reply.shown, ...shownList([]) } : reply.shown,
    privateEndpoints: ledger.length > 0 ? ledger : undefined,
    pendingChange: isOpen(work, call, { fresh, ledger }) ? draft.pendingChange : undefined,
    differences: differences.length > 0 ? differences : undefined,
    notReported: notReported.length > 0 ? notReported : undefined,
  });
}

/**
 * A list settles what it answers and what was refused; what was lost is settled by time, and by a
 * second look at what is gone.
 */
function isOpen(
  { session, notes, plannedAt }: Work,
  call: Replied['call'],
  { fresh, ledger }: { readonly fresh: Fresh; readonly ledger: readonly LedgerEntry[] },
): boolean {
  if (!fresh.list) return true;
  if (call.step === 'send' || session.draft.pendingChange?.refused) return false;
  return isAwaited(session.draft.pendingChange, ledger) || plannedAt.monotonic < notes.settlesAt;
}

/** One look has missed what was to be removed, and the second one is still to come. */
export function isAwaited(
  pending: PendingChange | undefined,
  ledger: readonly LedgerEntry[],
): boolean {
  const removed = new Set(pending?.remove.map(tupleKey));
  return ledger.some((entry) => entry.state === 'Missing' && removed.has(tupleKey(entry)));
}

/** One more time in vain for each of these (`sameKey`). */
export function countInVain(notes: Notes, keys: readonly string[]): Notes {
  const counts = new Map(notes.inVain.counts);
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return { ...notes, inVain: { ...notes.inVain, counts } };
}

function refusalsInRow(
  { work, call }: Replied,
  refused: { readonly split?: boolean } | undefined,
): number {
  if (call.step === 'send') return 0;
  return work.session.refusalsInRow + (refused && !refused.split ? 1 : 0);
}

/**
 * When what was sent is over, by the wall clock as of the decision: what `settle` has to know of
 * it.
 */
export function settling(
  { notes, plannedAt, atWorkMs }: Pick<Work, 'notes' | 'plannedAt' | 'atWorkMs'>,
  now: number,
): Pick<Evidence, 'now' | 'settled' | 'settlesAt' | 'openUntil' | 'missedAt' | 'atWorkMs'> {
  const onTheWall = (monotonic: number): number => now + monotonic - plannedAt.monotonic;
  return {
    now,
    settled: plannedAt.monotonic >= notes.settlesAt,
    settlesAt: onTheWall(notes.settlesAt),
    openUntil: (entry) => onTheWall(settlingAt(notes, entry)),
    missedAt: (entry) => {
      const missedAt = notes.missedAt?.get(tupleKey(entry));
      return missedAt === undefined ? undefined : onTheWall(missedAt);
    },
    atWorkMs,
  };
}
