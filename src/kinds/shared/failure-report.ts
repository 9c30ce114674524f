import type { FailureClass } from '../../api/verdict.ts';
import type { Event, Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { CALLED_OFF_MS, type FailureRule, NEW_OBJECT_MS } from '../../waits.ts';
import type { LastRequest } from '../schema/status-fields.ts';
import type { Answer, NoCall } from './calls.ts';
import { wholeSecond } from './canonical.ts';
import {
  type CommonStatus,
  countAttempts,
  currentReady,
  lastRequestOf,
  quoting,
  readyOf,
  saying,
  secretRefOf,
  statusWith,
  withoutStop,
} from './common-status.ts';
import { type FailureReason, longestWait, nextWait, sameCause, sideOf } from './failures.ts';

/** A report on something that did not work; the kind adds its own fields to the status. */
export interface FailureReport {
  /** Absent: what stands in the status is right as it is. */
  readonly status?: CommonStatus;
  readonly next: Result['next'];
  readonly events: readonly Event[];
}

/** What a kind says about a failure in place of the table. */
export interface Adjustment {
  /** The kind's own row. */
  readonly rule?: FailureRule | undefined;
  readonly side?: 'Reconciling' | 'Stalled' | undefined;
  /** Epoch ms: the next attempt is then at the latest, whatever class or API would wait. */
  readonly notAfter?: number | undefined;
}

export interface FailureToReport extends Adjustment {
  readonly object: KubeObject;
  readonly reason: FailureReason;
  readonly message: string;
  readonly now: number;
  /** Where a call was made. */
  readonly lastRequest?: LastRequest | undefined;
  /** Not before this long from now, as far as the class allows. */
  readonly atLeastMs?: number | undefined;
  /** Somebody wakes it; it has no next attempt but where `notAfter` says so. */
  readonly isUntimed?: boolean;
}

/** The failure table as a status: reason, side, attempts, next attempt. */
export function reportFailure(failure: FailureToReport): FailureReport {
  const { object, reason, message, now, rule, lastRequest } = failure;
  const attempts = countAttempts(object, reason);
  const own = nextWait(reason, attempts, object.metadata.uid, rule);
  const wait = Math.min(Math.max(own, failure.atLeastMs ?? 0), longestWait(reason));
  const { notAfter: latest = failure.isUntimed ? undefined : now + wait } = failure;
  const nextAttempt = latest && wholeSecond(Math.min(now + wait, latest));
  const progress = failure.side ?? rule?.side ?? sideOf(reason, attempts);
  const summary = { ready: 'False', progress, reason, message } as const;
  const said = saying(object, { summary, now, attempts, nextAttempt, lastRequest });
  const event = { type: 'Warning', reason, note: message } as const;
  return { ...said, events: isNews(failure, attempts, progress) ? [event] : [] };
}

/** Warns once per cause, not per attempt. */
function isNews({ object, reason }: FailureToReport, attempts: number, progress: string): boolean {
  const before = currentReady(object)?.reason;
  // It failed for this before, and the status has shown its wait in between.
  if (before === 'Pending') return attempts === 1;
  const { conditions = [] }: CommonStatus = object.status ?? {};
  return !sameCause(before, reason) || conditions.every(({ type }) => type !== progress);
}

/** What a user can do about a failed call, per class. `%s` stands for the name of its Secret. */
export type Advice = Readonly<Record<FailureClass, string>>;

export const BY_ITSELF = 'The operator tries again by itself';

const SHARED = {
  Unauthorized:
    'Put a valid, enabled API key in the Secret %s; the operator tries again as soon as the Secret changes',
  Conflict: BY_ITSELF,
  RateLimited: `Calls with this key are paused for all objects that use it. ${BY_ITSELF}`,
  Unavailable: `This request changed nothing. ${BY_ITSELF}, within 6 minutes. If the platform has no outage, check the network, the proxy and --api-url`,
  UnexpectedResponse: 'Check that --api-url is the management API and not a proxy or a web page',
} as const satisfies Partial<Advice>;

/** A kind says only what is its own. */
export function adviceWith(own: Omit<Advice, keyof typeof SHARED>): Advice {
  return { ...SHARED, ...own };
}

/** About HTTP 403; `may` as in "change pipes". */
export function grantRole(may: string): string {
  return `Give the API key a role that may ${may}, or add the operator’s address to the key’s allow-list`;
}

/** About HTTP 404; `ids` are the fields of spec. */
export function checkIds(ids: string): string {
  return `Check ${ids}, that the key belongs to this organization, and that --api-url is right`;
}

/** Every end of a call but success, and no call at all. */
export type FailedAnswer = NoCall | Exclude<Answer, { type: 'success' }>;

export interface FailedAttempt {
  readonly object: KubeObject;
  readonly answer: FailedAnswer;
  readonly operation: string;
  /** What the user of this kind can do about a class. */
  readonly advice: (failure: FailureClass) => string;
  readonly adjust?: (reason: FailureReason) => Adjustment;
  readonly now: number;
}

/** Reports every end of an attempt but success. */
export function reportNoCall(options: FailedAttempt): FailureReport {
  const { object, answer, operation, now } = options;
  switch (answer.type) {
    case 'target-busy':
      return { next: 'on-change', events: [] };
    case 'not-wanted':
    case 'called-off':
      return { next: { at: now + CALLED_OFF_MS }, events: [] };
    case 'key-refused':
      return reportKeyRefused(options);
    case 'no-credential': {
      const { reason, message } = answer.problem;
      const young = reason === 'SecretNotFound' ? whileYoung(object, now) : {};
      return reportFailure({ object, now, reason, message, ...young, ...options.adjust?.(reason) });
    }
    case 'failure': {
      const { verdict, pausedMs = 0, doubt } = answer;
      const reason = verdict.failure;
      const todo = options.advice(reason).replace('%s', `"${secretRefOf(object)?.name}"`);
      const advice = [...(doubt === undefined ? [] : [doubt]), todo].join('. ');
      // The limiter alone decides who tries a refused key, and when; 0: it is not this object.
      const isRefused = reason === 'Unauthorized';
      const notAfter = isRefused && pausedMs > 0 ? now + pausedMs : undefined;
      const what = `${withoutStop(verdict.message)}${quoting(verdict.requestId)}`;
      return reportFailure({
        object,
        now,
        reason,
        message: `${what}. ${advice}`,
        lastRequest: lastRequestOf(operation, verdict, now),
        atLeastMs: Math.max(verdict.retryAfterMs ?? 0, pausedMs),
        side: verdict.redirect ? 'Stalled' : undefined,
        notAfter,
        isUntimed: isRefused && pausedMs === 0,
        ...options.adjust?.(reason),
      });
    }
  }
}

/** Who applies everything at once may have the Secret applied last. */
function whileYoung({ metadata }: KubeObject, now: number): Adjustment {
  const notAfter = Date.parse(metadata.creationTimestamp) + NEW_OBJECT_MS;
  return now < notAfter ? { side: 'Reconciling', notAfter } : { side: 'Stalled' };
}

/**
 * One write at most: an object that shows Unauthorized already keeps its message and its last
 * request. It has no time of its own: the limiter wakes it.
 */
function reportKeyRefused({ object, adjust, now }: FailedAttempt): FailureReport {
  const { notAfter = 0 } = adjust?.('Unauthorized') ?? {};
  const nextAttempt = notAfter > now ? wholeSecond(notAfter) : undefined;
  const secret = secretRefOf(object)?.name;
  const message = `The API refused the key in the Secret "${secret}" (HTTP 401). Only trial calls are made with it until one succeeds or the Secret changes. Put a valid key in the Secret`;
  const summary = { ready: 'False', progress: 'Stalled', reason: 'Unauthorized', message } as const;
  const said = saying(object, { summary, now, nextAttempt, isRequestOpen: true });
  const isShown = currentReady(object)?.reason === 'Unauthorized';
  return isShown ? { next: said.next, events: [] } : { ...said, events: [] };
}

/**
 * The result of a report, on top of what the status says besides. Code and id are those of a call
 * that this reconcile made, where it made one.
 */
export function resultOf(
  object: KubeObject,
  { status, next, events }: FailureReport,
  did: string,
  answer?: FailedAnswer | Answer,
): Result {
  if (!status) return { next, events, did };
  const { httpStatus, requestId } = answer && 'verdict' in answer ? answer.verdict : {};
  return {
    next,
    events,
    did,
    status: statusWith<CommonStatus>(object.status ?? {}, status),
    facts: { reason: readyOf(status)?.reason, httpStatus, requestId },
  };
}
