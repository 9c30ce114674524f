import type { KubeObject } from '../../kube/resource.ts';
import { AT_WORK_AFTER_TIMEOUT_MS, LONGEST_SERVER_WAIT_MS } from '../../waits.ts';
import { type CommonStatus, currentReady, readyOf } from '../status/common-status.ts';
import { isFailure } from '../status/failures.ts';
import { secretNameOf } from '../status/tried-secret.ts';
import { apiHashOf, type ProvableStatus } from '../target/proof.ts';
import { standingOf } from '../target/standing.ts';
import type { HeldFacts } from './open-kind.ts';

/** What decides beside the object itself, as far as it can be seen from outside the operator. */
export interface World {
  /** Normalised base address of the API. */
  readonly baseUrl: string;
  /** The operator runs with `--plan-only`. */
  readonly planOnly: boolean;
  readonly apiTimeoutMs: number;
  readonly cleanupDeadlineMs: number;
  /** Epoch ms. */
  readonly now: number;
  /** Objects of the same kind, as far as they are known; the object itself may be among them. */
  readonly others: readonly KubeObject[];
  /** Objects of every kind, as far as they are known: those with the same key share its pauses. */
  readonly all: readonly KubeObject[];
}

export interface PlannedRequest {
  readonly method: 'GET' | 'PUT' | 'PATCH';
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
}

/** A value that is not known is left out of `from`; one that goes, of `to`. */
export interface PlannedChange {
  readonly field: string;
  readonly from?: string | number | boolean | undefined;
  readonly to?: string | number | boolean | undefined;
}

/** The reply that a forecast is compared with. */
export interface KnownReply {
  /** RFC 3339. */
  readonly time: string;
  readonly requestId?: string;
}

/** What the operator does about an object as soon as it sees it. */
export interface Forecast {
  /**
   * `send`: the requests leave. `nothing`: none is due. `stop`: the spec, another object or a cap
   * keeps the change from being sent; `requests` are those that leave all the same.
   */
  readonly does: 'send' | 'nothing' | 'stop';
  /** Why, as one sentence without its stop. */
  readonly says: string;
  readonly requests: readonly PlannedRequest[];
  /** In Plan mode: what would be sent with `mode: Apply`. */
  readonly withheld?: readonly PlannedRequest[];
  /** What they change, or would change were nothing in the way. */
  readonly changes: readonly PlannedChange[];
  /** The first request only reads; what follows it depends on what that shows. */
  readonly isOpen: boolean;
  readonly known?: KnownReply | undefined;
  /** Epoch ms: not before this; absent: at once. Of `nothing`: when it is sent again by itself. */
  readonly at?: number | undefined;
  /** What the requests may have to wait for first, as one sentence without its stop. */
  readonly waits?: string | undefined;
}

const NOTHING = { requests: [], changes: [], isOpen: false } as const;

export function stopped(says: string, more: Partial<Forecast> = {}): Forecast {
  return { ...NOTHING, ...more, does: 'stop', says };
}

/** What is as it should be, though it may be sent again at a time of its own. */
export function nothingDue(object: KubeObject, at: number | undefined): Forecast {
  const says =
    at === undefined
      ? 'The declared state is the one last confirmed, so nothing is sent'
      : 'The declared state is the one last confirmed; it is sent again by itself';
  return { ...NOTHING, does: 'nothing', says, at, known: knownReply(object) };
}

/**
 * Where a plan does nothing yet. After a failure the same is tried again at its time, so that is
 * what is forecast; else nothing is left to send.
 */
export function atItsTime<T extends KubeObject>(
  object: T,
  at: number | undefined,
  { world, forecast }: { readonly world: World; readonly forecast: Forecaster<T> },
): Forecast {
  const ready = currentReady(object, object.status as CommonStatus | undefined);
  if (at === undefined || at <= world.now || !ready || !isFailure(ready.reason))
    return nothingDue(object, at);
  const then = forecast(object, { ...world, now: at });
  return then.requests.length > 0
    ? { ...then, at, says: `${then.says}; the last attempt failed (${ready.reason})` }
    : then;
}

type Forecaster<T> = (object: T, world: World) => Forecast;

