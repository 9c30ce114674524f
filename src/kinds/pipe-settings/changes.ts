import { plainLine } from '../../text.ts';
import { textOf } from '../shared/canonical.ts';
import type { FieldChange } from '../shared/preview.ts';
import type { Comparison, Declared } from './echo.ts';

/** What Apply would change since the last reply; `from` is left out where it is not known. */
export function plannedChanges(declared: Declared, reported: Declared | undefined): FieldChange[] {
  return between(Object.keys(declared), reported, declared);
}

/** Two replies and what was declared between them. */
export interface Replies {
  readonly declared: Declared;
  /** Undefined: nothing is known. */
  readonly before: Declared | undefined;
  readonly after: Declared;
}

/**
 * What a confirmed write changed. Where the reply was silent about a declared key, the declared
 * value counts, but only when the request was another one than the last confirmed: the same request
 * again changes nothing.
 */
export function confirmedChanges(replies: Replies, sameRequest: boolean): FieldChange[] {
  const { declared, before, after } = replies;
  const assumed = sameRequest ? before : declared;
  return between(Object.keys(declared), before, { ...assumed, ...after });
}

/** Settings nobody declared, now or in the request before, that differ between two replies. */
export function driftBetween(replies: Replies, declaredBefore: readonly string[]): FieldChange[] {
  const { declared, before, after } = replies;
  const ours = [...Object.keys(declared), ...declaredBefore];
  const others = Object.keys(after).filter((field) => !ours.includes(field));
  return between(others, before, after).filter(({ from }) => from !== undefined);
}

function between(
  fields: readonly string[],
  before: Declared | undefined,
  after: Declared,
): FieldChange[] {
  return fields
    .map((field) => ({ field, from: before?.[field], to: after[field] }))
    .filter(({ from, to }) => to !== undefined && to !== from);
}

/** `a 1 → 2, b → true`, for events and messages. */
export function describeChanges(changes: readonly FieldChange[]): string {
  return changes
    .map(({ field, from, to }) => `${field}${from === undefined ? '' : ` ${from}`} → ${to}`)
    .join(', ');
}

/** `a is 5, not 8`, for the message about an echo that differs; the status has them all. */
export function describeDifferences(differences: Comparison['differences']): string {
  const texts = differences.map(
    ({ field, declared, reported }) => `${field} is ${shown(reported)}, not ${shown(declared)}`,
  );
  const more = texts.splice(4).length;
  return `${texts.join(', ')}${more > 0 ? ` and ${more} more, see status.differences` : ''}`;
}

/** A value in one line, whatever the API calls one. */
export function shown(value: unknown): string {
  return plainLine(textOf(value), 64, (one) => one);
}
