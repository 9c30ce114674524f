import type { Success } from '../../../api/reply/verdict.ts';
import { TWO_LOOKS_MS } from '../../../waits.ts';
import { canonicalJson, digestOf } from '../../status/canonical.ts';
import { lastRequestOf, withoutUndefined } from '../../status/common-status.ts';
import { provenAt } from '../../target/proof.ts';
import { Listing, type Reported, sameKey, tupleKey } from '../endpoints/endpoints.ts';
import { type OrganizationReply, readReply, shownList, storedEntries } from '../endpoints/reply.ts';
import {
  type Evidence,
  type Refused,
  type Sent,
  type Settlement,
  settle,
  takenBack,
} from '../ledger/ledger.ts';
import { UPDATE_ORGANIZATION } from '../remote.ts';
import type { LedgerEntry, Organization, OrganizationStatus, PendingChange } from '../resource.ts';
import { comparison, wantingAltered } from './differences.ts';
import { told } from './history.ts';
import { type Call, sendsName } from './next-step.ts';
import { countUnconfirmed, type Notes, settlingAt, withLostName } from './notes.ts';
import { sentBefore } from './refused-change.ts';
import type { FreshReply, Work } from './session.ts';

/** HTTP 200 with a result, and the call that it answers. */
export interface Replied {
  readonly object: Organization;
  readonly work: Work;
  readonly call: Call;
  readonly verdict: Success;
  readonly secretVersion: string;
  readonly now: number;
}

/**
 * What a reply adds to the attempt: the list settles what is open, and the draft says what was
 * learned.
 */
export function progress(replied: Replied): Work {
  const { work, call, verdict } = replied;
  const { refusal, ...session } = work.session;
  const reply = readReply(verdict.result, session.draft);
  const notes = afterReply(replied, reply);
  const fresh = freshFrom(replied, reply, notes);
  const sent = sentBefore(replied);
  const settlement = settled(replied, { reply, fresh, sent, notes });
  const refused = sent?.how === 'refused' ? sent : undefined;
  const { draft, drift, notices } = told(replied, drafted(replied, { reply, fresh, settlement }), {
    reply,
    settlement,
  });
  return {
    ...work,
    notes: withMissed(countUnconfirmed(notes, settlement.unconfirmedChanges), {
      ledger: settlement.ledger,
      isEmpty: fresh.isAssumed ?? false,
      answeredAt: work.answeredAt,
    }),
    session: {
      ...session,
      draft,
      drift: session.drift + drift,
      fresh,
      ...(call.step === 'look' && session.fresh && { looksAgain: (session.looksAgain ?? 0) + 1 }),
      ...(sendsName(call) && { isNamed: true as const }),
      ...(refused?.blamed.length === 0 && { isSplit: true as const }),
      ...(refusal && !fresh.list && { refusal }),
      refusalsInRow: refusalsInRow(replied, refused),
      notices: [...session.notices, ...notices],
    },
  };
}

/** What the reply says about how this organization can be looked at. */
function afterReply({ work, call }: Replied, reply: OrganizationReply): Notes {
  const { notes, goal, leftAt, answeredAt, decidedAt } = work;
  const { looks, atWork } = notes;
  const isLook = call.step === 'look';
  const { name } = goal;
  // The API may lag behind its writes: what the answer does not show is yet to come, or never.
  const isUnshown =
    sendsName(call) && name !== undefined && reply.name !== undefined && reply.name !== name;
  const settlesAt = leftAt + work.atWorkMs;
  return {
    ...notes,
    atWork: isLook ? { ...atWork, looks: atWork.looks + 1 } : atWork,
    lostNames: isUnshown
      ? withLostName(notes.lostNames, { name, settlesAt }, decidedAt.monotonic)
      : notes.lostNames,
    looks: {
      ...looks,
      unlistedSince: reply.list ? undefined : (looks.unlistedSince ?? answeredAt),
      lastCount: reply.list?.length ?? looks.lastCount,
      failedInRow: isLook && call.by === 'list' ? 0 : looks.failedInRow,
    },
    deletion: { ...notes.deletion, notFoundSince: undefined, isGone: undefined },
  };
}

