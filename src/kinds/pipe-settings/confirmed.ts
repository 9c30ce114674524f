import { plainLine } from '../../api/reply/text.ts';
import type { Success } from '../../api/reply/verdict.ts';
import type { Event, Result } from '../../controller/kind.ts';
import { reportApplied } from '../shared/applied.ts';
import type { Answer } from '../shared/calls.ts';
import { canonicalJson, timestamp, wholeSecond } from '../shared/canonical.ts';
import { withDrift, withHistory } from '../shared/changes.ts';
import {
  commonStatus,
  generationOf,
  lastRequestOf,
  quoting,
  readyOf,
  statusWith,
} from '../shared/common-status.ts';
import { reportFailure } from '../shared/failure-report.ts';
import * as changes from './changes.ts';
import { compare, type Declared, readEcho, reportedOf } from './echo.ts';
import { reportedBy } from './preview.ts';
import { declaredOf, type SettingsRequest, UPDATE_PIPE_SETTINGS } from './remote.ts';
import type { PipeSettings, PipeSettingsSpec, PipeSettingsStatus } from './resource.ts';

/** What is declared, as it is sent. */
export interface Send {
  readonly spec: PipeSettingsSpec;
  readonly request: SettingsRequest;
}

/** What was sent, and what is known of the API. */
export interface Sent extends Send {
  readonly apiHash: string;
  /** So long after it was sent a PUT without an answer may still take effect. */
  readonly settlesInMs: number;
  readonly now: number;
}

export type LostWrite = NonNullable<PipeSettingsStatus['unconfirmedWrite']>;

/** HTTP 200 with a result, and the request that it answers. */
interface Replied extends Sent {
  readonly object: PipeSettings;
  readonly verdict: Success;
  readonly declared: Declared;
  /** What this request has changed. */
  readonly changed: readonly changes.Change[];
}

type Ending = Pick<Result, 'next'> & {
  readonly status: Partial<PipeSettingsStatus>;
  readonly events: readonly Event[];
};

/** What may still land after this request, which was answered with 200. */
function stillLost(
  status: PipeSettingsStatus | undefined,
  { request, settlesInMs }: Sent,
  sentAt: number,
): LostWrite | undefined {
  const before = status?.unconfirmedWrite;
  if (before === undefined || before.requestHash === request.hash) return undefined;
  return sentAt >= Date.parse(before.time) + settlesInMs ? undefined : before;
}

/** What the reply says about the declared set decides whether it is confirmed. */
export function reportReply(
  object: PipeSettings,
  sent: Sent,
  { verdict, sentAt }: Extract<Answer, { type: 'success' }>,
): Result {
  const previous = object.status;
  const { spec, apiHash, now } = sent;
  const declared = declaredOf(spec);
  const before = reportedBy(object, spec, apiHash);
  const echo = readEcho(verdict.result);
  const after = reportedOf(declared, echo);
  const comparison = compare(declared, verdict.result);
  const drift = driftSince(object, { declared, before, after });
  const sameRequest = previous?.applied?.requestHash === sent.request.hash || isAccepted(previous);
  const changed = changes.confirmedChanges({ declared, before, after, sameRequest });
  const replied: Replied = { ...sent, object, verdict, declared, changed };
  const lost = stillLost(previous, sent, sentAt);
  const { differences, notReported } = comparison;
  const { status, next, events } =
    differences.length > 0
      ? notConfirmed(replied, differences)
      : lost
        ? accepted(replied, lost)
        : applied(replied, notReported.length);
  const shown = {
    ...previous,
    verified: { time: timestamp(now), apiHash },
    settings: filled(echo.settings),
    otherSettings: filled(echo.otherSettings),
    differences: filled(differences),
    notReported: filled(notReported),
    drift: withDrift(previous?.drift, drift, now),
    unconfirmedWrite: lost,
  };
  return {
    status: statusWith<PipeSettingsStatus>(shown, status),
    next,
    events: [...driftEvents(drift), ...events],
    did: 'put',
    facts: {
      httpStatus: verdict.httpStatus,
      requestId: verdict.requestId,
      reason: readyOf(status)?.reason,
    },
    counts: { drift: drift.length },
  };
}

