import type { HeldFacts } from '../engine/open-kind.ts';
import { type CommonPlan, type Done, readSpec, suspended } from '../engine/plan.ts';
import { generationOf } from '../status/common-status.ts';
import { type Due, reassertMsOf, whenDue } from '../status/due.ts';
import { isProven } from '../target/proof.ts';
import { waitsSilently } from '../target/standing.ts';
import { isSuperseded, judgeTarget } from '../target/target.ts';
import { endsApplied, isSettling, type StillAtWork, settledAt } from '../target/unsettled.ts';
import { previewOf } from './preview.ts';
import { type SettingsRequest, settingsRequest } from './remote.ts';
import { type PipeSettings, type PipeSettingsSpec, parseSpec } from './resource.ts';

/** What a reconcile knows besides the object itself. */
export interface Facts extends HeldFacts {
  /** Its requests that may still take effect although they were not answered. */
  readonly atWork: readonly StillAtWork[];
}

/** Everything the operator can do about a PipeSettings object. */
export type Plan =
  | CommonPlan
  /** Sends the declared settings. */
  | (Extract<Due, { do: 'call' }> & {
      readonly spec: PipeSettingsSpec;
      readonly request: SettingsRequest;
      readonly apiHash: string;
      /**
       * Epoch ms: until then an earlier request for something else may take effect, after this one.
       */
      readonly settledAt?: number;
    });

export type PipeSettingsDone = Done<Plan>;

/**
 * Decides. The order is the order of precedence: a spec that cannot be read, suspend, another
 * object's pipe, Plan, time.
 */
export function plan(object: PipeSettings, facts: Facts, now: number): Plan {
  const read = readSpec(object, parseSpec);
  if ('do' in read) return read;
  const { spec } = read;
  const { apiHash, baseUrl, standing, planOnly } = facts;
  const request = settingsRequest(baseUrl, spec);
  const isLast = !isSuperseded(standing, now);
  const isConfirmedLast = isConfirmed(object, request) && isLast && !facts.hasUnrecordedWrite;
  if (spec.suspend) return suspendedWhere(isConfirmedLast);
  const verdict = judgeTarget(standing, now);
  const contested = {
    kind: 'PipeSettings',
    what: 'the pipe',
    find: `kubectl get pipesettings.pipewright.dev -A --field-selector spec.pipeId=${spec.pipeId}`,
  };
  if (!verdict.holds) return { do: 'yield', to: verdict, contested };
  if (spec.mode === 'Plan' || planOnly) {
    const reported = reportedBy(object.status, apiHash);
    const isKnown = isLast && !facts.hasUnrecordedWrite;
    return previewOf(object, { spec, request, reported, isLast: isKnown, planOnly });
  }
  const { turn, againAt } = verdict;
  const isSent = object.status?.applied?.generation === generationOf(object);
  const due = whenDue(object, facts, {
    confirmed: isConfirmedLast && isSent,
    reassertMs: reassertMsOf(spec),
    now,
  });
  if (due.do === 'reschedule') return due;
  if (due.do === 'nothing') {
    const times = [due.at, isLast ? againAt : undefined].filter((at) => at !== undefined);
    return times.length === 0 ? { do: 'nothing' } : { do: 'nothing', at: Math.min(...times) };
  }
  if (turn) {
    return waitsSilently(object, standing)
      ? { do: 'nothing', at: turn.until }
      : { do: 'yield', to: turn, contested };
  }
  const settled = settledAt(facts.atWork, request.hash, now);
  if (settled !== undefined && due.lane === 'scheduled' && isSettling(object.status)) {
    return { do: 'reschedule', at: settled };
  }
  const wait = settled === undefined ? {} : { settledAt: settled };
  return { ...due, spec, request, apiHash, ...wait };
}

function suspendedWhere(isConfirmed: boolean): CommonPlan {
  return isConfirmed
    ? suspended(true, 'The declared settings are the ones last confirmed')
    : suspended(
        false,
        'The declared settings have not been confirmed. Set spec.suspend to false to send them',
      );
}

/**
 * Whether what the API last confirmed is what is declared now, and nothing has been tried in vain
 * since.
 */
export function isConfirmed(object: PipeSettings, request: SettingsRequest): boolean {
  const { status } = object;
  if (status?.applied?.requestHash !== request.hash || !endsApplied(object)) return false;
  return (status.differences?.length ?? 0) === 0;
}

/**
 * The settings of the last reply, where it came from the API that is called now: what another one
 * holds says nothing here.
 */
export function reportedBy(
  status: PipeSettings['status'],
  apiHash: string,
): NonNullable<PipeSettings['status']>['settings'] {
  return isProven(status, apiHash) ? status?.settings : undefined;
}
