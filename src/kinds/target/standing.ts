import type { KubeObject } from '../../kube/resource.ts';
import { COURTESY_MS } from '../../waits.ts';
import { currentReady, generationOf, isReady } from '../status/common-status.ts';
import { isNewSecret, secretChanged } from '../status/due.ts';
import { type SecretFacts, type SecretSources, secretFactsOf } from '../status/tried-secret.ts';
import { showsConflict } from './conflict-report.ts';
import type { Departed } from './departed.ts';
import type { Locks } from './locks.ts';
import { isIdle, isProven, type ProvableStatus } from './proof.ts';
import { type Calls, type Claim, judgeTarget, type Standing } from './target.ts';

export interface StandingSources<T extends KubeObject> extends SecretSources {
  readonly targetOf: (object: T) => string | undefined;
  readonly rivals: (object: T) => readonly T[];
  readonly mayAct: (object: T) => boolean;
  readonly locks: Pick<Locks, 'remainingMs' | 'atWorkMs'>;
  readonly contests: Pick<Contests, 'courtesyMs' | 'end'>;
  readonly departed: Pick<Departed, 'of'>;
  /** Configured namespaces that nobody has listed yet. */
  readonly unlisted: () => readonly string[];
  readonly apiHash: string;
}

/** Gathers what `judgeTarget` needs for this object. */
export function standingOf<T extends KubeObject>(object: T, from: StandingSources<T>): Standing {
  const { uid } = object.metadata;
  const target = from.targetOf(object);
  const rivals = from.rivals(object).filter(({ metadata }) => metadata.uid !== uid);
  const claim = (one: T): Claim =>
    claimOf(one, {
      apiHash: from.apiHash,
      // Whoever is alone has nobody to go before, so what it may is not asked.
      mayAct: rivals.length === 0 || from.mayAct(one),
      ...secretFactsOf(one, from),
    });
  const own = claim(object);
  const others = rivals.map(claim);
  const isContest = others.length > 0 && ![own, ...others].some(({ proven }) => proven);
  if (!isContest) from.contests.end(target);
  return {
    own,
    others,
    waits: showsConflict(object),
    unlisted: from.unlisted().length > 0,
    atWorkMs: from.locks.atWorkMs,
    departed: target === undefined ? undefined : from.departed.of(target, uid),
    unsettledMs: target === undefined ? undefined : from.locks.remainingMs(target, uid),
    courtesyMs: isContest && target !== undefined ? from.contests.courtesyMs(target) : 0,
  };
}

/**
 * Asked right before its call leaves: while its Secret was read or it stood in line, another one
 * may have come to hold the target.
 */
export function stillHolds<T extends KubeObject>(
  object: T | undefined,
  from: StandingSources<T>,
  now: number,
): boolean {
  return object !== undefined && judgeTarget(standingOf(object, from), now).holds;
}

/**
 * Whether an object that waits for its turn shows no conflict: what was confirmed for this
 * generation stays so until it is sent again, and one whose key was refused waits by that.
 */
export function waitsSilently(object: KubeObject, { own }: Pick<Standing, 'own'>): boolean {
  return own.refused || isReady(object);
}

/** What is known about one of several objects for one target besides itself. */
export interface ClaimFacts extends SecretFacts {
  readonly apiHash: string;
  /**
   * Its stored spec can be read, and the operator does more than plan; true where nobody asks,
   * since there is no other object for the target.
   */
  readonly mayAct: boolean;
}

const REFUSALS = new Set([401, 403, 404, 410]);

export function claimOf(object: KubeObject, facts: ClaimFacts): Claim {
  const { uid, namespace, name, deletionTimestamp } = object.metadata;
  const status = object.status as ProvableStatus | undefined;
  return {
    uid,
    namespace,
    name,
    proven: isProven(status, facts.apiHash),
    able:
      facts.mayAct &&
      !isIdle(object) &&
      deletionTimestamp === undefined &&
      hasSecret(object, facts),
    refused: isRefused(object, facts),
    answered: status?.lastRequest?.httpStatus !== undefined,
    ...callsOf(object),
  };
}

export function callsOf({ metadata, status }: KubeObject): Calls {
  const { applied, proof, lastRequest } = (status ?? {}) as ProvableStatus;
  return {
    created: metadata.creationTimestamp,
    appliedAt: timeOf(applied),
    provenAt: timeOf(proof),
    unknownAt: lastRequest?.outcome === 'Unknown' ? timeOf(lastRequest) : undefined,
    calledAt: timeOf(lastRequest),
  };
}

/** Not known to be without a usable Secret. */
function hasSecret(object: KubeObject, facts: ClaimFacts): boolean {
  const { state } = facts.secret;
  if (state === 'absent' || state === 'forbidden') return false;
  const isMissing = currentReady(object, object.status ?? {})?.reason.startsWith('Secret');
  return !isMissing || secretChanged(object, facts);
}

/**
 * By the last request, which outlasts a conflict that `Ready` shows; or because its key was refused
 * for another object.
 */
function isRefused(object: KubeObject, facts: ClaimFacts): boolean {
  const status: ProvableStatus = object.status ?? {};
  if (currentReady(object, status)?.reason === 'Unauthorized') return !secretChanged(object, facts);
  const { lastRequest, observedGeneration } = status;
  if (!REFUSALS.has(lastRequest?.httpStatus ?? 0) || observedGeneration !== generationOf(object))
    return false;
  const { secret, triedSecret } = facts;
  return !isNewSecret(secret, { triedSecret, triedAt: Date.parse(lastRequest?.time ?? '') });
}

function timeOf(record: { readonly time: string } | undefined): number | undefined {
  return record && Date.parse(record.time);
}

/** Since when this process has seen several objects for one target of which none is proven. */
export class Contests {
  readonly #since = new Map<string, number>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** What is left of the younger's courtesy; it begins when this is asked for the first time. */
  courtesyMs(target: string): number {
    const now = this.#monotonic();
    const since = this.#since.get(target) ?? now;
    this.#since.set(target, since);
    return Math.max(0, Math.ceil(since + COURTESY_MS - now));
  }

  /** One of them is proven, or only one is left. */
  end(target: string | undefined): void {
    if (target !== undefined) this.#since.delete(target);
  }
}
