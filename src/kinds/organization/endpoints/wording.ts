import type { Tuple } from './endpoints.ts';

/** How many endpoints a message names; the status has them all. */
const NAMED = 4;
/** An id may be long; a message has one line. */
const LONGEST_ID = 64;
const LONGEST_IN_FIELD = 120;

/** `psc-1, psc-2 and 3 more`. */
export function names(endpoints: readonly Pick<Tuple, 'id'>[]): string {
  const shown = endpoints.slice(0, NAMED).map(({ id }) => short(id));
  const more = endpoints.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** `1 private endpoint`, `2 private endpoints`. */
export function counted(count: number): string {
  return `${count} private ${count === 1 ? 'endpoint' : 'endpoints'}`;
}

/**
 * The path of an endpoint in differences, drift and history. Long ids differ at their end: the
 * middle is left out.
 */
export function fieldOf({ id }: Pick<Tuple, 'id'>, part = ''): string {
  const shown =
    id.length > LONGEST_IN_FIELD
      ? `${id.slice(0, LONGEST_IN_FIELD / 2)}…${id.slice(-LONGEST_IN_FIELD / 2)}`
      : id;
  return `privateEndpoints[${shown}]${part}`;
}

export function placeOf({ cloudProvider, region }: Tuple): string {
  return `${cloudProvider}/${region}`;
}

function short(id: string): string {
  return id.length > LONGEST_ID
    ? `${id.slice(0, LONGEST_ID / 2)}…${id.slice(-LONGEST_ID / 2)}`
    : id;
}

/** A text of the API in a message: one line of bounded length, in quotes. */
export function shownName(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
