import { parseDuration } from '../../duration.ts';
import { choice, fields, flag, optional, text } from './schema.ts';

/** Fields of `spec` that several kinds share. */

const HOUR = 3_600_000;

/** An id of the remote API that goes into a path as it is. */
export function identifier(about: string) {
  return text({
    about: `${about} 1 to 128 letters, digits and . _ ~ -, the first a letter or digit. Quote it in YAML. Immutable.`,
    min: 1,
    max: 128,
    pattern: /^[A-Za-z0-9][A-Za-z0-9._~-]*$/,
    must: 'be 1 to 128 letters, digits and . _ ~ -, starting with a letter or digit',
  });
}

/** An id of the remote API that its document calls a uuid. */
export function uuid(about: string) {
  return text({
    about: `${about} A UUID in lower case with hyphens, 36 characters. Quote it in YAML. Immutable.`,
    min: 36,
    max: 36,
    pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    must: 'be a UUID in lower case with hyphens, 36 characters',
  });
}

const secretKey = (about: string) =>
  text({
    about: `${about} At most 253 letters, digits and . _ -.`,
    min: 1,
    max: 253,
    pattern: /^[A-Za-z0-9._-]+$/,
    must: 'be 1 to 253 letters, digits and . _ -, as the keys of a Secret are',
  });

/**
 * Where the API key is. There is no namespace in it: an object reaches only its own namespace's
 * Secrets.
 */
export const credentialsSecretRef = fields(
  'The Secret in the same namespace that holds the API key.',
  {
    name: text({
      about: 'Name of the Secret. A DNS name of 1 to 253 characters.',
      min: 1,
      max: 253,
      pattern: /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
      must: 'be the name of a Secret: 1 to 253 lower-case letters, digits, . and -, starting and ending with a letter or digit',
    }),
    keyIdKey: optional(
      secretKey(
        'Key in the Secret that holds the API key id. Absent: keyId, or username in a Secret of type kubernetes.io/basic-auth.',
      ),
    ),
    keySecretKey: optional(
      secretKey(
        'Key in the Secret that holds the API key secret. Absent: keySecret, or password in a Secret of type kubernetes.io/basic-auth.',
      ),
    ),
  },
);

export const suspend = optional(
  flag('While true, no call is made to the API for this object. Absent: false.'),
);

export const mode = optional(
  choice(
    'Apply (the default) sends the declared state. Plan sends nothing and shows in status.plan exactly what Apply would send; Ready is then True only where nothing would change.',
    ['Apply', 'Plan'],
  ),
);

/** Go's notation with hours, minutes and seconds only, written so that RE2 reads it too. */
const DURATION = /^([0-9]+(\.[0-9]+)?(s|m|h))+$/;

export const reassertInterval = optional(
  text({
    about:
      'Send the declared state again at this interval, to undo changes made elsewhere. 10m to 8760h, written with h, m and s such as 24h or 1h30m. Absent: never.',
    min: 2,
    max: 32,
    pattern: DURATION,
    must: 'be a duration between 10m and 8760h, such as 24h or 1h30m',
    also: {
      check: (value) => {
        const milliseconds = parseDuration(value);
        return (
          milliseconds !== undefined && milliseconds >= HOUR / 6 && milliseconds <= 8760 * HOUR
        );
      },
      rule: {
        rule: `!self.matches('${DURATION.source.replaceAll('\\', '\\\\')}') || (duration(self) >= duration('10m') && duration(self) <= duration('8760h'))`,
        message: 'must be between 10m and 8760h',
      },
    },
  }),
);
