import type { Tuple } from './endpoints.ts';

/** How many endpoints a message names; the status has them all. */
const NAMED = 4;

/** `psc-1, psc-2 and 3 more`; an id may be long, and a message has one line. */
export function names(endpoints: readonly Pick<Tuple, 'id'>[]): string {
  const shown = endpoints.slice(0, NAMED).map(({ id }) => shortened(id, 64));
  const more = endpoints.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** `1 private endpoint`, `2 private endpoints`. */
export function counted(count: number): string {
  return `${count} private ${count === 1 ? 'endpoint' : 'endpoints'}`;
}

/** The path of an endpoint in differences, drift and history. */
export function fieldOf({ id }: Pick<Tuple, 'id'>, part = ''): string {
  return `privateEndpoints[${shortened(id, 120)}]${part}`;
}

/** In full: `psc-1 (gcp/asia-northeast1)`. */
export function withPlace(tuple: Tuple): string {
  return `${tuple.id} (${placeOf(tuple)})`;
}

export function placeOf({ cloudProvider, region }: Tuple): string {
  return `${cloudProvider}/${region}`;
}

/** Long ids differ at their end: the middle is left out. */
function shortened(id: string, most: number): string {
  return id.length > most ? `${id.slice(0, most / 2)}…${id.slice(-most / 2)}` : id;
}
