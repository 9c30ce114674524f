import type { Success } from '../../api/verdict.ts';
import type { Event, Result } from '../../controller/kind.ts';
import { reportApplied, withDrift, withHistory } from '../shared/applied.ts';
import type { Answer, NoCall } from '../shared/calls.ts';
import { digestOf, timestamp, wholeSecond } from '../shared/canonical.ts';
import { isReady, lastRequestOf, quoting, saying } from '../shared/common-status.ts';
import {
  adviceWith,
  BY_ITSELF,
  checkIds,
  type FailureReport,
  grantRole,
  reportFailure,
  reportNoCall,
  resultOf,
} from '../shared/failure-report.ts';
import { fitTo } from '../shared/fit.ts';
import type { FieldChange } from '../shared/preview.ts';
import * as changes from './changes.ts';
import { type Comparison, compare, readEcho, reportedOf } from './echo.ts';
import { reportedBy } from './preview.ts';
import { declaredOf, type SettingsRequest, UPDATE_PIPE_SETTINGS } from './remote.ts';
import {
  type PipeSettings,
  type PipeSettingsSpec,
  type PipeSettingsStatus,
  status as schema,
} from './resource.ts';

const ADVICE = adviceWith({
  Rejected: 'Nothing was stored. Change spec.settings to values that the API accepts',
  Forbidden: grantRole('change pipes'),
  NotFound: `${checkIds('organizationId, serviceId and pipeId')}. Not every type of pipe has settings`,
  DependencyNotReady: `Start the service that owns the pipe; the operator does not wake it. ${BY_ITSELF}`,
  OutcomeUnknown: `It is not known whether the settings were applied; sending them again is safe. ${BY_ITSELF}`,
});

/** What was to be sent, and what is known of the API. */
export interface Sent {
  readonly object: PipeSettings;
  readonly spec: PipeSettingsSpec;
  readonly request: SettingsRequest;
  readonly apiHash: string;
  /** So long after it was sent a PUT without an answer may still take effect. */
  readonly settlesInMs: number;
  readonly now: number;
}

/** Turns the answer to the PUT into the whole status, the events and the next reconcile. */
export function report(sent: Sent, answer: NoCall | Answer): Result {
  if (answer.type === 'success') return reportReply(sent, answer);
  const { object, request, now } = sent;
  // What the status shows holds without this call; the limiter wakes the object when the key works.
  const isHeld = object.status?.applied?.requestHash === request.hash && isSettled(object);
  if (answer.type === 'key-refused' && isReady(object) && isHeld)
    return { next: 'on-change', did: answer.type };
  const operation = UPDATE_PIPE_SETTINGS;
  const failure = reportNoCall({ object, answer, operation, advice: (of) => ADVICE[of], now });
  const result = resultOf(object, failure, 'verdict' in answer ? 'put' : answer.type, answer);
  if (answer.type !== 'failure' || answer.verdict.outcome !== 'Unknown') return result;
  const unconfirmedWrite = lostWrite(sent, answer.sentAt ?? now);
  return { ...result, status: { ...result.status, unconfirmedWrite } };
}

/** Nothing was tried in vain since the last confirmation, and no earlier request may still land. */
export function isSettled({ status }: PipeSettings): boolean {
  const { applied, lastRequest, differences, unconfirmedWrite } = status ?? {};
  const isLast = lastRequest?.outcome === 'Succeeded' && lastRequest.time === applied?.time;
  return isLast && differences === undefined && unconfirmedWrite === undefined;
}

type LostWrite = NonNullable<PipeSettingsStatus['unconfirmedWrite']>;

/** An earlier request with other values that may still take effect after this one. */
function openWrite({ object, request, settlesInMs }: Sent, sentAt: number): LostWrite | undefined {
  const before = object.status?.unconfirmedWrite;
  if (before === undefined || before.requestHash === request.hash) return undefined;
  return sentAt < Date.parse(before.time) + settlesInMs ? before : undefined;
}

/** Where an earlier one may still land too, no later request has its hash. */
function lostWrite(sent: Sent, sentAt: number): LostWrite {
  const { hash } = sent.request;
  const other = openWrite(sent, sentAt)?.requestHash;
  return { time: timestamp(sentAt), requestHash: other ? digestOf(other, hash) : hash };
}

/** HTTP 200 with a result, and what it says about what was declared. */
interface Replied extends Sent, Comparison {
  readonly verdict: Success;
  /** What this request has changed. */
  readonly changed: readonly FieldChange[];
}

