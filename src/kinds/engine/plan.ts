import type { KubeObject } from '../../kube/resource.ts';
import type { SpecResult } from '../schema/definition.ts';
import type { KindSummary } from '../status/reasons.ts';
import type { Contested } from '../target/conflict-report.ts';
import type { Held, Turn } from '../target/target.ts';
import type { Attempt } from './api-call.ts';

/** What is done about an object of any kind without a call. */
export type CommonPlan =
  /** It is as it should be, or its time has not come. */
  | { readonly do: 'nothing'; readonly at?: number }
  /** Puts a next attempt that a clock which jumped has set too far off back to where it belongs. */
  | { readonly do: 'reschedule'; readonly at: number }
  | { readonly do: 'refuse-spec'; readonly message: string }
  /** Shows a state that asks for no call, whatever the time. */
  | { readonly do: 'suspend'; readonly summary: KindSummary }
  | { readonly do: 'keep'; readonly summary: KindSummary }
  /** Plan mode: shows what would be sent. `plan`: `status.plan` without its time. */
  | { readonly do: 'preview'; readonly summary: KindSummary; readonly plan: object }
  /** Another object holds the target, or comes first. */
  | { readonly do: 'yield'; readonly to: Held | Turn; readonly contested: Contested };

/** A plan once it is carried out: the branch with the call has what came of it. */
export type Done<Plan> = Plan extends { readonly do: 'call' }
  ? Plan & { readonly came: Attempt }
  : Plan;

/**
 * The beginning of every plan: nothing for what is being deleted, or for a spec nobody can read.
 */
export function readSpec<Spec>(
  object: KubeObject,
  parse: (object: KubeObject) => SpecResult<Spec>,
): { readonly spec: Spec } | Extract<CommonPlan, { do: 'nothing' | 'refuse-spec' }> {
  if (object.metadata.deletionTimestamp) return { do: 'nothing' };
  const parsed = parse(object);
  return parsed.ok ? { spec: parsed.spec } : { do: 'refuse-spec', message: parsed.message };
}

/** `ready`: what the object stands for is there; `says` is about that. */
export function suspended(ready: boolean, says: string): Extract<CommonPlan, { do: 'suspend' }> {
  const message = `Suspended: no call is made while spec.suspend is true. ${says}`;
  const summary = { ready: ready ? 'True' : 'False', reason: 'Suspended', message } as const;
  return { do: 'suspend', summary };
}
