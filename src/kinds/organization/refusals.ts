import { timestamp, wholeSecond } from '../canonical.ts';
import { currentReady, quoting } from '../common-status.ts';
import { nextWait } from '../failures.ts';
import type { Apart } from './apart.ts';
import type { Change } from './change.ts';
import type { Problem } from './conclusion.ts';
import { tupleKey, tupleOf } from './endpoints.ts';
import type { LedgerEntry, Organization } from './resource.ts';
import { names } from './wording.ts';

/** The ledger with the endpoints named that the API refused one by one, each with the time of its next attempt. */
export function withRefusals(
  object: Organization,
  found: {
    readonly ledger: readonly LedgerEntry[];
    readonly change: Pick<Change, 'add' | 'remove'>;
    readonly apart: Apart | undefined;
    readonly now: number;
  },
): readonly LedgerEntry[] {
  const { ledger, change, apart, now } = found;
  const refused = apart?.refused ?? [];
  if (refused.length === 0) return ledger;
  const byKey = new Map(refused.map((entry) => [`${entry.op} ${entry.key}`, entry.refusal]));
  const reason = reasonFor(refused.map(({ refusal }) => refusal.httpStatus));
  const failing = currentReady(object, object.status)?.status === 'False';
  // Counted over all failures in a row: another one may be foremost, and this wait has to grow all the same.
  const attempts = failing ? (object.status?.attempts ?? 0) + 1 : 1;
  const wait = nextWait(reason, attempts, object.metadata.uid);
  const nextAttemptTime = timestamp(wholeSecond(now + wait));
  const meant = new Set(change.remove.map(tupleKey));
  const removing = ledger.map((entry): LedgerEntry => {
    const lastError = meant.has(tupleKey(entry)) ? byKey.get(`remove ${tupleKey(entry)}`) : undefined;
    return lastError ? { ...entry, state: 'Removing', lastError, nextAttemptTime } : entry;
  });
  const adding = change.add.flatMap((endpoint): LedgerEntry[] => {
    const lastError = byKey.get(`add ${tupleKey(endpoint)}`);
    if (!lastError) return [];
    return [{ ...tupleOf(endpoint), origin: 'Found', state: 'Refused', lastError, nextAttemptTime }];
  });
  return [...removing, ...adding];
}

/** What the API does not take, by name; undefined where there is nothing. */
export function refusedProblem(ledger: readonly LedgerEntry[], apart: Apart | undefined): Problem | undefined {
  const entries = ledger.filter(({ lastError }) => lastError !== undefined);
  const { name, stopped } = apart ?? {};
  if (entries.length === 0 && !name && !stopped) return undefined;
  const single = entries.map(({ lastError }) => lastError?.httpStatus);
  const statuses = [...single, name?.httpStatus, stopped?.refusal.httpStatus].filter((status) => status !== undefined);
  const said = stopped?.refusal.message ?? name?.message ?? entries[0]?.lastError?.message ?? '';
  const id = quoting(stopped?.refusal.requestId ?? name?.requestId ?? entries[0]?.lastError?.requestId);
  const what = [
    ...(name ? ['the name'] : []),
    ...(entries.length > 0 ? [names(entries)] : []),
    ...(stopped
      ? [`every half of the private endpoints to ${stopped.op} alike, so it is no single endpoint's fault`]
      : []),
  ].join(' and ');
  const message = `The API refused ${what}: ${said.replace(/[.\s]+$/, '')}${id}. What it took is in place; change the spec to what the API accepts, or ask for another try with the annotation pipewright.dev/reconcile-requested-at`;
  return { reason: reasonFor(statuses), message };
}

function reasonFor(statuses: readonly number[]): 'Conflict' | 'Rejected' {
  return statuses.every((status) => status === 409) ? 'Conflict' : 'Rejected';
}