/** What the reply says about the declared set decides whether it is confirmed. */
function reportReply(sent: Sent, answer: Extract<Answer, { type: 'success' }>): Result {
  const { object, spec, apiHash, now } = sent;
  const { verdict, sentAt } = answer;
  const previous = object.status ?? {};
  const declared = declaredOf(spec);
  // As it will be read from the status, or a value that is cut there would change each time.
  const echo = fitTo(schema, readEcho(verdict.result));
  const before = reportedBy(previous, spec, apiHash);
  const replies = { declared, before, after: reportedOf(declared, echo ?? {}) };
  const isSame = previous.applied?.requestHash === sent.request.hash;
  const changed = changes.confirmedChanges(replies, isSame);
  const drift = isOpen(object) ? [] : changes.driftBetween(replies, previous.applied?.keys ?? []);
  const compared = compare(declared, verdict.result);
  const { differences, notReported } = compared;
  const lost = openWrite(sent, sentAt);
  const replied: Replied = { ...sent, ...compared, verdict, changed };
  const isAsDeclared = differences.length === 0;
  const asDeclared = lost ? accepted(replied, lost) : applied(replied);
  const ending = isAsDeclared ? asDeclared : notConfirmed(replied);
  const { requestId } = verdict;
  const status = {
    ...ending.status,
    lastRequest: lastRequestOf(UPDATE_PIPE_SETTINGS, verdict, now),
    verified: { time: timestamp(now), apiHash },
    settings: filled(echo?.settings),
    otherSettings: filled(echo?.otherSettings),
    differences: filled(differences),
    notReported: filled(notReported),
    drift: withDrift(previous.drift, drift, now),
    history: withHistory(previous.history, isAsDeclared ? changed : [], { object, requestId, now }),
    unconfirmedWrite: lost,
  };
  const events = [...driftEvents(drift), ...ending.events];
  const result = resultOf(object, { ...ending, status, events }, 'put', answer);
  return { ...result, counts: { drift: drift.length } };
}

/** Undefined for what is empty. */
function filled<T extends object>(value: T | undefined): T | undefined {
  return value && Object.keys(value).length > 0 ? value : undefined;
}

/** Whether a request of ours may have changed something since the last reply. */
function isOpen({ status = {}, metadata: { generation } }: PipeSettings): boolean {
  // What an earlier generation declared may have come about late.
  const isLate = status.differences !== undefined && status.observedGeneration !== generation;
  return status.unconfirmedWrite !== undefined || isLate;
}

function notConfirmed({ object, verdict, differences, now }: Replied): FailureReport {
  const message = `The API accepted the settings but reports other values: ${changes.describeDifferences(differences)}${quoting(verdict.requestId)}. They are sent again a few times, then every 6 hours; if this stays so, declare the values that the API keeps`;
  return reportFailure({ object, reason: 'NotConfirmed', message, now });
}

/** An earlier request may take effect after this one, so it is sent once more when none can. */
function accepted(replied: Replied, lost: LostWrite): FailureReport {
  const { object, settlesInMs, now } = replied;
  const message = `${acceptedText(replied)}. An earlier request with other values may still take effect, so the declared values are sent once more at status.nextAttemptTime`;
  const nextAttempt = wholeSecond(Date.parse(lost.time) + settlesInMs);
  const summary = { ready: 'False', progress: 'Reconciling', reason: 'OutcomeUnknown' } as const;
  return { ...saying(object, { summary: { ...summary, message }, now, nextAttempt }), events: [] };
}

function applied(replied: Replied): FailureReport {
  const { object, spec, request, verdict, changed, notReported, now } = replied;
  const { keys, hash: requestHash } = request;
  const { requestId, result } = verdict;
  const which = keys.length === 1 ? 'it' : `${notReported.length} of them`;
  const omitted = `; the response omitted ${which}, see status.notReported`;
  const message = acceptedText(replied, notReported.length === 0 ? '' : omitted);
  const sent = { object, spec, message, requestId, requestHash, keys, now };
  return reportApplied({
    ...sent,
    changed: changed.length === 0 ? undefined : changes.describeChanges(changed),
    reported: (key) => changes.shown(result[key] ?? 'not reported'),
  });
}

function acceptedText({ request: { keys }, verdict }: Replied, more = ''): string {
  const what = keys.length === 1 ? 'the declared setting' : `all ${keys.length} declared settings`;
  return `The API accepted ${what}${more}${quoting(verdict.requestId)}`;
}

function driftEvents(drift: readonly FieldChange[]): Event[] {
  if (drift.length === 0) return [];
  const note = `Settings that are not declared changed at the API since the last response: ${changes.describeChanges(drift)}`;
  return [{ type: 'Warning', reason: 'DriftDetected', note }];
}
