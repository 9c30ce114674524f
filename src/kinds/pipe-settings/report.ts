import type { Report } from '../../controller/kind.ts';
import { adviceWith, BY_ITSELF, checkIds, grantRole } from '../engine/advice.ts';
import { reportCommon, reportFailedCall } from '../engine/report.ts';
import { isReady } from '../status/common-status.ts';
import { reportResult } from './confirmed.ts';
import { isConfirmed, type PipeSettingsDone } from './plan.ts';
import { UPDATE_PIPE_SETTINGS } from './remote.ts';
import type { PipeSettings } from './resource.ts';

const ADVICE = adviceWith({
  Rejected: 'Nothing was stored. Change spec.settings to values that the API accepts',
  Forbidden: grantRole('change pipes'),
  NotFound: `${checkIds('organizationId, serviceId and pipeId')}. Not every type of pipe has settings`,
  DependencyNotReady: `Start the service that owns the pipe; the operator does not wake it. ${BY_ITSELF}`,
  Unavailable: `Nothing was sent. ${BY_ITSELF}`,
  OutcomeUnknown: `It is not known whether the settings were applied; sending them again is safe. ${BY_ITSELF}`,
});

/** Turns a plan that was carried out into the whole status, the events and the next reconcile. */
export function report(object: PipeSettings, done: PipeSettingsDone, now: number): Report {
  if (done.do !== 'call') return reportCommon(object, done, now);
  const { came, spec, request } = done;
  if (came.got === 'success') return reportResult({ object, plan: done, ...came, now });
  return reportFailedCall({
    object,
    previous: object.status,
    attempt: came,
    operation: UPDATE_PIPE_SETTINGS,
    secretName: spec.credentialsSecretRef.name,
    advice: (reason) => ADVICE[reason],
    now,
    did: 'put',
    staysReady: isReady(object) && isConfirmed(object, request),
  });
}
