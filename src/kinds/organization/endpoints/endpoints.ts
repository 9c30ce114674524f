import { isStorable } from './identity.ts';

/**
 * What tells one private endpoint from another: the same id in another region is another endpoint.
 */
export interface Tuple {
  readonly id: string;
  readonly cloudProvider: string;
  readonly region: string;
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
