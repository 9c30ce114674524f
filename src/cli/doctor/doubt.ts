import { USUAL_NAMESPACE } from '../cluster/announced.ts';
import type { Operator } from './pairing.ts';
import { listed } from './words.ts';

/**
 * Whoever may write into one namespace can make up an operator there, by a label or a Lease, and
 * have an admin give it rights or change it. So commands are given for the operators of the
 * namespace that the user names, or of the usual one where none is seen elsewhere.
 */
export function doubted(
  operators: readonly Operator[],
  named: string | undefined,
): readonly Operator[] {
  if (named !== undefined || operators.every(({ namespace }) => namespace === USUAL_NAMESPACE))
    return operators;
  return operators.map((operator) => ({
    ...operator,
    doubt: `The command that mends it is given with --operator-namespace ${operator.namespace}, once you know that this operator is yours: whoever may write into a namespace can make one up there. ${placesSeen(operators)}`,
  }));
}

/** `Operators are seen in namespaces a, b.` */
export function placesSeen(operators: readonly Operator[]): string {
  const names = [...new Set(operators.map(({ namespace }) => namespace))];
  return `Operators are seen in ${names.length === 1 ? 'namespace' : 'namespaces'} ${listed(names)}.`;
}
