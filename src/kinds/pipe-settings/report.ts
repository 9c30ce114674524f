import type { Result } from '../../controller/kind.ts';
import { adviceWith, BY_ITSELF, checkIds, grantRole } from '../shared/advice.ts';
import type { Answer } from '../shared/calls.ts';
import { digestOf, timestamp } from '../shared/canonical.ts';
import { isReady } from '../shared/common-status.ts';
import { type FailedAnswer, reportNoCall, resultOf } from '../shared/failure-report.ts';
import { type LostWrite, reportReply, type Send, type Sent } from './confirmed.ts';
import { isConfirmed } from './decide.ts';
import { UPDATE_PIPE_SETTINGS } from './remote.ts';
import type { PipeSettings, PipeSettingsStatus } from './resource.ts';

const ADVICE = adviceWith({
  Rejected: 'Nothing was stored. Change spec.settings to values that the API accepts',
  Forbidden: grantRole('change pipes'),
  NotFound: `${checkIds('organizationId, serviceId and pipeId')}. Not every type of pipe has settings`,
  DependencyNotReady: `Start the service that owns the pipe; the operator does not wake it. ${BY_ITSELF}`,
  Unavailable: `Nothing was sent. ${BY_ITSELF}`,
  OutcomeUnknown: `It is not known whether the settings were applied; sending them again is safe. ${BY_ITSELF}`,
});

/** Turns the answer to the PUT into the whole status, the events and the next reconcile. */
export function report(object: PipeSettings, sent: Sent, answer: Answer): Result {
  if (answer.type === 'success') return reportReply(object, sent, answer);
  const result = reportUnsent(object, sent, answer, sent.now);
  if (answer.type !== 'failure' || answer.verdict.outcome !== 'Unknown') return result;
  const unconfirmedWrite = lostWrite(object.status, sent, answer.sentAt ?? sent.now);
  return { ...result, status: { ...result.status, unconfirmedWrite } };
}

/** Reports a PUT that failed, or was not sent. */
export function reportUnsent(
  object: PipeSettings,
  { spec, request }: Send,
  answer: FailedAnswer,
  now: number,
): Result {
  // What the status shows holds without this call; the limiter wakes the object when the key works.
  if (answer.type === 'key-refused' && isReady(object) && isConfirmed(object, request))
    return { next: 'on-change', did: answer.type };
  const failure = reportNoCall({
    object,
    previous: object.status,
    answer,
    operation: UPDATE_PIPE_SETTINGS,
    secretName: spec.credentialsSecretRef.name,
    advice: (reason) => ADVICE[reason],
    now,
  });
  return resultOf(object, failure, 'verdict' in answer ? 'put' : answer.type, answer);
}

/** Where an earlier one for something else may still land too, no later request has its hash. */
function lostWrite(
  status: PipeSettingsStatus | undefined,
  { request: { hash }, settlesInMs }: Sent,
  sentAt: number,
): LostWrite {
  const before = status?.unconfirmedWrite;
  const isOpen = before !== undefined && Date.parse(before.time) + settlesInMs > sentAt;
  const requestHash =
    isOpen && before.requestHash !== hash ? digestOf(before.requestHash, hash) : hash;
  return { time: timestamp(sentAt), requestHash };
}