/** With when this process first missed what is Missing still. */
function withMissed(
  notes: Notes,
  seen: {
    readonly ledger: readonly LedgerEntry[];
    readonly isEmpty: boolean;
    readonly answeredAt: number;
  },
): Notes {
  const { looks } = notes;
  const missing = seen.ledger.filter(({ state }) => state === 'Missing').map(tupleKey);
  const missedAt = missing.map((key) => [key, looks.missedAt.get(key) ?? seen.answeredAt] as const);
  const lastCount = seen.isEmpty ? 0 : looks.lastCount;
  return { ...notes, looks: { ...looks, missedAt: new Map(missedAt), lastCount } };
}

function freshFrom(
  { work, call, verdict, secretVersion }: Replied,
  reply: OrganizationReply,
  notes: Notes,
): FreshReply {
  const isEmpty = !reply.list && isTakenForEmpty(work, notes);
  const entries = reply.list ?? (isEmpty ? [] : undefined);
  // A name changes no endpoint: what the look has shown still counts.
  const before = call.step === 'name' ? work.session.fresh : undefined;
  const list = entries ? new Listing(entries) : before?.list;
  return {
    list,
    shown: entries && before?.list && new Listing([...before.list.entries, ...entries]),
    isAssumed: isEmpty,
    name: reply.name,
    requestId: verdict.requestId,
    responseHash: digestOf(canonicalJson(verdict.result)),
    secretVersion,
    at: work.decidedAt.monotonic,
  };
}

/**
 * An API may leave out a list that is empty. It is believed where nothing else was ever seen but
 * what this object removes.
 */
function isTakenForEmpty({ session, decidedAt }: Work, { looks }: Notes): boolean {
  const { unlistedSince = Number.POSITIVE_INFINITY } = looks;
  if (decidedAt.monotonic - unlistedSince < TWO_LOOKS_MS) return false;
  const { organization, pendingChange } = session.draft;
  const last = storedEntries(session.draft);
  const total = organization?.privateEndpointsTotal ?? last.length;
  const isRemoved = (entry: Reported): boolean =>
    pendingChange?.remove.some((tuple) => new Listing([entry]).has(tuple)) ?? false;
  return total === last.filter(isRemoved).length;
}

interface Seen {
  readonly reply: OrganizationReply;
  readonly fresh: FreshReply;
  readonly sent: Sent | undefined;
  readonly notes: Notes;
}

function settled({ work, now }: Replied, { reply, fresh, sent, notes }: Seen): Settlement {
  const { goal, session } = work;
  const ledger = session.draft.privateEndpoints ?? [];
  if (!fresh.list || !settles(reply, fresh))
    return { ...NOTHING_SETTLED, ledger: takenBack(ledger, goal) };
  return settle({
    ledger,
    list: fresh.list,
    goal: wantingAltered(goal, session.draft),
    sent,
    ...settling({ ...work, notes }, now),
  });
}

/**
 * The answer to a name may have no list. That of the look before it was settled then, and proves no
 * more now.
 */
function settles(reply: OrganizationReply, fresh: FreshReply): boolean {
  return reply.list !== undefined || fresh.isAssumed === true;
}

const NOTHING_SETTLED = {
  added: [],
  removed: [],
  remarks: [],
  unconfirmedChanges: [],
  altered: [],
};

