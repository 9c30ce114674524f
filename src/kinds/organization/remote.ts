import { encodePath } from '../../api/path.ts';
import type { Failure } from '../../api/verdict.ts';
import type { Context } from '../../controller/kind.ts';
import { BUSY_ENDPOINT_MS, FAILURES } from '../../waits.ts';
import type { CallRequest } from '../shared/calls.ts';
import { canonicalJson, digestOf, timestamp, wholeSecond } from '../shared/canonical.ts';
import { nextWait } from '../shared/failures.ts';
import type { Goal } from './decide.ts';
import { type Change, filled, sameKey, tupleOf } from './endpoints.ts';
import type { OrganizationSpec, OrganizationStatus, PendingChange } from './resource.ts';

export const UPDATE_ORGANIZATION = 'UpdateOrganization';

/** One PATCH; an observation has a name where the API shows the list in no other way. */
export interface Request {
  readonly type: 'observe' | 'name' | 'change';
  readonly name?: string | undefined;
  readonly change?: PendingChange;
}

type Wanted = Pick<Request, 'name'> & { readonly change?: Change };
type Listed = Pick<OrganizationSpec, 'privateEndpoints'>;
type Declared = Listed & Pick<OrganizationSpec, 'organizationId' | 'name'>;

/**
 * Where an organization's requests go. `hash` is `status.applied.requestHash`: of API, organization
 * and declared state, in which the order of the list is no part.
 */
export function addressOf(baseUrl: string, spec: Declared) {
  const { organizationId, name, privateEndpoints: endpoints } = spec;
  const segments = ['v1', 'organizations', organizationId];
  const path = encodePath(segments);
  const privateEndpoints = endpoints?.toSorted((a, b) => (sameKey(a) < sameKey(b) ? -1 : 1));
  const declared = canonicalJson({ name, privateEndpoints });
  return { segments, path, hash: digestOf('PATCH', baseUrl, path, declared) };
}

/** With neither name nor change it changes nothing. An empty description or list is left out. */
export function bodyOf({ name, change }: Wanted, { privateEndpoints = [] }: Listed): string {
  if (name !== undefined) return canonicalJson({ name });
  if (!change) return canonicalJson({ privateEndpoints: { add: [], remove: [] } });
  const described = new Map(privateEndpoints.map((one) => [sameKey(one), one.description]));
  const add = change.add.map((tuple) => {
    const description = described.get(sameKey(tuple));
    return { ...tupleOf(tuple), description: description === '' ? undefined : description };
  });
  const remove = change.remove.map(tupleOf);
  return canonicalJson({ privateEndpoints: { add: filled(add), remove: filled(remove) } });
}

export function callOf(request: Request, path: readonly string[], goal: Listed): CallRequest {
  const body = bodyOf(request, goal);
  const write = request.type !== 'observe' || request.name !== undefined;
  return { operation: UPDATE_ORGANIZATION, method: 'PATCH', path, body, write, of: 'organization' };
}

export type Refusal = NonNullable<ReturnType<typeof refusalOf>>;

/** Answers that say nothing of what was sent: the key, the load, or nobody knows what happened. */
const NOT_OF_THE_CHANGE = [401, 408, 425, 429];
const BUSY = [409, 423, 424];
export const isBusy = (httpStatus = 0): boolean => BUSY.includes(httpStatus);
/** Answers of an API that takes no change of two empty lists. */
const REFUSES_EMPTY = [400, 405, 422];
/** An API that fails so often in a row with the same request does so for good. */
const FOR_GOOD = 3;

/**
 * A 4xx to a change of an attempt that was answered 200 when it observed: it speaks of what was
 * sent, not of the organization or the key.
 */
export function refusalOf({ httpStatus = 0, requestId, said }: Failure) {
  if (httpStatus < 400 || httpStatus > 499 || NOT_OF_THE_CHANGE.includes(httpStatus))
    return undefined;
  const message = said === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${said}`;
  return { httpStatus, requestId, message };
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
  const ofBusy = { ...FAILURES.Rejected, firstMs: BUSY_ENDPOINT_MS };
  const rule = isBusy(lastError.httpStatus) ? ofBusy : undefined;
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
  /** Since this process began, a cleanup of the object has been tried in vain. */
  hasFailedCleanup = false;

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
    const isRefused = REFUSES_EMPTY.includes(httpStatus);
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

  changeEnded(httpStatus: number | undefined): void {
    if (httpStatus === 500 || httpStatus === 501) this.#changesFailed += 1;
    else if (!this.isOneByOne) this.#changesFailed = 0;
  }
}
