import type { Lane } from '../../controller/queue.ts';
import { parseDuration } from '../../duration.ts';
import { generationOf, requestedAt } from '../status/common-status.ts';
import { whenDue } from '../status/due.ts';
import { isProven } from '../target/proof.ts';
import { keepsItsWord } from '../target/standing.ts';
import { type Held, isSuperseded, judgeTarget, type Turn } from '../target/target.ts';
import { endsApplied, isSettling, settledAt } from '../target/unsettled.ts';
import type { Facts } from './load.ts';
import { type SettingsRequest, settingsRequest } from './remote.ts';
import { type PipeSettings, type PipeSettingsSpec, parseSpec } from './resource.ts';

/** Everything the operator can do about a PipeSettings object. */
export type Plan =
  /** It is as it should be, or its time has not come. */
  | { readonly do: 'nothing'; readonly at?: number }
  | { readonly do: 'refuse-spec'; readonly message: string }
  | { readonly do: 'suspend'; readonly confirmed: boolean }
  | { readonly do: 'yield'; readonly to: Held | Turn; readonly spec: PipeSettingsSpec }
  | {
      readonly do: 'preview';
      readonly spec: PipeSettingsSpec;
      readonly request: SettingsRequest;
      readonly apiHash: string;
      /** Nobody is known to have changed the pipe since the last reply. */
      readonly isLast: boolean;
      /** For this reason; else for the object's own mode. */
      readonly planOnly: boolean;
    }
  | { readonly do: 'reschedule'; readonly at: number }
  | {
      readonly do: 'put';
      readonly spec: PipeSettingsSpec;
      readonly request: SettingsRequest;
      readonly lane: Lane;
      readonly probe: boolean;
      readonly apiHash: string;
      /**
       * Epoch ms: until then an earlier request for something else may take effect, after this one.
       */
      readonly settledAt?: number;
    };

/**
 * Decides. The order is the order of precedence: a spec that cannot be read, suspend, another
 * object's pipe, Plan, time.
 */
export function plan(object: PipeSettings, facts: Facts, now: number): Plan {
  if (object.metadata.deletionTimestamp) return { do: 'nothing' };
  const parsed = parseSpec(object);
  if (!parsed.ok) return { do: 'refuse-spec', message: parsed.message };
  const { spec } = parsed;
  const request = settingsRequest(facts.baseUrl, spec);
  const isLast = !isSuperseded(facts.standing, now);
  if (spec.suspend)
    return { do: 'suspend', confirmed: isConfirmed(object, request) && isLast && !facts.owed };
  const verdict = judgeTarget(facts.standing, now);
  if (!verdict.holds) return { do: 'yield', to: verdict, spec };
  if (spec.mode === 'Plan' || facts.planOnly) {
    const { apiHash, planOnly } = facts;
    return { do: 'preview', spec, request, apiHash, isLast, planOnly };
  }
  const { turn, againAt } = verdict;
  const due = whenDue({
    generation: generationOf(object),
    uid: object.metadata.uid,
    status: object.status,
    requested: requestedAt(object),
    confirmed:
      isConfirmed(object, request) &&
      object.status?.applied?.generation === generationOf(object) &&
      isLast &&
      !facts.owed,
    reassertMs:
      spec.reassertInterval === undefined ? undefined : parseDuration(spec.reassertInterval),
    secret: facts.secret,
    triedSecret: facts.triedSecret,
    hasSlot: facts.hasSlot,
    now,
  });
  if (due.due === 'reschedule') return { do: 'reschedule', at: due.at };
  if (!due.due) {
    const times = [due.at, isLast ? againAt : undefined].filter((at) => at !== undefined);
    return times.length === 0 ? { do: 'nothing' } : { do: 'nothing', at: Math.min(...times) };
  }
  if (turn) {
    return keepsItsWord(object, facts.standing)
      ? { do: 'nothing', at: turn.until }
      : { do: 'yield', to: turn, spec };
  }
  const settled = settledAt(facts.atWork, request.hash, now);
  if (settled !== undefined && due.lane === 'scheduled' && isSettling(object.status)) {
    return { do: 'reschedule', at: settled };
  }
  const { lane, probe } = due;
  return {
    do: 'put',
    spec,
    request,
    lane,
    probe,
    apiHash: facts.apiHash,
    ...(settled !== undefined && { settledAt: settled }),
  };
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
  { apiHash }: { readonly apiHash: string },
): NonNullable<PipeSettings['status']>['settings'] {
  return isProven(status, apiHash) ? status?.settings : undefined;
}
