import type { KubeObject } from '../../kube/resource.ts';
import { wholeSecond } from '../status/canonical.ts';
import { type CommonStatus, quoting, readyOf } from '../status/common-status.ts';
import type { CommonPlan } from './plan.ts';

/**
 * Nothing is sent until then. Where `--plan-only` has come between, the status says once more that
 * what is declared was confirmed before.
 */
export function rest<T extends Extract<CommonPlan, { do: 'nothing' | 'reschedule' }>>(
  { status }: KubeObject,
  until: T,
): T | Extract<CommonPlan, { do: 'keep' }> {
  const { applied, ...common } = (status ?? {}) as CommonStatus & {
    readonly applied?: { readonly requestId?: string };
  };
  if (readyOf(common)?.reason !== 'Planned') return until;
  const message = `The declared state is the one last confirmed${quoting(applied?.requestId)}`;
  const summary = { ready: 'True', reason: 'Applied', message } as const;
  return { do: 'keep', summary, ...(until.at !== undefined && { at: wholeSecond(until.at) }) };
}
