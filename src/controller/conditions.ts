import { printable } from '../text.ts';

/** One entry of `status.conditions`, as the Kubernetes API conventions define it. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  observedGeneration: number;
  lastTransitionTime: string;
}

/** What a reconcile says about an object; everything in `status.conditions` follows from it. */
export interface Summary {
  readonly ready: 'True' | 'False' | 'Unknown';
  /**
   * `Reconciling`: the operator goes on by itself. `Stalled`: the user must act. Absent: neither.
   */
  readonly progress?: 'Reconciling' | 'Stalled';
  readonly reason: string;
  /** One line; a stable function of the cause, so that an unchanged cause writes nothing. */
  readonly message: string;
}

/** maxLength of a condition's message in the CRDs, in code points. */
const LONGEST_MESSAGE = 1024;

/**
 * The full condition list for a summary: `Ready` always, `Reconciling` or `Stalled` only while
 * True, never both. `lastTransitionTime` moves only where `status` moves.
 */
export function conditionsFor(
  summary: Summary,
  context: {
    readonly generation: number;
    readonly previous: readonly Condition[];
    readonly now: string;
  },
): Condition[] {
  const make = (type: string, status: Condition['status']): Condition => {
    const before = context.previous.find((condition) => condition.type === type);
    const since = before?.status === status ? before.lastTransitionTime : undefined;
    return {
      type,
      status,
      reason: summary.reason,
      message: cutText(printable(summary.message), LONGEST_MESSAGE),
      observedGeneration: context.generation,
      lastTransitionTime: since || context.now,
    };
  };
  const ready = make('Ready', summary.ready);
  return summary.progress ? [ready, make(summary.progress, 'True')] : [ready];
}

/**
 * Cuts to `most` code points, the unit in which a CRD's maxLength counts, and marks the cut. Halves
 * of characters are replaced as the API server replaces them, or the text would differ from what is
 * stored for ever.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  const points = [...text.toWellFormed()];
  return points.length <= most ? points.join('') : `${points.slice(0, most - 1).join('')}…`;
}
