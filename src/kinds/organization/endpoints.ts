import { text } from '../schema/schema.ts';

/** How many entries spec and status may have, and how long their texts may be, in code points. */
export const LIMITS = {
  /** In spec, and so in the `add` of one change. */
  endpoints: 100,
  /** All listed ones, as many more on their way out, and some. Also the `remove` of one change. */
  inventory: 220,
  name: 256,
  id: 512,
  cloudProvider: 64,
  region: 64,
  keys: 2,
  differences: 16,
  drift: 12,
  planRequests: 4,
  planChanges: 220,
  historyChanges: 24,
  /** `privateEndpoints[<id>].description`, where the id may have 512 and is cut. */
  field: 160,
  value: 64,
  historyValue: 32,
  body: 16_384,
} as const;

/** As `plainText`; the inventory keeps what the API reports, which may have blanks. */
const PLAIN_OR_BLANK = /^[ !#-%'-;=?-[\]-~]+$/;

/** As it is reported; `isStorable` says what fits. */
export const reportedIdentity = {
  id: text('Its id.', LIMITS.id),
  cloudProvider: text('Its cloud provider.', LIMITS.cloudProvider),
  region: text('Its region.', LIMITS.region),
};

/** Whether the inventory can hold it to the byte: it may not be cut, as a removal repeats it. */
function isStorable({ id, cloudProvider, region }: Tuple): boolean {
  const isShort = cloudProvider.length <= LIMITS.cloudProvider && region.length <= LIMITS.region;
  return id.length <= LIMITS.id && isShort && PLAIN_OR_BLANK.test(id + cloudProvider + region);
}

/** The same id in another region is another endpoint. */
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
export type Reported = Pick<Tuple, 'id'> & {
  readonly [Part in 'cloudProvider' | 'region' | 'description']?: string | undefined;
};

/** Equal for two tuples that mean the same endpoint: ASCII case and blanks around are ignored. */
export function sameKey({ id, cloudProvider, region }: Tuple): string {
  return JSON.stringify([plain(id), plain(cloudProvider), plain(region)]);
}

export function plain(text: string): string {
  return text.replace(/^ +| +$/g, '').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function tupleOf({ id, cloudProvider, region }: Tuple): Tuple {
  return { id, cloudProvider, region };
}

/** Its tuple; a part that the list leaves out is that of the endpoint it stands for. */
export function asReported(reported: Reported, tuple: Tuple): Tuple {
  const { id, cloudProvider = tuple.cloudProvider, region = tuple.region } = reported;
  return { id, cloudProvider, region };
}

/** The list of a reply, which may have thousands. */
export class Listing {
  readonly #byId: ReadonlyMap<string, readonly Reported[]>;

  constructor(entries: readonly Reported[]) {
    this.#byId = Map.groupBy(entries, ({ id }) => plain(id));
  }

  /** One that the inventory could not hold is somebody else's with the same id. */
  find(tuple: Tuple): Reported | undefined {
    return this.withId(tuple.id).find((entry) => {
      const reported = asReported(entry, tuple);
      return sameKey(reported) === sameKey(tuple) && isStorable(reported);
    });
  }

  withId(id: string): readonly Reported[] {
    return this.#byId.get(plain(id)) ?? [];
  }
}

/** Undefined: none can be read, or none of its entries; that is unknown, not empty. */
export function readList(result: Readonly<Record<string, unknown>>): Reported[] | undefined {
  const list = Object.hasOwn(result, 'privateEndpoints') ? result.privateEndpoints : undefined;
  if (!Array.isArray(list)) return undefined;
  const entries = list.flatMap(readEntry);
  return entries.length === 0 && list.length > 0 ? undefined : entries;
}

const PARTS = ['id', 'cloudProvider', 'region', 'description'];

function readEntry(entry: unknown): Reported[] {
  const given = (entry ?? {}) as Readonly<Record<string, unknown>>;
  const [id, cloudProvider, region, description] = PARTS.map((part) => word(given[part]));
  return id === undefined ? [] : [{ id, cloudProvider, region, description }];
}

/** Ids are texts; some servers write numbers. */
function word(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** How many endpoints a message names; the status has them all. */
const NAMED = 4;

/** `psc-1, psc-2 and 3 more`; an id may be long, and a message has one line. */
export function names(endpoints: readonly Pick<Tuple, 'id'>[], most = NAMED): string {
  const shown = endpoints.slice(0, most).map(({ id }) => shortened(id, 64));
  const more = endpoints.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

export function counted(count: number): string {
  return `${count} private ${count === 1 ? 'endpoint' : 'endpoints'}`;
}

export function fieldOf({ id }: Pick<Tuple, 'id'>, part = ''): string {
  return `privateEndpoints[${shortened(id, 120)}]${part}`;
}

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

export function filled<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length > 0 ? list : undefined;
}
