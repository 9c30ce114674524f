import { isFailure } from '../../kinds/status/failures.ts';
import { type Actor, REASONS, type ReasonRow } from '../../kinds/status/reasons.ts';
import { FAILURES } from '../../waits.ts';
import { EDITED, type Standing } from '../standing.ts';

/** Who has to act so that the object becomes ready. */
export interface WhoActs {
  readonly who: string;
  readonly means: string;
  readonly todo: string;
}

const BY_ITSELF: Actor = 'the operator, by itself';

/** Undefined for a reason that is not the operator's. */
export function whoActs(standing: Standing): WhoActs | undefined {
  const { next, reason, generation, observedGeneration } = standing;
  if (next.waitsFor === 'finalizers') return ofFinalizers(next.names);
  const isUnheard = reason === EDITED || reason === 'Deleting';
  const row = isUnheard ? REASONS.Pending : rowOf(reason);
  if (!row) return undefined;
  return {
    who: whoOf(standing, row),
    means: isUnheard
      ? `The object is now at generation ${generation}, and the operator has last acted on generation ${observedGeneration}.`
      : unquoted(row.means),
    todo: unquoted(row.todo),
  };
}

function rowOf(reason: string): ReasonRow | undefined {
  return Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS] : undefined;
}

/** Where a person must act it is not the operator; where the operator goes on, nobody yet. */
function whoOf({ stalled, reason, ready }: Standing, { acts }: ReasonRow): string {
  const people = acts.filter((actor) => actor !== BY_ITSELF);
  if (stalled && people.length > 0) return people.join('; else ');
  const isEarly = !ready && !stalled && isFailure(reason) && FAILURES[reason].side === 'Stalled';
  return isEarly ? [BY_ITSELF, ...people].join('; else ') : acts.join('; else ');
}

function ofFinalizers(names: readonly string[]): WhoActs {
  if (names.length === 0)
    return { who: 'nobody', means: 'The object is being deleted.', todo: 'Nothing.' };
  return {
    who: `whoever has set ${names.length === 1 ? 'the finalizer' : 'the finalizers'} ${names.join(', ')}`,
    means:
      'The object is being deleted, and is gone when that is taken off. Pipewright has nothing left to do for it.',
    todo: 'Find the program that sets it, and see why it does not take it off.',
  };
}

/** The tables are written for Markdown. */
function unquoted(text: string): string {
  return text.replaceAll('`', '');
}
