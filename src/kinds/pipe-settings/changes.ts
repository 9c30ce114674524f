import { plainLine } from '../../api/reply/text.ts';
import type { FieldChange } from '../shared/preview.ts';
import type { Comparison, Declared, Value } from './echo.ts';
import { LIMITS } from './settings.ts';

export type Change = FieldChange;

/**
 * What Apply would change, measured against the last reply; a value that is not known is left out
 * of `from`.
 */
export function plannedChanges(declared: Declared, reported: Declared | undefined): Change[] {
  return Object.entries(declared).flatMap(([field, to]) => {
    const from = reported?.[field];
    return to === from ? [] : [change(field, from, to)];
  });
}

/**
 * What a confirmed write changed. Where the reply was silent about a declared key, the declared
 * value counts, but only when the request was another one than the last confirmed: the same request
 * again changes nothing.
 */
export function confirmedChanges(options: {
  readonly declared: Declared;
  readonly before: Declared | undefined;
  readonly after: Declared;
  readonly sameRequest: boolean;
}): Change[] {
  const { declared, before, after, sameRequest } = options;
  return Object.entries(declared).flatMap(([field, want]) => {
    const from = before?.[field];
    const to = after[field] ?? (sameRequest ? from : want);
    return to === undefined || to === from ? [] : [change(field, from, to)];
  });
}

/** Settings nobody declared, now or in the request before, that differ between two replies. */
export function driftBetween(options: {
  readonly declared: Declared;
  readonly declaredBefore: readonly string[];
  readonly before: Declared | undefined;
  readonly after: Declared;
}): Change[] {
  const { declared, declaredBefore, before, after } = options;
  return Object.entries(after).flatMap(([field, to]) => {
    const from = before?.[field];
    const isOurs = declared[field] !== undefined || declaredBefore.includes(field);
    return isOurs || from === undefined || from === to ? [] : [change(field, from, to)];
  });
}

/** `a 1 → 2, b → true`, for events and messages. */
export function describeChanges(changes: readonly Change[]): string {
  return changes
    .map(({ field, from, to }) =>
      from === undefined ? `${field} → ${String(to)}` : `${field} ${String(from)} → ${String(to)}`,
    )
    .join(', ');
}

/** How many differences a message names; the status has them all. */
const NAMED_DIFFERENCES = 4;

/**
 * `a is 5, not 8`, for the message about an echo that differs; one line, whatever the API calls a
 * value.
 */
export function describeDifferences(differences: Comparison['differences']): string {
  const named = differences
    .slice(0, NAMED_DIFFERENCES)
    .map(
      ({ field, declared, reported }) => `${field} is ${shown(reported)}, not ${shown(declared)}`,
    );
  const more = differences.length - named.length;
  return more > 0
    ? `${named.join(', ')} and ${more} more, see status.differences`
    : named.join(', ');
}

function shown(value: Value): string {
  return plainLine(String(value), LIMITS.value, (text) => text);
}

function change(field: string, from: Value | undefined, to: Value): Change {
  return from === undefined ? { field, to } : { field, from, to };
}
