import { quoting, readyOf } from '../common-status.ts';
import type { Conclusion, Problem } from './conclusion.ts';
import { tupleKey } from './endpoints.ts';
import { isOurs } from './goal.ts';
import { refusedProblem } from './refusals.ts';
import type { LedgerEntry } from './resource.ts';
import { counted, names } from './wording.ts';

type Judged = Conclusion & { readonly ledger: readonly LedgerEntry[] };

/** Everything that is not as declared, what ends soonest by itself first. */
export function problemsOf(judged: Judged): Problem[] {
  return [
    blocked(judged),
    ...open(judged),
    unlisted(judged),
    renamed(judged),
    refusedProblem(judged.ledger, judged.memo.apart),
    conflicting(judged),
  ].filter((problem) => problem !== undefined);
}

function blockedMessage(removals: readonly { readonly id: string }[], most: number): string {
  const count = removals.length;
  return `Nothing of this change is sent: ${counted(count)} would be removed (${names(removals)}), and spec.maxPrivateEndpointRemovals allows ${most}. List them again, or set it to ${count} or more`;
}

function blocked({ work, change, blocked: isBlocked }: Judged): Problem | undefined {
  if (!isBlocked) return undefined;
  return { reason: 'RemovalBlocked', message: blockedMessage(change.remove, work.goal.mostRemovals) };
}

/** Sent, and the list does not show it yet. Behind a call without an answer that may only be a matter of time. */
function open({ object, call, work, ledger, verdict, now }: Judged): Problem[] {
  const isMeant = (entry: LedgerEntry): boolean =>
    isOurs(entry, work.goal) || entry.state === 'Unconfirmed' || entry.state === 'Removing';
  const waiting = ledger.filter(
    (entry) => (entry.state === 'Unconfirmed' || entry.state === 'Removing') && !entry.lastError && isMeant(entry),
  );
  if (waiting.length === 0) return [];
  const adding = waiting.filter(({ state }) => state === 'Unconfirmed');
  const removing = waiting.filter(({ state }) => state === 'Removing');
  const what = [
    ...(adding.length > 0 ? [`${names(adding)} ${adding.length === 1 ? 'is' : 'are'} not in the list`] : []),
    ...(removing.length > 0 ? [`${names(removing)} ${removing.length === 1 ? 'is' : 'are'} still in the list`] : []),
  ].join(', ');
  const isNotConfirmed = call?.step === 'send' || readyOf(object.status)?.reason === 'NotConfirmed';
  if (isNotConfirmed) {
    const message = `The API accepted the change, but ${what}${quoting(verdict?.requestId)}. The list is read again a few times, then every 6 hours; if it stays so, ask the API's support about this request`;
    return [{ reason: 'NotConfirmed', message }];
  }
  const last = Math.max(...waiting.map(({ nextAttemptTime }) => Date.parse(nextAttemptTime ?? '') || now));
  const message = `Whether the last change took effect is not known yet: ${what}, and the API may still be at work. The list is read again before anything is sent twice`;
  return [{ reason: 'OutcomeUnknown', message, atLeastMs: Math.max(0, last - now) }];
}

function unlisted(judged: Judged): Problem | undefined {
  const { work, call, reply, status, ledger, verdict } = judged;
  if (!work.goal.endpoints || reply.list) return undefined;
  if (!call) return unreadable(judged);
  const isKnown = status.organization?.privateEndpoints !== undefined && !status.pendingChange;
  if (isKnown) return undefined;
  const sent = new Set([...(status.pendingChange?.add ?? []), ...ledger].map(tupleKey));
  const unsent = work.goal.endpoints.filter((endpoint) => !sent.has(tupleKey(endpoint)));
  const held = unsent.length === 0 ? '' : `, and nothing is sent for ${names(unsent)} until one has`;
  const message = `The reply has no list of private endpoints${quoting(verdict?.requestId)}, so what is there is not known${held}. The API is asked again a few times, then every 6 hours; if it stays so, ask its support`;
  return { reason: 'NotConfirmed', message };
}

/** No list was ever seen, and the API takes no request that would show one. */
function unreadable({ work, memo, ledger }: Judged): Problem | undefined {
  if (memo.apart || ledger.some(({ lastError }) => lastError !== undefined)) return undefined;
  const said = work.memo.readRefused?.message ?? 'no reply has had one';
  const message = `The list of private endpoints cannot be read: ${said.replace(/[.\s]+$/, '')}. Declare a name, which makes the list visible, or an endpoint`;
  return { reason: 'Rejected', message };
}

function renamed({ work, reply, memo, verdict }: Judged): Problem | undefined {
  const { name } = work.goal;
  if (name === undefined || reply.name === undefined || reply.name === name || memo.apart?.name) return undefined;
  const message = `The API accepted the name but reports another one: ${JSON.stringify(reply.name.slice(0, 64))}, not ${JSON.stringify(name.slice(0, 64))}${quoting(verdict?.requestId)}. It is asked again a few times, then every 6 hours; if it stays so, declare the name that the API keeps`;
  return { reason: 'NotConfirmed', message };
}

function conflicting({ change }: Judged): Problem | undefined {
  if (change.conflicts.length === 0) return undefined;
  const message = `The id of ${names(change.conflicts)} is also reported with another cloud provider or region, by an endpoint that is not of this object; neither is added or removed. List it as the API reports it, see status.organization.privateEndpoints, or have the other one removed`;
  return { reason: 'EndpointConflict', message };
}
