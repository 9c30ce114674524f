import type { Failure } from '../../api/reply/verdict.ts';
import type { Context } from '../../controller/kind.ts';
import { BUSY_ENDPOINT_MS, FAILURES } from '../../waits.ts';
import { timestamp, wholeSecond } from '../shared/canonical.ts';
import { nextWait } from '../shared/failures.ts';
import { type Change, sameKey, tupleOf } from './endpoints.ts';
import type { Goal } from './goal.ts';
import type { OrganizationStatus } from './resource.ts';

/** What the API said when it refused a name or a change. */
export interface Refusal {
  readonly httpStatus: number;
  readonly requestId: string | undefined;
  readonly message: string;
}

/** Answers that say nothing of what was sent: the key, the load, or nobody knows what happened. */
const NOT_OF_THE_CHANGE = new Set([401, 408, 425, 429]);
const BUSY = new Set([409, 423, 424]);
/** Answers of an API that takes no change of two empty lists. */
const REFUSES_EMPTY: ReadonlySet<number> = new Set([400, 405, 422]);
/** An API that fails so often in a row with the same request does so for good. */
const FOR_GOOD = 3;

/**
 * A 4xx to a change of an attempt that was answered 200 when it observed: it speaks of what was
 * sent, not of the organization or the key.
 */
export function refusalOf({ httpStatus = 0, requestId, said }: Failure): Refusal | undefined {
  const isOfChange = httpStatus >= 400 && httpStatus <= 499 && !NOT_OF_THE_CHANGE.has(httpStatus);
  const message = said === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${said}`;
  return isOfChange ? { httpStatus, requestId, message } : undefined;
}

/** The status after a change of one endpoint was refused; what is ours stays so. */
export function markRefused(
  draft: OrganizationStatus,
  { add, remove }: Change,
  lastError: Refusal,
  context: Pick<Context, 'object' | 'now'>,
): OrganizationStatus {
  const { privateEndpoints: inventory = [] } = draft;
  const [tuple = remove[0]] = add;
  if (!tuple) return draft;
  const before = inventory.find((entry) => sameKey(entry) === sameKey(tuple));
  const attempts = (before?.lastError ? (before.attempts ?? 0) : 0) + 1;
  const isBusy = BUSY.has(lastError.httpStatus);
  const rule = isBusy ? { ...FAILURES.Rejected, firstMs: BUSY_ENDPOINT_MS } : undefined;
  const wait = nextWait('Rejected', attempts, context.object().metadata.uid, rule);
  const nextAttemptTime = timestamp(wholeSecond(context.now() + wait));
  const isRemoval = before !== undefined && add.length === 0;
  const entry = isRemoval ? before : { ...tupleOf(tuple), state: 'Refused' as const };
  const refused = { ...entry, attempts, nextAttemptTime, lastError };
  return { ...draft, privateEndpoints: [...inventory.filter((one) => one !== before), refused] };
}

/**
 * What this process has learned of the requests that the API takes for one organization. Losing it
 * costs a few requests; an outage teaches nothing.
 */
export class Ways {
  #refusesToObserve: 'refused' | 'failed' | undefined;
  #observationsFailed = 0;
  #changesFailed = 0;

  /** The declared name, where sending it is the way to see the list. */
  nameToObserveBy({ name, isCleanup }: Goal): string | undefined {
    const isKnown = isCleanup ? this.#refusesToObserve === 'refused' : this.#refusesToObserve;
    return isKnown ? name : undefined;
  }

  /** The request that changes nothing works, or the declared name does not show the list either. */
  forget(): void {
    this.#refusesToObserve = undefined;
    this.#observationsFailed = 0;
  }

  /** What follows a failed observation; `none`: a declared name would make the list readable. */
  notObserved({ httpStatus = 0, isJson }: Failure, goal: Goal): 'by-name' | 'none' | 'again' {
    const isRefused = REFUSES_EMPTY.has(httpStatus);
    const isOwnError = httpStatus === 500 && isJson === true;
    this.#observationsFailed = isOwnError ? this.#observationsFailed + 1 : 0;
    if (!isRefused && this.#observationsFailed < FOR_GOOD) return 'again';
    this.#refusesToObserve = isRefused ? 'refused' : 'failed';
    if (this.nameToObserveBy(goal) !== undefined) return 'by-name';
    return goal.name === undefined ? 'none' : 'again';
  }

  /** A change of several endpoints is answered with 500 for good: each goes by itself. */
  get isOneByOne(): boolean {
    return this.#changesFailed >= FOR_GOOD;
  }

  /** `httpStatus`: of the answer to a change of several endpoints. */
  changeEnded(httpStatus: number | undefined): void {
    if (httpStatus === 500 || httpStatus === 501) this.#changesFailed += 1;
    else if (!this.isOneByOne) this.#changesFailed = 0;
  }
}
