import type { Failure } from '../../api/reply/verdict.ts';
import { BUSY_ENDPOINT_MS, FAILURES } from '../../waits.ts';
import { timestamp, wholeSecond } from '../shared/canonical.ts';
import { nextWait } from '../shared/failures.ts';
import type { Change } from './decide.ts';
import { sameKey, tupleOf } from './endpoints/endpoints.ts';
import type { InventoryEntry, Organization } from './resource.ts';

/** What the API said when it refused a name or a change. */
export interface Refusal {
  readonly httpStatus: number;
  readonly requestId: string | undefined;
  readonly message: string;
}

/** Answers that say nothing of what was sent: the key, the load, or nobody knows what happened. */
const NOT_OF_THE_CHANGE = new Set([401, 408, 425, 429]);
const BUSY = new Set([409, 423, 424]);

/**
 * A 4xx to a change of an attempt that was answered 200 when it observed: it speaks of what was
 * sent, not of the organization or the key.
 */
export function refusalOf({ httpStatus = 0, requestId, said }: Failure): Refusal | undefined {
  const isOfChange = httpStatus >= 400 && httpStatus <= 499 && !NOT_OF_THE_CHANGE.has(httpStatus);
  const message = said === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${said}`;
  return isOfChange ? { httpStatus, requestId, message } : undefined;
}

/** The inventory after a change of one endpoint was refused; what is ours stays so. */
export function markRefused(
  inventory: readonly InventoryEntry[],
  { add, remove }: Change,
  lastError: Refusal,
  { metadata: { uid } }: Organization,
  now: number,
): readonly InventoryEntry[] {
  const [tuple = remove[0]] = add;
  if (!tuple) return inventory;
  const before = inventory.find((entry) => sameKey(entry) === sameKey(tuple));
  const isRemoval = before !== undefined && add.length === 0;
  const attempts = (before?.lastError ? (before.attempts ?? 0) : 0) + 1;
  const isBusy = BUSY.has(lastError.httpStatus);
  const rule = isBusy ? { ...FAILURES.Rejected, firstMs: BUSY_ENDPOINT_MS } : undefined;
  const nextAttemptTime = timestamp(wholeSecond(now + nextWait('Rejected', attempts, uid, rule)));
  const entry = isRemoval ? before : { ...tupleOf(tuple), state: 'Refused' as const };
  const others = inventory.filter((one) => one !== before);
  return [...others, { ...entry, attempts, nextAttemptTime, lastError }];
}
