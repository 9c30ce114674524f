import { isStorable } from './limits.ts';

/**
 * What tells one private endpoint from another: the same id in another region is another endpoint.
 */
export interface Tuple {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
}

export interface Change {
  readonly add: readonly Tuple[];
  readonly remove: readonly Tuple[];
}

/** One entry of a reply's list, as it came; what is absent there is absent here. */
export interface Reported {
  readonly id: string;
  readonly cloudProvider?: string | undefined;
  readonly region?: string | undefined;
  readonly description?: string | undefined;
}

/** Equal for two tuples that mean the same endpoint: ASCII case and blanks around are ignored. */
export function sameKey({ id, cloudProvider, region }: Tuple): string {
  return JSON.stringify([plain(id), plain(cloudProvider), plain(region)]);
}

/** The same for ids alone. */
export function plain(text: string): string {
  return text.replace(/^ +| +$/g, '').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function tupleOf({ id, cloudProvider, region }: Tuple): Tuple {
  return { id, cloudProvider, region };
}

/** Its tuple; a part that the list leaves out is that of the endpoint it stands for. */
export function asReported({ id, cloudProvider, region }: Reported, tuple: Tuple): Tuple {
  const { cloudProvider: provider, region: place } = tuple;
  return { id, cloudProvider: cloudProvider ?? provider, region: region ?? place };
}

/** The list of a reply, ready to be asked about single endpoints; it may have thousands. */
export class Listing {
  readonly #byId: ReadonlyMap<string, readonly Reported[]>;

  constructor(entries: readonly Reported[]) {
    this.#byId = Map.groupBy(entries, ({ id }) => plain(id));
  }

  /**
   * The entry that means this endpoint, in whatever case it is written. One that the inventory
   * could not hold is somebody else's with the same id.
   */
  find(tuple: Tuple): Reported | undefined {
    return this.withId(tuple.id).find((entry) => {
      const reported = asReported(entry, tuple);
      return sameKey(reported) === sameKey(tuple) && isStorable(reported);
    });
  }

  /** All entries with this id, whatever their provider and region. */
  withId(id: string): readonly Reported[] {
    return this.#byId.get(plain(id)) ?? [];
  }
}

/**
 * The list in a result. Undefined where none can be read: no array, or one that is not empty and
 * has no entry with an id. That is unknown, not empty.
 */
export function readList(
  result: Readonly<Record<string, unknown>>,
): readonly Reported[] | undefined {
  const list = Object.hasOwn(result, 'privateEndpoints') ? result.privateEndpoints : undefined;
  if (!Array.isArray(list)) return undefined;
  const entries = list.flatMap(readEntry);
  return entries.length === 0 && list.length > 0 ? undefined : entries;
}

function readEntry(entry: unknown): Reported[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const { id, cloudProvider, region, description } = entry as Readonly<Record<string, unknown>>;
  const name = word(id);
  if (name === undefined) return [];
  const place = { cloudProvider: word(cloudProvider), region: word(region) };
  return [{ id: name, ...place, description: word(description) }];
}

/** Ids are texts; some servers write numbers. */
function word(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

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

/** A list without entries is left out. */
export function filled<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length > 0 ? list : undefined;
}
