import { type KubeObject, keyOf } from '../kube/resource.ts';
import { type CommonStatus, generationOf, readyOf } from './common-status.ts';

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
  readonly sent: readonly Request[];
}

export interface UnsettledOptions {
  readonly monotonic: () => number;
  /** How long after it was sent a request may be at work. */
  readonly settlesInMs: number;
}

/**
 * Requests without an answer that may still take effect, after one that was sent later. What another process sent counts from
 * when this one first looked at its object.
 */
export class Unsettled {
  readonly #options: UnsettledOptions;
  readonly #requests = new Map<string, Requests>();

  constructor(options: UnsettledOptions) {
    this.#options = options;
  }

  /** Nobody can tell what a request did that was sent at this time. */
  add(object: KubeObject, hash: string, sentAt: number): void {
    const { uid, sent } = this.#of(object);
    this.#requests.set(keyOf(object), { uid, sent: [...sent, { hash, until: sentAt + this.#options.settlesInMs }] });
  }

  /** What may still take effect, and for how long. */
  of(object: KubeObject): readonly StillAtWork[] {
    const now = this.#options.monotonic();
    return this.#of(object).sent.map(({ hash, until }) => ({ hash, ms: until - now }));
  }

  forget(key: string): void {
    this.#requests.delete(key);
  }

  /** What is not over yet. */
  #of(object: KubeObject): Requests {
    const key = keyOf(object);
    const { uid } = object.metadata;
    const now = this.#options.monotonic();
    const known = this.#requests.get(key);
    const isNew = known?.uid !== uid;
    const theirs =
      isNew && mayHide(object) && !hidesTheSame(object)
        ? [{ hash: undefined, until: now + this.#options.settlesInMs }]
        : [];
    const sent = isNew ? theirs : known.sent.filter(({ until }) => until > now);
    if (isNew || sent.length < known.sent.length) this.#requests.set(key, { uid, sent });
    return { uid, sent };
  }
}

/** Accepted, but not yet said to be applied: what was sent before may come after it. */
export function isSettling(status: CommonStatus | undefined): boolean {
  return readyOf(status)?.reason === 'OutcomeUnknown' && status?.lastRequest?.outcome === 'Succeeded';
}

/** Until when a request for anything else than this may take effect; undefined: none can. */
export function settledAt(atWork: readonly StillAtWork[], hash: string, now: number): number | undefined {
  const others = atWork.filter((request) => request.hash !== hash);
  return others.length === 0 ? undefined : now + Math.max(...others.map(({ ms }) => ms));
}

/**
 * Whether what another process sent may still be at work. A status tells of the last request only, whatever came of the ones before:
 * what came before an applied one has settled. A refusal counts as the last word too, so that who mends what was refused need not wait
 * for Applied: what was lost before it is overlooked.
 */
export function mayHide(object: KubeObject): boolean {
  const { applied, lastRequest } = statusOf(object);
  if (lastRequest?.outcome === 'Rejected') return false;
  const isApplied = lastRequest?.outcome === 'Succeeded' && lastRequest.time === applied?.time;
  return lastRequest !== undefined && !(isApplied && lastRequest.requestId === applied.requestId);
}

/** Whether all of that was sent for the present state: of one generation all requests are alike. */
export function hidesTheSame(object: KubeObject): boolean {
  const generation = generationOf(object);
  return generation === 1 || statusOf(object).applied?.generation === generation;
}

function statusOf({ status }: KubeObject): CommonStatus & { readonly applied?: Applied } {
  return status ?? {};
}