/** When what was sent is over, by the wall clock as of the decision. */
export function settling(
  { notes: { atWork, looks }, decidedAt, atWorkMs }: Pick<Work, 'notes' | 'decidedAt' | 'atWorkMs'>,
  now: number,
): Omit<Evidence, 'ledger' | 'list' | 'goal' | 'sent'> {
  const onTheWall = (monotonic: number): number => now + monotonic - decidedAt.monotonic;
  return {
    now,
    settlesAt: onTheWall(atWork.settlesAt),
    entrySettlesAt: (entry) => onTheWall(settlingAt(atWork, entry)),
    missedAt: (entry) => {
      const missedAt = looks.missedAt.get(tupleKey(entry));
      return missedAt === undefined ? undefined : onTheWall(missedAt);
    },
    atWorkMs,
  };
}

/** The status but for drift, history and what the end of the attempt decides. */
function drafted(
  { work, call, verdict, now }: Replied,
  { reply, fresh, settlement }: Pick<Seen, 'reply' | 'fresh'> & { readonly settlement: Settlement },
): OrganizationStatus {
  const { draft } = work.session;
  const { ledger } = settlement;
  const { differences, notReported } = comparison(work, reply, settlement);
  return withoutUndefined({
    ...draft,
    proof: provenAt(now, work.apiHash),
    lastRequest: lastRequestOf(UPDATE_ORGANIZATION, verdict, now),
    // A list that is taken for empty is recorded as one: once the intent is gone, nothing else says
    // that the list was emptied.
    organization: fresh.isAssumed ? { ...reply.shown, ...shownList([]) } : reply.shown,
    privateEndpoints: ledger.length > 0 ? ledger : undefined,
    pendingChange: isOpen(work, call, { fresh, ledger })
      ? openPart(draft.pendingChange, ledger, settles(reply, fresh) && isOver(work))
      : undefined,
    differences: differences.length > 0 ? differences : undefined,
    notReported: notReported.length > 0 ? notReported : undefined,
  });
}

/**
 * A list settles what it answers and what was refused; what was lost is settled by time, and by a
 * second look at what is gone.
 */
function isOpen(
  { session, notes, decidedAt }: Work,
  call: Call,
  { fresh, ledger }: { readonly fresh: FreshReply; readonly ledger: readonly LedgerEntry[] },
): boolean {
  if (!fresh.list) return true;
  const { pendingChange } = session.draft;
  if (call.step === 'send' || pendingChange?.refused) return false;
  return isAwaited(pendingChange, ledger) || !isOver({ notes, decidedAt });
}

/** Whether nothing of what was sent last can be at work any more. */
function isOver({ notes, decidedAt }: Pick<Work, 'notes' | 'decidedAt'>): boolean {
  return notes.atWork.settlesAt <= decidedAt.monotonic;
}

/**
 * Of an intent that a list has settled for good, only a removal whose second look is still to come
 * is open: all else counts once.
 */
export function openPart(
  pending: PendingChange | undefined,
  ledger: readonly LedgerEntry[],
  isSettledForGood: boolean,
): PendingChange | undefined {
  if (!pending || !isSettledForGood) return pending;
  const unconfirmed = new Set(inState(ledger, 'Unconfirmed').map(sameKey));
  const missing = new Set(inState(ledger, 'Missing').map(tupleKey));
  return {
    ...pending,
    add: pending.add.filter((tuple) => unconfirmed.has(sameKey(tuple))),
    remove: pending.remove.filter((tuple) => missing.has(tupleKey(tuple))),
  };
}

/** One look has missed what was to be removed, and the second one is still to come. */
export function isAwaited(
  pending: PendingChange | undefined,
  ledger: readonly LedgerEntry[],
): boolean {
  const removed = new Set(pending?.remove.map(tupleKey));
  return inState(ledger, 'Missing').some((entry) => removed.has(tupleKey(entry)));
}

function inState(ledger: readonly LedgerEntry[], wanted: LedgerEntry['state']): LedgerEntry[] {
  return ledger.filter(({ state }) => state === wanted);
}

function refusalsInRow({ work, call }: Replied, refused: Refused | undefined): number {
  if (call.step === 'send') return 0;
  return work.session.refusalsInRow + (refused && refused.blamed.length > 0 ? 1 : 0);
}
