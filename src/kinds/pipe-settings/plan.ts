import type { Lane } from '../../runtime/queue.ts';
import { generationOf, requestedAt } from '../common-status.ts';
import { whenDue } from '../due.ts';
import { parseDuration } from '../duration.ts';
import type { Facts } from './load.ts';
import { type SettingsRequest, settingsRequest } from './remote.ts';
import { type PipeSettings, type PipeSettingsSpec, parseSpec } from './resource.ts';

/** Everything the operator can do about a PipeSettings object. */
export type Plan =
  /** It is as it should be, or its time has not come. */
  | { readonly do: 'nothing'; readonly at?: number }
  | { readonly do: 'refuse-spec'; readonly message: string }
  | { readonly do: 'suspend'; readonly confirmed: boolean }
  | { readonly do: 'yield'; readonly holder: Facts['holder']; readonly spec: PipeSettingsSpec }
  | { readonly do: 'preview'; readonly spec: PipeSettingsSpec; readonly request: SettingsRequest }
  | { readonly do: 'reschedule'; readonly at: number }
  | {
      readonly do: 'put';
      readonly spec: PipeSettingsSpec;
      readonly request: SettingsRequest;
      readonly lane: Lane;
      readonly probe: boolean;
    };

/** Decides. The order is the order of precedence: a spec that cannot be read, suspend, another object's pipe, Plan, time. */
export function plan(object: PipeSettings, facts: Facts, now: number): Plan {
  if (object.metadata.deletionTimestamp) return { do: 'nothing' };
  const parsed = parseSpec(object);
  if (!parsed.ok) return { do: 'refuse-spec', message: parsed.message };
  const { spec } = parsed;
  const request = settingsRequest(facts.baseUrl, spec);
  if (spec.suspend) return { do: 'suspend', confirmed: isConfirmed(object, request) };
  if (facts.holder.uid !== object.metadata.uid) return { do: 'yield', holder: facts.holder, spec };
  if (spec.mode === 'Plan') return { do: 'preview', spec, request };
  const due = whenDue({
    generation: generationOf(object),
    uid: object.metadata.uid,
    status: object.status,
    requested: requestedAt(object),
    confirmed: isConfirmed(object, request) && object.status?.applied?.generation === generationOf(object),
    reassertMs: spec.reassertInterval === undefined ? undefined : parseDuration(spec.reassertInterval),
    secret: facts.secret,
    triedSecret: facts.triedSecret,
    hasSlot: facts.hasSlot,
    now,
  });
  if (due.due === 'reschedule') return { do: 'reschedule', at: due.at };
  if (!due.due) return due.at === undefined ? { do: 'nothing' } : { do: 'nothing', at: due.at };
  return { do: 'put', spec, request, lane: due.lane, probe: due.probe };
}

/** Whether what the API last confirmed is what is declared now, and nothing has been tried in vain since. */
export function isConfirmed(object: PipeSettings, request: SettingsRequest): boolean {
  const { status } = object;
  if (status?.applied?.requestHash !== request.hash || status.lastRequest?.outcome !== 'Succeeded') return false;
  return (status.differences?.length ?? 0) === 0;
}
