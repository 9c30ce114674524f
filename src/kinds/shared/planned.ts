import type { KindSummary } from './reasons.ts';

/** What `Plan` mode has worked out, of any kind. */
export interface Planned {
  /** How many fields would change. */
  readonly changes: number;
  /** The API is known to hold the declared state, so that applying would change nothing. */
  readonly isEmpty: boolean;
  /** The requests that Apply would send. */
  readonly notSent: string;
  /** What the plan is compared with. */
  readonly basis: string;
  /** Because of `--plan-only`; else because of the object's own mode. */
  readonly planOnly: boolean;
}

/**
 * Ready only where nothing is left to apply. Nothing else waits for a plan, or gives up over it: it
 * neither goes on by itself nor fails.
 */
export function plannedSummary({
  changes,
  isEmpty,
  notSent,
  basis,
  planOnly,
}: Planned): KindSummary {
  const how = planOnly
    ? 'the operator runs with --plan-only and changes nothing for any object'
    : 'set spec.mode to Apply to send it';
  return {
    ready: isEmpty ? 'True' : 'False',
    reason: 'Planned',
    message: `${headline(changes, isEmpty)}; not sent: ${notSent}; ${basis}. See status.plan; ${how}`,
  };
}

function headline(changes: number, isEmpty: boolean): string {
  if (isEmpty) return 'No changes';
  if (changes === 0) return 'No changes planned, but the declared state is not confirmed';
  return changes === 1 ? '1 change planned' : `${changes} changes planned`;
}
