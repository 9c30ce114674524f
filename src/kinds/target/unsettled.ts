import { isDeepStrictEqual } from 'node:util';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import { type CommonStatus, generationOf, readyOf } from '../status/common-status.ts';

interface Request {
  /** Of what was sent; undefined: another process sent it. */
  readonly hash: string | undefined;
  /** By the monotonic clock. */
  readonly until: number;
}

export interface StillAtWork extends Pick<Request, 'hash'> {
  readonly ms: number;
}

interface Applied {
  readonly generation: number;
  readonly requestId?: string;
  readonly time: string;
}

interface Requests {
  readonly uid: string;
  /** As its status told when this was last noted: another one is of another process. */
  readonly lastRequest: CommonStatus['lastRequest'];
  readonly sent: readonly Request[];
}

export interface UnsettledOptions {
  readonly monotonic: () => number;
  /** How long after it was sent a request may be at work. */
  readonly settlesInMs: number;
}

/**
 * Requests without an answer that may still take effect, after one that was sent later. What
 * another process sent counts from when this one first reconciles its object after the status has
 * told of it.
 */
export class Unsettled {
  readonly #options: UnsettledOptions;
  readonly #requests = new Map<string, Requests>();

  constructor(options: UnsettledOptions) {
    this.#options = options;
  }

  /** Nobody can tell what a request did that was sent at this time. */
  add(object: KubeObject, hash: string, sentAt: number): void {
    const known = this.#of(object);
    const request = { hash, until: sentAt + this.#options.settlesInMs };
    this.#requests.set(keyOf(object), { ...known, sent: [...known.sent, request] });
  }

  /** What may still take effect, and for how long. */
  of(object: KubeObject): readonly StillAtWork[] {
    const now = this.#options.monotonic();
    return this.#of(object).sent.map(({ hash, until }) => ({ hash, ms: until - now }));
  }

  /** Of what this process has sent itself a status tells this from now on. */
  tells(object: KubeObject, { lastRequest }: CommonStatus): void {
    this.#requests.set(keyOf(object), { ...this.#of(object), lastRequest });
  }

  forget(key: string): void {
    this.#requests.delete(key);
  }

  /** What is not over yet. */
  #of(object: KubeObject): Requests {
    const key = keyOf(object);
    const { uid } = object.metadata;
    const now = this.#options.monotonic();
    const { lastRequest } = statusOf(object);
    const kept = this.#requests.get(key);
    const known = kept?.uid === uid ? kept : undefined;
    const isOthers = !known || !isDeepStrictEqual(known.lastRequest, lastRequest);
    const theirs =
      isOthers && mayHide(object) && !hidesTheSame(object)
        ? [{ hash: undefined, until: now + this.#options.settlesInMs }]
        : [];
    const own = known?.sent.filter(({ until }) => until > now) ?? [];
    const requests = { uid, lastRequest, sent: [...own, ...theirs] };
    // Of most objects there is nothing to know, and there may be many thousands.
    if (requests.sent.length === 0 && !mayHide(object)) this.#requests.delete(key);
    else this.#requests.set(key, requests);
    return requests;
  }
}

/** Accepted, but not yet said to be applied: what was sent before may come after it. */
export function isSettling(status: CommonStatus | undefined): boolean {
  return (
    readyOf(status)?.reason === 'OutcomeUnknown' && status?.lastRequest?.outcome === 'Succeeded'
  );
}

/** Until when a request for anything else than this may take effect; undefined: none can. */
export function settledAt(
  atWork: readonly StillAtWork[],
  hash: string,
  now: number,
): number | undefined {
  const others = atWork.filter((request) => request.hash !== hash);
  return others.length === 0 ? undefined : now + Math.max(...others.map(({ ms }) => ms));
}

/**
 * Whether what another process sent may still be at work. A status tells of the last request only.
 * Where that was applied, what came before it has settled. Where it was refused, an earlier request
 * without an answer is overlooked, a known gap, so that a corrected spec is applied without a wait.
 */
export function mayHide(object: KubeObject): boolean {
  const { lastRequest } = statusOf(object);
  if (lastRequest?.outcome === 'Rejected') return false;
  return lastRequest !== undefined && !endsApplied(object);
}

/** Whether the last request is the one that was applied last. */
export function endsApplied(object: KubeObject): boolean {
  const { applied, lastRequest } = statusOf(object);
  const isApplied = lastRequest?.outcome === 'Succeeded' && lastRequest.time === applied?.time;
  return isApplied && lastRequest.requestId === applied.requestId;
}

/** Whether all of that was sent for the present state: of one generation all requests are alike. */
export function hidesTheSame(object: KubeObject): boolean {
  const generation = generationOf(object);
  return generation === 1 || statusOf(object).applied?.generation === generation;
}

function statusOf({ status }: KubeObject): CommonStatus & { readonly applied?: Applied } {
  return status ?? {};
}
