import { matching, text } from '../../schema/schema.ts';
import { LIMITS } from '../limits.ts';

/**
 * Each of these characters is one byte in the JSON that is stored. Inventory and pending change
 * repeat what spec lists and may never be cut: of other characters, which cost up to six bytes,
 * they would outgrow what the API server can store. It also keeps out the line break of a YAML
 * block and letters that look alike.
 */
const PLAIN = /^[!#-%'-;=?-[\]-~]+$/;
/** The inventory keeps what the API reports, which may have blanks. */
const PLAIN_OR_BLANK = /^[ !#-%'-;=?-[\]-~]+$/;

type Part = 'id' | 'cloudProvider' | 'region';
type About = Readonly<Record<Part, string>>;

/** What tells one endpoint from another: all three together. */
export function declaredIdentity(about: About) {
  return identity((part, max) => {
    const what = 'printable ASCII characters without spaces and " \\ < > &';
    return text(about[part], max, matching(PLAIN, `be 1 to ${max} ${what}`));
  });
}

/** The same as it is reported; `isStorable` says what fits. */
export function reportedIdentity(about: About) {
  return identity((part, max) => text(about[part], max));
}

function identity(make: (part: Part, max: number) => ReturnType<typeof text>) {
  return {
    id: make('id', LIMITS.id),
    cloudProvider: make('cloudProvider', LIMITS.cloudProvider),
    region: make('region', LIMITS.region),
  };
}

/**
 * Whether the inventory can hold it to the byte; one value out of bounds makes the API server
 * refuse the whole status.
 */
export function isStorable(tuple: Readonly<Record<Part, string>>): boolean {
  const parts = ['id', 'cloudProvider', 'region'] as const;
  return parts.every(
    (part) => tuple[part].length <= LIMITS[part] && PLAIN_OR_BLANK.test(tuple[part]),
  );
}
