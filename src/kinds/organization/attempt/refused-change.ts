import { cutText } from '../../../controller/conditions.ts';
import { timestamp, wholeSecond } from '../../status/canonical.ts';
import { withoutUndefined } from '../../status/common-status.ts';
import { nextWait } from '../../status/failures.ts';
import { plain, sameKey, type Tuple } from '../endpoints/endpoints.ts';
import type { Sent } from '../ledger/ledger.ts';
import { LIMITS } from '../limits.ts';
import type { OrganizationStatus, PendingChange } from '../resource.ts';
import type { Replied } from './progress.ts';

/** The intent that this reply has to explain: the one it answers, or one that has left before. */
export function sentBefore(replied: Replied): Sent | undefined {
  const { work, call } = replied;
  if (call.step !== 'send') return openSent(replied);
  const { fresh } = work.session;
  // A list that was only taken for empty has not shown that anything was lacking.
  const before = fresh?.isAssumed ? undefined : (fresh?.shown ?? fresh?.list);
  return { pending: call.pending, how: 'answered', before };
}

/** The intent on record, which was lost or refused. */
export function openSent({
  object,
  work: { session },
  now,
}: Pick<Replied, 'object' | 'work' | 'now'>): Sent | undefined {
  const pending = session.draft.pendingChange;
  if (!pending) return undefined;
  if (!pending.refused) return { pending, how: 'lost' };
  const { httpStatus, requestId } = pending.refused;
  const message = session.refusal?.message ?? textOf(pending.refused, session.draft.lastRequest);
  const sent = new Set([...pending.add, ...pending.remove].map(sameKey));
  const isAgain = session.draft.privateEndpoints?.some(
    (entry) => entry.lastError && sent.has(sameKey(entry)),
  );
  // Failures of other kinds before this one do not lengthen the wait.
  const attempts = isAgain ? (object.status?.attempts ?? 0) + 1 : 1;
  const retryAt = now + nextWait('Rejected', attempts, object.metadata.uid);
  const shown = cutText(message, LIMITS.ledgerMessage);
  return {
    pending,
    how: 'refused',
    blamed: blamedFor(pending, message),
    failure: {
      lastError: withoutUndefined({ httpStatus, requestId, message: shown }),
      nextAttemptTime: timestamp(wholeSecond(retryAt)),
    },
  };
}

/** What the API said, where that is still on record after a restart. */
function textOf(
  refused: NonNullable<PendingChange['refused']>,
  last: OrganizationStatus['lastRequest'],
): string {
  const isLast = last?.httpStatus === refused.httpStatus && last?.requestId === refused.requestId;
  return (
    (isLast ? last?.message : undefined) ??
    `The API refused the request (HTTP ${refused.httpStatus ?? 'unknown'})`
  );
}

/**
 * Who is to blame for a change that the API refused: the ids that its text names, if it names some
 * and not all; a change of one; removals together. Else nobody.
 */
export function blamedFor(
  { add, remove }: Pick<PendingChange, 'add' | 'remove'>,
  text: string,
): readonly Tuple[] {
  const all = [...add, ...remove];
  if (all.length === 1) return all;
  const named = all.filter(({ id }) => names(text, id));
  if (named.length > 0 && named.length < all.length) return named;
  return add.length === 0 ? remove : [];
}

/** Whether a text has this id as a whole word: neither side goes on with what ids are made of. */
function names(text: string, id: string): boolean {
  const words = plain(text);
  const word = plain(id);
  for (let at = words.indexOf(word); at >= 0; at = words.indexOf(word, at + 1)) {
    const before = words.slice(Math.max(0, at - 1), at);
    const after = words.slice(at + word.length, at + word.length + 2);
    if (!/[\w~/-]/.test(before) && !/^([\w~/-]|[.:][\w~/-])/.test(after)) return true;
  }
  return false;
}