/** Where the last reply with a result came from, by the status. */
export function knownReply({ status }: KubeObject): KnownReply | undefined {
  const { proof, applied, lastRequest } = (status ?? {}) as ProvableStatus & {
    readonly applied?: { readonly time: string; readonly requestId?: string };
  };
  const time = proof?.time ?? applied?.time;
  if (time === undefined) return undefined;
  const of = [lastRequest, applied].find((one) => one?.time === time);
  return { time, ...(of?.requestId !== undefined && { requestId: of.requestId }) };
}

/** The facts of a reconcile, without what only the operator's own process knows. */
export function factsFrom<T extends KubeObject>(
  object: T,
  { baseUrl, planOnly, apiTimeoutMs, others }: World,
  of: {
    readonly targetOf: (object: KubeObject) => string | undefined;
    readonly isValid: (object: T) => boolean;
  },
): { readonly facts: HeldFacts; readonly rivals: readonly T[] } {
  const apiHash = apiHashOf(baseUrl);
  const target = of.targetOf(object);
  // All are of one kind, whose schema has checked them.
  const rivals = (others as readonly T[]).filter(
    (other) => target !== undefined && of.targetOf(other) === target,
  );
  const standing = standingOf(object, {
    secrets: { state: () => ({ state: 'unknown' }) },
    memory: { triedSecret: new Map() },
    targetOf: of.targetOf,
    rivals: () => rivals,
    mayAct: (rival) => !planOnly && of.isValid(rival),
    locks: { remainingMs: () => undefined, atWorkMs: apiTimeoutMs + AT_WORK_AFTER_TIMEOUT_MS },
    // A courtesy begins when it is asked for, so one would never end here.
    contests: { courtesyMs: () => 0, end: () => undefined },
    departed: { of: () => [] },
    unlisted: () => [],
    apiHash,
  });
  const facts: HeldFacts = {
    secret: { state: 'unknown' },
    triedSecret: undefined,
    standing,
    hasUnrecordedWrite: false,
    baseUrl,
    apiHash,
    planOnly,
  };
  return { facts, rivals };
}

/**
 * What the operator alone knows and the statuses only hint at: what a call may have to wait for.
 */
export function waitsFor(
  object: KubeObject,
  world: World,
  rivals: readonly KubeObject[],
): string | undefined {
  const isOther = ({ metadata }: KubeObject): boolean => metadata.uid !== object.metadata.uid;
  const { apiTimeoutMs, now } = world;
  const lastsMs = apiTimeoutMs + AT_WORK_AFTER_TIMEOUT_MS;
  if (rivals.some((rival) => isOther(rival) && mayBeAtWork(rival, now - lastsMs)))
    return 'Another object for the same target has sent a request whose result is not known. This one waits until it is known, or until that request can no longer take effect';
  const secret = secretNameOf(object);
  const sharing = world.all.filter(
    (other) =>
      other.metadata.namespace === object.metadata.namespace && secretNameOf(other) === secret,
  );
  const key = `the key in the Secret ${JSON.stringify(secret)}`;
  if (sharing.some(isRefused))
    return `The API has refused ${key} (HTTP 401). Nothing is sent with it until a trial call succeeds or the Secret changes`;
  if (sharing.some((other) => isPaused(other, now)))
    return `The rate limit of ${key} was reached (HTTP 429). Nothing is sent with it until that pause ends`;
  return undefined;
}

/** By the last request too, which outlasts a conflict that `Ready` shows. */
function isRefused({ status = {} }: KubeObject): boolean {
  const of: CommonStatus = status as CommonStatus;
  return readyOf(of)?.reason === 'Unauthorized' || of.lastRequest?.httpStatus === 401;
}

function isPaused({ status = {} }: KubeObject, now: number): boolean {
  const { lastRequest }: CommonStatus = status as CommonStatus;
  const ageMs = now - Date.parse(lastRequest?.time ?? '');
  return lastRequest?.httpStatus === 429 && ageMs < LONGEST_SERVER_WAIT_MS;
}

/**
 * A write of this object may still take effect. A refusal hides the call before it, which may have
 * been lost.
 */
function mayBeAtWork({ status }: KubeObject, since: number): boolean {
  const { lastRequest, pendingChange } = (status ?? {}) as CommonStatus & {
    readonly pendingChange?: object;
  };
  if (!lastRequest || pendingChange) return pendingChange !== undefined;
  const { outcome, time } = lastRequest;
  return outcome === 'Unknown' || (outcome !== 'Succeeded' && Date.parse(time) > since);
}
