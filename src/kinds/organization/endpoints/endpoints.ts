import { withoutUndefined } from '../../shared/common-status.ts';
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

/** To the byte. */
export function tupleKey({ id, cloudProvider, region }: Tuple): string {
  return JSON.stringify([id, cloudProvider, region]);
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

/** Of inventory and pending change together: an add that has been seen, or awaited, is in both. */
export function withAdds(entries: readonly Tuple[], add: readonly Tuple[] = []): readonly Tuple[] {
  const known = new Set(entries.map(sameKey));
  return [...entries, ...add.filter((tuple) => !known.has(sameKey(tuple)))].map(tupleOf);
}

/**
 * The tuple of a reported entry. A part that the list leaves out is taken from the endpoint that it
 * stands for.
 */
export function asReported({ id, cloudProvider, region }: Reported, tuple: Tuple): Tuple {
  return {
    id,
    cloudProvider: cloudProvider ?? tuple.cloudProvider,
    region: region ?? tuple.region,
  };
}

/**
 * The list of a reply, ready to be asked about single endpoints; it may have thousands of entries.
 */
export class Listing {
  readonly entries: readonly Reported[];
  readonly #byId = new Map<string, Reported[]>();

  constructor(entries: readonly Reported[]) {
    this.entries = entries;
    for (const entry of entries) {
      const key = plain(entry.id);
      const known = this.#byId.get(key);
      if (known) known.push(entry);
      else this.#byId.set(key, [entry]);
    }
  }

  /**
   * Whether exactly this tuple is listed, to the byte. A part that the list leaves out is no
   * contradiction.
   */
  has(tuple: Tuple): boolean {
    return this.exact(tuple) !== undefined;
  }

  exact(tuple: Tuple): Reported | undefined {
    const key = tupleKey(tuple);
    return this.withId(tuple.id).find((entry) => tupleKey(asReported(entry, tuple)) === key);
  }

  /**
   * The entry that means this endpoint, in whatever case it is written; the one that is equal to
   * the byte first. One that the inventory could not hold is somebody else's with the same id.
   */
  find(tuple: Tuple): Reported | undefined {
    const key = sameKey(tuple);
    const isMeant = (entry: Reported): boolean => {
      const reported = asReported(entry, tuple);
      return sameKey(reported) === key && isStorable(reported);
    };
    return this.exact(tuple) ?? this.withId(tuple.id).find(isMeant);
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
  const parts = {
    cloudProvider: word(cloudProvider),
    region: word(region),
    description: word(description),
  };
  return [withoutUndefined({ id: name, ...parts })];
}

/** Ids are texts; some servers write numbers. */
function word(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}
