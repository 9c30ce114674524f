import { matching, text } from '../schema/schema.ts';

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

/** All three together tell one endpoint from another. */
type Identity<Value> = Readonly<Record<'id' | 'cloudProvider' | 'region', Value>>;

/**
 * Each of these characters is one byte in the JSON that is stored. Inventory and pending change
 * repeat what spec lists and may never be cut: of other characters, which cost up to six bytes,
 * they would outgrow what the API server can store. It also keeps out the line break of a YAML
 * block and letters that look alike.
 */
const PLAIN = /^[!#-%'-;=?-[\]-~]+$/;
/** The inventory keeps what the API reports, which may have blanks. */
const PLAIN_OR_BLANK = /^[ !#-%'-;=?-[\]-~]+$/;

/** As spec declares it. */
export function declaredIdentity(about: Identity<string>) {
  const part = (name: keyof typeof about) => {
    const must = `be 1 to ${LIMITS[name]} printable ASCII characters without spaces and " \\ < > &`;
    return text(about[name], LIMITS[name], matching(PLAIN, must));
  };
  return { id: part('id'), cloudProvider: part('cloudProvider'), region: part('region') };
}

/** As it is reported; `isStorable` says what fits. */
export const reportedIdentity = {
  id: text('Its id.', LIMITS.id),
  cloudProvider: text('Its cloud provider.', LIMITS.cloudProvider),
  region: text('Its region.', LIMITS.region),
};

/** Whether the inventory can hold it to the byte: it may not be cut, as a removal repeats it. */
export function isStorable({ id, cloudProvider, region }: Identity<string>): boolean {
  const isShort = cloudProvider.length <= LIMITS.cloudProvider && region.length <= LIMITS.region;
  return id.length <= LIMITS.id && isShort && PLAIN_OR_BLANK.test(id + cloudProvider + region);
}