/** Undefined for what is empty. */
function filled<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

/** What others have changed; none where a request of ours may have, of which nobody knows. */
function driftSince(
  object: PipeSettings,
  values: { declared: Declared; before: Declared | undefined; after: Declared },
): readonly changes.Change[] {
  const { applied, lastRequest, differences, observedGeneration, unconfirmedWrite } =
    object.status ?? {};
  const isLastConfirmed = applied && lastRequest?.outcome === 'Succeeded' && !differences;
  // A request of a generation in between may have declared anything.
  const isKnown =
    isLastConfirmed || [applied?.generation, generationOf(object)].includes(observedGeneration);
  if (unconfirmedWrite || !isKnown) return [];
  return changes.driftBetween({ ...values, declaredBefore: applied?.keys ?? [] });
}

/** Accepted, but not yet said to be applied. */
function isAccepted(status: PipeSettingsStatus | undefined): boolean {
  return status?.unconfirmedWrite !== undefined && status.lastRequest?.outcome === 'Succeeded';
}

function notConfirmed(
  { object, verdict, now }: Replied,
  differences: NonNullable<PipeSettingsStatus['differences']>,
): Ending {
  const message = `The API accepted the settings but reports other values: ${changes.describeDifferences(differences)}${quoting(verdict.requestId)}. They are sent again a few times, then every 6 hours; if this stays so, declare the values that the API keeps`;
  const { status = {}, ...rest } = reportFailure({
    object,
    previous: object.status,
    reason: 'NotConfirmed',
    message,
    now,
    verdict,
    operation: UPDATE_PIPE_SETTINGS,
  });
  return { status, ...rest };
}

/** An earlier request may take effect after this one, so it is sent once more when none can. */
function accepted(replied: Replied, lost: LostWrite): Ending {
  const { object, verdict, now, settlesInMs } = replied;
  const message = `The API accepted ${declaredText(replied)}${quoting(verdict.requestId)}. An earlier request with other values may still take effect, so the declared values are sent once more at status.nextAttemptTime`;
  const nextAttempt = wholeSecond(Date.parse(lost.time) + settlesInMs);
  const common = commonStatus(object, object.status, {
    summary: { ready: 'False', progress: 'Reconciling', reason: 'OutcomeUnknown', message },
    now,
    nextAttempt,
    lastRequest: lastRequestOf(UPDATE_PIPE_SETTINGS, verdict, now),
    acknowledge: true,
  });
  const status = { ...common, history: historyWith(replied) };
  return { status, next: { at: nextAttempt }, events: [] };
}

function applied(replied: Replied, silent: number): Ending {
  const { object, spec, request, verdict, changed, now } = replied;
  const { requestId, result } = verdict;
  const { keys, hash: requestHash } = request;
  const which = keys.length === 1 ? 'it' : `${silent} of them`;
  const omitted = silent === 0 ? '' : `; the response omitted ${which}, see status.notReported`;
  const { status, next, events } = reportApplied({
    message: `The API accepted ${declaredText(replied)}${omitted}${quoting(requestId)}`,
    changed: changed.length === 0 ? undefined : changes.describeChanges(changed),
    reported: (key) => shownText(result[key] === undefined ? 'not reported' : result[key]),
    ...{ object, spec, requestId, requestHash, keys, now },
  });
  const lastRequest = lastRequestOf(UPDATE_PIPE_SETTINGS, verdict, now);
  return { status: { ...status, lastRequest, history: historyWith(replied) }, next, events };
}

function shownText(value: unknown): string {
  return plainLine(typeof value === 'string' ? value : canonicalJson(value), 64, (one) => one);
}

function declaredText({ request: { keys } }: Sent): string {
  return keys.length === 1 ? 'the declared setting' : `all ${keys.length} declared settings`;
}

function historyWith({ object, verdict, now, changed }: Replied) {
  const { requestId } = verdict;
  return withHistory(object.status?.history, changed, { object, requestId, now });
}

function driftEvents(drift: readonly changes.Change[]): Event[] {
  if (drift.length === 0) return [];
  const note = `Settings that are not declared changed at the API since the last response: ${changes.describeChanges(drift)}`;
  return [{ type: 'Warning', reason: 'DriftDetected', note }];
}
