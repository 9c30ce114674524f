import { parseDuration } from '../../duration.ts';
import { choice, fields, flag, matching, optional, text } from './schema.ts';

/** Fields of `spec` that several kinds share. */

const words = matching(/^[A-Za-z0-9._~-]+$/, "be 1 to 128 letters, digits, '.', '_', '~' or '-'");
/** A path ends elsewhere with one of these as a part of it. */
const noDots = matching(/[^.]|.{3}/, "not be '.' or '..'");

/** An id of the remote API that goes into a path as it is. */
export function identifier(about: string) {
  const range = '1 to 128 letters, digits and . _ ~ -';
  return text(`${about} ${range}. Quote it in YAML. Immutable.`, 128, words, noDots);
}

const LOWER_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const A_UUID = 'UUID in lower case with hyphens, 36 characters';

/** An id of the remote API that its document calls a uuid. */
export function uuid(about: string) {
  const check = matching(LOWER_UUID, `be a ${A_UUID}`);
  return text(`${about} A ${A_UUID}. Quote it in YAML. Immutable.`, 36, check);
}

/**
 * Each of these characters is one byte in the JSON that is stored: of others, which cost up to six,
 * a status that may never be cut would outgrow what the API server can store. It also keeps out
 * the line break of a YAML block and letters that look alike.
 */
const PLAIN = /^[!#-%'-;=?-[\]-~]+$/;

/** An id of the remote API that the status repeats to the byte. */
export function plainText(about: string, max: number) {
  const range = `1 to ${max} printable ASCII characters without spaces and " \\ < > &`;
  return text(`${about} ${range}.`, max, matching(PLAIN, `be ${range}`));
}

const SECRET_NAME = matching(
  /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
  "be the name of a Secret: 1 to 253 lower-case letters, digits, '.' or '-', starting and ending with a letter or digit",
);
const SECRET_KEY = matching(
  /^[A-Za-z0-9._-]+$/,
  "be a key of a Secret: 1 to 253 letters, digits, '.', '_' or '-'",
);
const secretKey = (what: string, usual: string, basic: string) =>
  text(
    `Key in the Secret that has the API key ${what}. Absent: ${usual}, or ${basic} in a Secret of type kubernetes.io/basic-auth. At most 253 letters, digits and . _ -.`,
    253,
    SECRET_KEY,
  );

/** There is no namespace in it: an object reaches only its own namespace's Secrets. */
export const credentialsSecretRef = fields(
  'The Secret in the same namespace that has the API key.',
  {
    name: text('Name of the Secret. A DNS name of 1 to 253 characters.', 253, SECRET_NAME),
    keyIdKey: optional(secretKey('id', 'keyId', 'username')),
    keySecretKey: optional(secretKey('secret', 'keySecret', 'password')),
  },
);

export const suspend = optional(
  flag('While true, no call is made to the API for this object. Absent: false.'),
);

const mode = optional(
  choice(
    'Apply (the default) sends the declared state. Plan makes no call to the API and shows in status.plan what Apply would send; Ready is then True only where nothing would change.',
    ['Apply', 'Plan'],
  ),
);

const MINUTE = 60_000;
const DURATION = matching(
  /^([0-9]+(\.[0-9]+)?(s|m|h))+$/,
  'be a duration in h, m or s, such as 90m or 24h; write 1d as 24h',
);
const IN_RANGE = {
  must: 'be between 10m and 8760h',
  accepts: (value: string): boolean => {
    const milliseconds = parseDuration(value) ?? 0;
    return milliseconds >= 10 * MINUTE && milliseconds <= 8760 * 60 * MINUTE;
  },
  rule: `!${DURATION.rule} || (duration(self) >= duration('10m') && duration(self) <= duration('8760h'))`,
};

const reassertInterval = optional(
  text(
    'Send the declared state again at this interval, to undo changes made elsewhere. 10m to 8760h, written with h, m and s such as 24h or 1h30m. Absent: never.',
    32,
    DURATION,
    IN_RANGE,
  ),
);

/** Whether and when what is declared is sent. */
export const whenSent = { suspend, mode, reassertInterval };
