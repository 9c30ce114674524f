import type { Verdict } from '../api/errors.ts';
import type { KubeObject } from '../kube/resource.ts';
import type { Report } from '../runtime/kind.ts';
import { type CommonStatus, lastRequestOf, quoting, readyOf, withoutUndefined } from './common-status.ts';
import { reportFailure } from './failure-report.ts';

interface Confirmed {
  readonly applied?: { readonly requestHash: string };
}

/** What a request that changes something leaves behind for those whose record does not have it; see Overtaken. `hash`: of the state that was to be. */
export function overtaking(
  result: { readonly got: string; readonly verdict?: Verdict },
  { operation, hash, now: sentAt }: { readonly operation: string; readonly hash: string; readonly now: number },
): Pick<Report, 'overtaken'> {
  const { verdict } = result;
  if (verdict?.outcome !== 'Succeeded' && verdict?.outcome !== 'Unknown') return {};
  const { requestId } = verdict;
  const message = 'A request for an older state was still under way when this one was confirmed';
  const unknown: Verdict = { ...verdict, ok: false, failure: 'OutcomeUnknown', outcome: 'Unknown', message };
  const lastRequest = lastRequestOf(operation, unknown, sentAt);
  const overtaken = (object: KubeObject, now: number): object | undefined => {
    const previous = object.status as (CommonStatus & Confirmed) | undefined;
    // Of two requests for the same state it does not matter which was last.
    if (readyOf(previous)?.reason !== 'Applied' || previous?.applied?.requestHash === hash) return undefined;
    const { status } = reportFailure({
      object,
      previous,
      reason: 'OutcomeUnknown',
      message: `${message}, and nobody can tell which of the two the API carried out last${quoting(requestId)}. What is declared is sent again`,
      now,
    });
    return withoutUndefined({ ...previous, ...status, lastRequest });
  };
  return { overtaken };
}
