import { text } from '../../schema/schema.ts';
import { LIMITS } from '../limits.ts';
import type { Tuple } from './endpoints.ts';

/**
 * Each of these characters is one byte in the JSON that is stored. Ledger and intent repeat what
 * spec lists and may never be cut: of other characters, which cost up to six bytes, they would
 * outgrow what the API server can store. It also keeps out the line break of a YAML block and
 * letters that look alike.
 */
const PLAIN = /^[!#-%'-;=?-[\]-~]+$/;
/** The ledger keeps what the API reports, which may have blanks. */
const PLAIN_OR_BLANK = /^[ !#-%'-;=?-[\]-~]+$/;

type About = Readonly<Record<keyof Tuple, string>>;

/** What tells one endpoint from another: all three together. */
export function endpointIdentity(about: About) {
  return identity(about, PLAIN, 'printable ASCII characters without spaces and " \\ < > &');
}

/** The same as it is reported; `isStorable` says what fits. */
export function reportedIdentity(about: About) {
  return identity(about, PLAIN_OR_BLANK, 'printable ASCII characters without " \\ < > &');
}

function identity(about: About, pattern: RegExp, what: string) {
  const part = (name: keyof Tuple) => {
    const max = LIMITS[name];
    return text({ about: about[name], min: 1, max, pattern, must: `be 1 to ${max} ${what}` });
  };
  return { id: part('id'), cloudProvider: part('cloudProvider'), region: part('region') };
}

/**
 * Whether the ledger can hold it to the byte; one value out of bounds makes the API server refuse
 * the whole status.
 */
export function isStorable(tuple: Tuple): boolean {
  const parts = ['id', 'cloudProvider', 'region'] as const;
  return parts.every(
    (part) => tuple[part].length <= LIMITS[part] && PLAIN_OR_BLANK.test(tuple[part]),
  );
}
